//! `mpiscope_snapshot` and `mpiscope_clear`: the statistics at one moment.
//!
//! Statistics are always cumulative: readers compute a section as the difference of two moments. The sums of all threads are
//! written to the definitions of the file. Other threads continue counting meanwhile; a call that ends at this moment is in this
//! section or in the next one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use mpiscope_trace::annotation::is_annotation;
use mpiscope_trace::defs::{Definition, Section, SectionRow};
use mpiscope_trace::layout::{MAX_THREADS, gate};
use mpiscope_trace::shape::flag;

use crate::annotate::Name;
use crate::clock;
use crate::process;
use crate::thread::Thread;

/// Every thread that was ever made; their state stays.
static THREADS: [AtomicPtr<Thread>; MAX_THREADS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_THREADS];
/// Moments taken.
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// Most of them; further ones count as lost definitions. A program that takes one in each iteration must not fill the log
/// with them.
const MOST: u32 = 1000;

/// A thread has been made.
pub fn enlist(index: usize, thread: *mut Thread) {
    THREADS[index].store(thread, Ordering::Release);
}

/// Takes the statistics now, for the region `name` or for everything.
#[cold]
pub fn snapshot(name: Option<Name<'_>>, clear: bool) {
    let Some(process) = process::start() else { return };
    if process::gate() & gate::OFF != 0 {
        return;
    }
    let at = clock::now();
    let mut sums: BTreeMap<(u32, u32), SectionRow> = BTreeMap::new();
    let threads = THREADS.iter().map(|t| t.load(Ordering::Acquire)).filter(|t| !t.is_null());
    for thread in threads {
        // SAFETY: never freed. Its owner goes on writing; each number is one aligned word.
        unsafe {
            let count = AtomicU32::from_ptr(&raw mut (*(*thread).header).shapes).load(Ordering::Acquire);
            for i in 0..count as usize {
                let shape = (*thread).shapes.add(i).read_volatile();
                // The split by size repeats what its shape counts.
                if is_annotation(shape.function) || shape.flags & flag::SUMMARY_ONLY != 0 || shape.calls == 0 {
                    continue;
                }
                let each = if shape.flags & (flag::COARSE | flag::INLINE) == 0 { shape.calls } else { 0 };
                let row = sums.entry((shape.function, shape.region)).or_default();
                (row.function, row.region) = (shape.function, shape.region);
                row.calls += shape.calls;
                row.ticks += shape.ticks;
                row.bytes_out += each * shape.bytes_out + shape.sum_bytes_out;
                row.bytes_in += each * shape.bytes_in + shape.sum_bytes_in;
            }
        }
    }
    let name = name.map(|name| name.text()).unwrap_or_default();
    let _guard = process.lock();
    if TAKEN.fetch_add(1, Ordering::Relaxed) >= MOST {
        // SAFETY: the mapped header, under the lock.
        unsafe { (*process.file.header).defs_lost += 1 };
        return;
    }
    process.file.define(&Definition::Section(Section { name, clear, at, rows: sums.into_values().collect() }));
}
