//! Split collective operations on files: the first half begins flights, the second ends them.

use mpiscope_abi::id;

use super::begin::begin;
use super::call_buffers::plan_side;
use super::landing::{End, complete};
use super::planned::{Buffers, Planned};
use crate::check::CallContext;
use crate::check::transfer::Side;
use crate::check::view::Half;

/// A split collective operation begins. What it reads is not redirected: the MPI has no request to whose completion it could wait.
pub fn split(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>) {
    let sides = [(gives, true), (gets, false)];
    let planned: Vec<Planned> =
        sides.into_iter().filter_map(|(side, lasting)| plan_side(s, side?, lasting, false)).collect();
    let active = begin(s, &planned, None, s.view.plan.function as u16);
    s.open.buffers.buffers = Buffers { planned: None, active, redirected: false };
}

/// The same after the call, and its end.
#[inline]
pub fn halves(s: &mut CallContext<'_>) {
    match s.view.plan.half {
        Some(Half::Begins) => {
            let (file, active) = (s.file(), std::mem::take(&mut s.open.buffers.buffers.active));
            s.checker.flights.split.insert(file, active);
        }
        Some(Half::Ends) => split_over(s, s.file()),
        None if s.view.plan.base == id::File_close => split_over(s, s.open.file),
        None => {}
    }
}

fn split_over(s: &mut CallContext<'_>, file: u32) {
    if let Some(ids) = s.checker.flights.split.remove(&file) {
        complete(s, &ids, End::PLAIN);
    }
}
