//! The outermost call that has begun: what was noted before it and is needed when it returns.

use super::completion::PendingRequests;
use super::replaced_arguments::Replaced;
use super::statuses::OwnStatus;
use super::view::CheckPlan;
use super::{events, inflight, windows};

/// The fields that all roles read, and a part for each role, whose content belongs to the files of that role.
#[derive(Default)]
pub struct PendingCall {
    pub plan: Option<&'static CheckPlan>,
    pub site: u32,
    /// Its communicator, window and file, and the handle that it frees: after the call, some handles are invalid.
    pub comm: u32,
    pub window: u32,
    pub file: u32,
    pub freed: Option<u64>,
    /// Some of its arguments are wrong.
    pub wrong: bool,
    /// It ends with a `Return` event.
    pub blocking: bool,
    /// It may receive a message with any source or tag.
    pub wild: bool,
    pub replaced: Replaced,
    pub own_status: OwnStatus,
    /// The events of sends, receives, collective operations and accesses.
    pub operation: events::Operation,
    pub probe: events::Probe,
    pub packing: events::Packing,
    pub requests: PendingRequests,
    pub windows: windows::Pending,
    pub buffers: inflight::Pending,
}

impl PendingCall {
    /// Prepares for the next call and keeps allocated memory. Field by field, because this runs for each call.
    #[inline]
    pub fn clear(&mut self) {
        let PendingCall {
            plan,
            site,
            comm,
            window,
            file,
            freed,
            wrong,
            blocking,
            wild,
            replaced,
            own_status,
            operation,
            probe,
            packing,
            requests,
            windows,
            buffers,
        } = self;
        (*plan, *site, *comm, *window, *file, *freed) = (None, 0, 0, 0, 0, None);
        (*wrong, *blocking, *wild) = (false, false, false);
        replaced.clear();
        own_status.clear();
        operation.clear();
        probe.clear();
        packing.clear();
        requests.clear();
        windows.clear();
        buffers.clear();
    }
}
