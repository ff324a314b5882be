//! Accesses to windows: their flights end with a synchronisation.

use mpiscope_abi::id;
use mpiscope_abi::role::{Epoch, Pattern, Role};

use super::Id;
use super::flights::{Flights, any};
use super::landing::look_ahead_of;
use crate::check::CallContext;
use crate::check::view::Slot;

/// What a call ends if it succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Accesses to all targets of a window.
    All(u32),
    /// Accesses to one target.
    Target(u32, i64),
}

/// What a synchronising call ends.
pub fn ends_of(s: &CallContext<'_>) -> Option<Ends> {
    let base = s.view.plan.base;
    let window = s.window();
    let target = s.view.number(Slot::Peer).unwrap_or(-1);
    Some(match s.view.plan.role {
        _ if window == 0 => return None,
        Role::Collective(Pattern::Fence) | Role::Epoch(Epoch::Complete) => Ends::All(window),
        Role::Epoch(Epoch::Unlock | Epoch::Flush) => match base {
            id::Win_unlock | id::Win_flush | id::Win_flush_local => Ends::Target(window, target),
            id::Win_unlock_all | id::Win_flush_all | id::Win_flush_local_all => Ends::All(window),
            _ => return None,
        },
        _ if base == id::Win_free => Ends::All(window),
        _ => return None,
    })
}

/// Takes accesses that a synchronisation has completed.
pub fn ended(flights: &mut Flights, ends: Ends) -> Vec<Id> {
    let (Ends::All(window) | Ends::Target(window, _)) = ends;
    let Some(mut ids) = flights.windows.remove(&window) else { return Vec::new() };
    let mut left = Vec::new();
    ids.retain(|&id| {
        let Some(flight) = flights.get(id) else { return false };
        let over = match ends {
            Ends::All(_) => true,
            Ends::Target(_, target) => flight.target == target,
        };
        if !over {
            left.push(id);
        }
        over
    });
    if !left.is_empty() {
        flights.windows.insert(window, left);
    }
    ids
}

/// Before the event of a call that synchronises a window: buffers of accesses that it ends may have changed.
pub fn ahead(s: &mut CallContext<'_>) {
    if s.view.process.config.check_buffers
        && any()
        && let Some(ends) = ends_of(s)
    {
        look_ahead_of(s, ends);
    }
}

/// Adds the flights of an access, which ends at the latest at a synchronisation of its window.
pub fn accessed(s: &mut CallContext<'_>, active: &[Id]) {
    let window = s.window();
    if window == 0 {
        return;
    }
    let flights = &mut s.checker.flights;
    let mut list = flights.windows.remove(&window).unwrap_or_default();
    // Requests may have ended most of those of a long epoch.
    if list.len() >= 1024 && list.len() + active.len() > list.capacity() {
        list.retain(|&id| flights.get(id).is_some());
    }
    list.extend(active);
    flights.windows.insert(window, list);
}
