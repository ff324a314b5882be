//! An operation begins to use its buffers.

use std::sync::Arc;

use mpiscope_abi::role::Role;

use super::arming::Armed;
use super::call_buffers::{is_there, meets};
use super::fingerprint::Print;
use super::flights::{Flight, ends};
use super::landing::is_near_edge;
use super::planned::Planned;
use super::races::Fibre;
use super::{Id, SHADOWS, arming, instruction_access, races, shadow};
use crate::check::CallContext;
use crate::check::view::{Slot, View};
use crate::config::Guard;

/// The accesses of the code after this call that are forbidden for this buffer: these are watched. Buffers of sends may be read.
#[cfg(target_arch = "x86_64")]
fn ahead_of(view: &View<'_>, buffer: (u64, u64), writes: bool) -> arming::Ahead {
    let touches = crate::check::next_accesses::touches(view, &[buffer]);
    // A vector at an edge may be one of what lies beside it: it would not count.
    let counts = |t: &mpiscope_codescan::Ahead| {
        (writes || t.stores) && (t.bytes <= arming::NUMBER || !is_near_edge((t.address, t.address + 8), buffer))
    };
    let of = |later| touches.iter().filter(|t| t.later == later && counts(t)).map(|t| t.address).collect();
    arming::Ahead { before: of(false), later: of(true) }
}

/// The following code is not decoded on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn ahead_of(_: &View<'_>, _: (u64, u64), _: bool) -> arming::Ahead {
    arming::Ahead::default()
}

/// An operation begins to use its buffers.
pub fn begin(s: &mut CallContext<'_>, planned: &[Planned], only: Option<(u64, u64)>, function: u16) -> Vec<Id> {
    let picked = |one: &Planned| {
        let n = one.layouts.len();
        match only {
            Some((low, high)) if n > 1 => low as usize..n.min(high as usize + 1),
            _ => 0..n,
        }
    };
    let mut is_reported = false;
    for one in planned {
        for layout in &one.layouts[picked(one)] {
            is_reported |= meets(s, one.base, layout, one.writes);
        }
    }
    let most = s.view.process.config.check_bytes;
    let target = if s.view.plan.role == Role::Access { s.view.number(Slot::Peer).unwrap_or(-1) } else { -1 };
    let mut ids = Vec::new();
    for one in planned {
        for layout in &one.layouts[picked(one)] {
            // Persistent requests may live longer than their memory.
            let readable = one.readable && is_there(one.base, layout);
            let flights = &mut s.checker.flights;
            let begun = (s.site, function);
            let print = if readable && flights.prints < most.saturating_mul(SHADOWS) {
                // SAFETY: its memory is ordinary; this was looked at when the operation was planned.
                Some(unsafe { Print::of(layout, one.base, most, flights.arms.is_suspect(begun)) })
            } else {
                flights.left_alone += u64::from(one.readable);
                None
            };
            if one.shadow != 0 && readable {
                // What the message does not reach keeps its value.
                // SAFETY: as above; the shadow is as large.
                unsafe { shadow::copy(layout, one.base, one.shadow, u64::MAX) };
            }
            flights.prints += print.as_ref().map_or(0, Print::room);
            let redirected = one.shadow != 0;
            // Writes of the MPI library cannot be distinguished from writes of the program.
            let only_program = (readable && (redirected || !one.writes)) || one.exposed;
            let rewritten = one.rewritten && !redirected;
            let armed = match s.view.process.config.guard {
                // Instrumented accesses have more information.
                Guard::First if instruction_access::is_wanted() => Armed::default(),
                _ if is_reported => Armed::default(),
                guard => {
                    let ahead = || ahead_of(&s.view, ends(one.base, layout), one.writes);
                    let most = if rewritten { 1 } else { arming::MOST_WORDS };
                    let begun = (begun, most);
                    flights.arms.arm(guard, (one.base, layout), one.writes, (only_program, redirected), begun, ahead)
                }
            };
            let wanted = (s.view.process.config.guard == Guard::All || instruction_access::is_wanted()) && !is_reported;
            let watched = wanted.then(|| instruction_access::watch(one.base, layout, !one.writes)).flatten();
            let fibre = if is_reported { None } else { races::begin(s, (one.base, layout), one.writes, function) };
            let flights = &mut s.checker.flights;
            let operation = fibre.as_ref().map(Fibre::operation);
            let id = flights.add(Flight {
                base: one.base,
                layout: Arc::clone(layout),
                writes: one.writes,
                print,
                shadow: one.shadow,
                block: None,
                site: s.site,
                function,
                message: one.message,
                is_list: one.is_list,
                is_reported,
                freed: false,
                exposed: one.exposed,
                rewritten,
                changed_before: false,
                target,
                watched,
                armed,
                touches: Vec::new(),
                fibre,
            });
            if let Some(operation) = operation {
                races::is_flight(flights, id, operation);
            }
            ids.push(id);
        }
    }
    ids
}
