//! Threads of a parallel region, and their synchronization.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null;

use crate::detector::{acquire, release};

/// The code of a region or task.
pub type Body = unsafe extern "C" fn(*mut c_void);

/// A parallel region while it runs. Only the addresses of its fields are used, as synchronization objects.
pub struct Team {
    body: Body,
    data: *mut c_void,
    begin: u8,
    end: u8,
    /// Barriers in turn.
    barriers: [u8; 2],
    /// What the thread of a `single` copies to others.
    copied: u8,
    /// Ordered parts of loops.
    ordered: u8,
    /// Tasks that have ended.
    tasks: u8,
}

/// The state of a thread.
#[derive(Clone, Copy)]
struct TeamPosition {
    team: *const Team,
    barriers: usize,
}

thread_local! {
    static HERE: Cell<TeamPosition> = const { Cell::new(TeamPosition { team: null(), barriers: 0 }) };
}

fn address_of<T>(part: &T) -> *const c_void {
    (&raw const *part).cast()
}

/// Tasks of a thread outside of regions: they run immediately.
static ALONE: u8 = 0;
static ALONE_ORDERED: u8 = 0;

/// The thread's region; `None` outside of all.
fn team() -> Option<&'static Team> {
    // SAFETY: regions outlive the threads' stay in them, and so this reference.
    unsafe { HERE.get().team.as_ref() }
}

/// Runs a region: `start` passes the code and data to the real function, which returns when all threads have ended.
pub fn run<T>(body: Body, data: *mut c_void, start: impl FnOnce(Body, *mut c_void) -> T) -> T {
    let team = Team { body, data, begin: 0, end: 0, barriers: [0; 2], copied: 0, ordered: 0, tasks: 0 };
    release(address_of(&team.begin));
    let result = start(enter, (&raw const team).cast_mut().cast());
    acquire(address_of(&team.end));
    acquire(address_of(&team.tasks));
    result
}

/// One thread's part of a region.
unsafe extern "C" fn enter(team: *mut c_void) {
    // SAFETY: of `run`, which waits for this.
    let team = unsafe { &*team.cast::<Team>() };
    let before = HERE.replace(TeamPosition { team, barriers: 0 });
    acquire(address_of(&team.begin));
    // SAFETY: the program's own.
    unsafe { (team.body)(team.data) };
    release(address_of(&team.end));
    HERE.set(before);
}

/// A barrier: `wait` is the real one.
pub fn barrier<T>(wait: impl FnOnce() -> T) -> T {
    let Some(team) = team() else { return wait() };
    let here = HERE.get();
    let place = address_of(&team.barriers[here.barriers % 2]);
    HERE.set(TeamPosition { barriers: here.barriers + 1, ..here });
    release(place);
    let result = wait();
    acquire(place);
    // A waiting thread runs tasks, which may end after it has reached the barrier.
    acquire(address_of(&team.tasks));
    result
}

/// The address for ended tasks of the thread's region.
pub fn ended_tasks() -> *const c_void {
    team().map_or(address_of(&ALONE), |team| address_of(&team.tasks))
}

/// The address for ordered parts.
pub fn ordered() -> *const c_void {
    team().map_or(address_of(&ALONE_ORDERED), |team| address_of(&team.ordered))
}

/// The address for what a `single` copies.
pub fn copied() -> *const c_void {
    team().map_or(address_of(&ALONE), |team| address_of(&team.copied))
}
