//! What the program itself has stored in a window since others could last see it.

use mpiscope_abi::role::Role;
use mpiscope_trace::check::event::{Body, epoch};

use super::snapshot::{Piece, WindowSnapshot};
use super::touches::arm;
use crate::check::CallContext;

/// The program's own stores in a window.
#[derive(Default)]
pub struct Stores {
    /// The memory as others may access it.
    shown: WindowSnapshot,
    /// Offsets at which it changed before.
    changed: Vec<u64>,
    /// All stores since `MPI_Win_wait` are visible by comparison with `shown`.
    is_waited: bool,
}

impl Stores {
    /// For new memory.
    pub fn in_memory(address: u64, bytes: u64) -> Stores {
        Stores { shown: WindowSnapshot::snapshot(address, bytes), ..Stores::default() }
    }

    /// Offsets of earlier changes.
    pub fn places(&self) -> &[u64] {
        &self.changed
    }

    /// Whether all stores since `MPI_Win_wait` can be found.
    pub fn are_all_known(&self) -> bool {
        self.is_waited
    }

    /// From now on, it is unknown who makes changes.
    pub fn forget(&mut self) {
        self.shown.forget();
    }
}

/// The changes that this process made in its memory while others could access it.
pub fn stored(s: &mut CallContext<'_>, id: u32) {
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    let (pieces, content) = w.stores.shown.changed();
    w.stores.is_waited = false;
    let armed = std::mem::take(&mut w.armed);
    if !pieces.is_empty() {
        w.stores.changed = pieces.iter().map(|piece| piece.0).collect();
        s.emit(0, Body::Stored { window: id, pieces, content });
    }
    s.checker.flights.unwatch(armed);
}

/// A fence or `MPI_Win_post` has returned: others may access the window's memory.
pub fn exposed(s: &mut CallContext<'_>) {
    let id = s.window();
    let Some(w) = s.checker.windows.get_mut(&id).filter(|w| w.epochs.is_active()) else { return };
    w.stores.shown.keep();
    w.stores.is_waited = false;
    arm(s, id);
}

/// `MPI_Win_wait` has returned: stores from now on are forbidden if the process asserts for the next epoch that there are none.
pub fn waited(s: &mut CallContext<'_>) {
    let id = s.window();
    if let Some(w) = s.checker.windows.get_mut(&id) {
        w.stores.shown.keep();
        w.stores.is_waited = true;
    }
}

/// A call has returned that may have ordered the process after others. Its stores before the call are reported for windows that
/// others may access at any time under locks; later stores are reported separately.
pub fn learned(s: &mut CallContext<'_>, code: i32) {
    if s.checker.windows.is_empty() || code != 0 {
        return;
    }
    let has_met = s.open.blocking
        && matches!(
            s.view.plan.role,
            Role::Receive | Role::SendReceive | Role::MatchedReceive | Role::Collective(_) | Role::Complete
        );
    if !has_met && !s.open.requests.has_completed() {
        return;
    }
    let mut kept: Vec<(u32, Vec<Piece>, Vec<u8>)> = Vec::new();
    for (&id, w) in s.checker.windows.iter_mut() {
        if w.is_passive() && w.stores.shown.is_small() {
            let (pieces, content) = w.stores.shown.changed_since();
            w.stores.is_waited &= pieces.is_empty();
            kept.push((id, pieces, content));
        }
    }
    kept.sort_unstable_by_key(|(id, ..)| *id);
    let mut passive: Vec<u32> = s
        .checker
        .windows
        .iter()
        .filter(|(_, w)| !w.epochs.is_active() && !w.extent.parts().is_empty())
        .map(|(&id, _)| id)
        .collect();
    passive.sort_unstable();
    for id in passive {
        arm(s, id);
    }
    for (window, pieces, content) in kept {
        if !pieces.is_empty() {
            s.emit(0, Body::Stored { window, pieces, content });
        }
        s.emit(0, Body::Epoch { window, what: epoch::KEPT, assertion: 0, targets: Vec::new() });
    }
}
