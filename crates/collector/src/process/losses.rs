//! Counters of what is not recorded, in the header of the rank file.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Process;

impl Process {
    /// A request that got no id.
    pub fn count_lost_request(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).requests_lost });
    }

    /// A call that was not recorded because recording is paused or its probe is off.
    pub fn count_filtered(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).calls_filtered });
    }

    /// A call that found no room: of a thread without a region, or with new arguments in a full file
    /// system.
    pub fn count_without_room(&self) {
        self.bump(unsafe { &raw mut (*self.file.header).calls_without_thread });
    }

    fn bump(&self, counter: *mut u64) {
        // SAFETY: a counter in the mapped header.
        unsafe { AtomicU64::from_ptr(counter) }.fetch_add(1, Ordering::Relaxed);
    }
}
