//! The order of the checks of a call: one table for each stretch, which the driver ([`super::before`], [`super::after`]) walks.
//!
//! A step names those that must come before it, and why; a test compares that with the order of the table. Steps that are
//! not related stay in their order as well: it is the order of the findings and events that a user sees.

use super::arg_cache::Worked;
use super::call_context::CallContext;
use super::declared::Passed;
use super::{arguments, events, inflight, lifetimes, statuses, windows};
use crate::record::Caller;

type Entry = fn(&mut CallContext<'_>);
type Before = fn(&mut CallContext<'_>, &mut Seen<'_, '_>);
type After = fn(&mut CallContext<'_>, i32);

/// One step of a stretch.
pub struct Step<F> {
    /// For the tables and their test.
    #[cfg(test)]
    pub name: &'static str,
    /// Steps of the same stretch that come before.
    #[cfg(test)]
    pub needs: &'static [&'static str],
    pub run: F,
}

/// What the steps before a call share.
pub struct Seen<'a, 'c> {
    /// What was worked out of its arguments, …
    pub worked: &'a Worked,
    /// … which were right before, since the last object was made or freed.
    pub is_known: bool,
    pub caller: &'a mut Caller<'c>,
    pub passed: &'a mut Passed,
}

/// Steps as a table: `name after [names]: function` for each.
macro_rules! table {
    ($($(#[$why:meta])* $name:literal after [$($need:literal),*]: $run:expr),* $(,)?) => {
        [$(Step {
            #[cfg(test)]
            name: $name,
            #[cfg(test)]
            needs: &[$($need),*],
            run: $run,
        }),*]
    };
}

/// A call begins: whether it may be called now. If MPI is not initialised after that, nothing else is checked.
pub const ENTRY: [Step<Entry>; 3] = table! {
    /// What was found since the last call happened before this one.
    "races" after []: inflight::races::emit_races,
    "initialised" after []: lifetimes::before,
    /// The level of threads is known when MPI is initialised.
    "threads" after ["initialised"]: lifetimes::enter,
};

/// Before the call goes to the MPI.
pub const BEFORE: [Step<Before>; 11] = table! {
    /// What the program itself has accessed since the last call: it happened before this one, and belongs to no communicator.
    "touches" after []: |s, _| windows::touched(s),
    "place" after ["touches"]: place,
    "arguments" after ["place"]: arguments,
    /// Only of right arguments.
    "declared" after ["arguments"]: declared,
    /// Threads meet in a communicator.
    "meeting" after ["place"]: |s, _| lifetimes::meet(s),
    /// The event of a synchronisation ends the accesses: what they have changed before is reported before it.
    "exposed" after []: |s, _| inflight::ahead(s),
    /// With the flag of wrong arguments, which the judge does not compare.
    "events" after ["place", "arguments", "exposed"]: |s, seen| events::before(s, seen.worked),
    "overwritten" after []: |s, _| events::overwrites(s),
    /// Which communicator, which requests, and whether a wildcard is among them.
    "status" after ["events"]: own_status,
    /// The last one that reads arguments, because it replaces some. Wrong ones begin no operation.
    "buffers" after ["arguments", "events", "status"]: buffers,
    /// To the fibres that operations have now.
    "hand over" after ["buffers"]: |s, _| inflight::races::hand_over(s),
};

/// The call has returned.
pub const RETURN: [Step<After>; 4] = table! {
    "races" after []: |s, _| inflight::races::emit_races(s),
    "received" after []: |s, _| inflight::races::received(s),
    "threads" after []: |s, _| lifetimes::leave(s),
    "objects" after ["threads"]: objects,
};

/// What it has returned, while MPI is initialised.
pub const RESULT: [Step<After>; 4] = table! {
    "events" after []: events::after,
    /// What the process stored before it received something of others.
    "stores" after ["events"]: windows::learned,
    /// Requests have taken their buffers.
    "buffers" after ["events"]: inflight::after,
    /// The program's variable of a freed request, last: others compare it with what the MPI has stored.
    "freed" after ["events", "buffers"]: |s, code| inflight::restore_freed(s, code),
};

fn place(s: &mut CallContext<'_>, seen: &mut Seen<'_, '_>) {
    s.head_comm = seen.worked.place.id;
    s.open.freed = lifetimes::to_be_freed(s);
}

fn arguments(s: &mut CallContext<'_>, seen: &mut Seen<'_, '_>) {
    let Worked { place, gives, gets, .. } = seen.worked;
    let (gives, gets) = (gives.as_ref(), gets.as_ref());
    if seen.is_known {
        arguments::check_again(s, gives, gets);
    } else {
        arguments::check(s, place, gives, gets);
    }
}

fn declared(s: &mut CallContext<'_>, seen: &mut Seen<'_, '_>) {
    if !seen.is_known {
        seen.passed.emit(s, seen.caller, [seen.worked.gives.as_ref(), seen.worked.gets.as_ref()]);
    }
}

fn own_status(s: &mut CallContext<'_>, _: &mut Seen<'_, '_>) {
    // That of a received message is known by now.
    s.open.comm = s.head_comm;
    statuses::provide_own(s);
}

fn buffers(s: &mut CallContext<'_>, seen: &mut Seen<'_, '_>) {
    let Worked { place, gives, gets, .. } = seen.worked;
    inflight::before(s, place, gives.as_ref(), gets.as_ref());
}

fn objects(s: &mut CallContext<'_>, code: i32) {
    if code == 0 {
        lifetimes::after(s, s.open.freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in_order<F>(table: &[Step<F>]) {
        for (at, step) in table.iter().enumerate() {
            let before = |name: &str| table[..at].iter().any(|other| other.name == name);
            assert!(!before(step.name), "{} twice", step.name);
            for need in step.needs {
                assert!(before(need), "{} comes after {need}", step.name);
            }
        }
    }

    #[test]
    fn what_a_step_needs_comes_before_it() {
        is_in_order(&ENTRY);
        is_in_order(&BEFORE);
        is_in_order(&RETURN);
        is_in_order(&RESULT);
    }
}
