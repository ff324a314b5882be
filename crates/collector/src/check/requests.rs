//! Requests: their operations and their states.

use mpiscope_trace::check::event::Body;

use super::inflight::{Buffers, Id};
use super::tracked::WordMap;

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Operations that end when it completes; a combined send and receive has two.
    pub ops: [u64; 2],
    /// A persistent request: each start gets new operations.
    pub persistent: bool,
    /// Started and not yet completed.
    pub active: bool,
    /// Events to write at each start, with operation 0; empty if other processes do not need them.
    pub start_events: Vec<(Body, u16)>,
    /// The function that created it.
    pub function: u16,
    /// Call site of its creation, or of its last start.
    pub site: u32,
    /// Call site of its creation.
    pub made: u32,
    /// Id of the communicator.
    pub comm: u32,
    /// A send: the program may reuse its buffer once something else proves that it is complete.
    pub sends: bool,
    /// `MPI_Cancel` was called for it.
    pub cancelled: bool,
    /// Call site at which another request was stored over its handle; 0 if none was.
    pub overwritten: u32,
    /// It waits for a message with any source or any tag.
    pub wild: bool,
    /// Address of the program's variable with the handle.
    pub kept_at: u64,
    /// `MPI_Grequest_complete` was called for this generalised request.
    pub is_reported_complete: bool,
    /// Which partitions of a send are marked; empty for a receive.
    pub partitions: Vec<bool>,
    /// Its buffers in flight.
    pub buffers: Buffers,
    /// The communicator that its operation creates; 0 if it creates none.
    pub makes: u64,
    /// The thread that waits for it, as its number plus 1; 0 if none does.
    pub waiter: u32,
    /// The datatype of the received data; 0 if it receives nothing.
    pub receives: u32,
}

/// Requests by handle. An MPI may use one handle for several requests at the same time, if they were complete from the beginning.
#[derive(Default)]
pub struct Requests {
    all: WordMap<u64, Vec<Request>>,
    next_op: u64,
}

impl Requests {
    /// A new operation number, from 1.
    pub fn new_op(&mut self) -> u64 {
        self.next_op += 1;
        self.next_op
    }

    /// Adds a new request.
    pub fn made(&mut self, handle: u64, request: Request) {
        self.all.entry(handle).or_default().push(request);
    }

    /// Whether any request had this handle.
    pub fn is_known(&self, handle: u64) -> bool {
        self.all.contains_key(&handle)
    }

    /// The index, among the requests with one handle, of the request whose variable is at this address.
    fn place(&self, handle: u64, kept_at: u64) -> Option<usize> {
        let list = self.all.get(&handle)?;
        list.iter().position(|r| r.kept_at == kept_at).or(if list.is_empty() { None } else { Some(0) })
    }

    /// The request with a handle.
    #[inline]
    pub fn get(&self, handle: u64, kept_at: u64) -> Option<&Request> {
        let place = self.place(handle, kept_at)?;
        self.all.get(&handle)?.get(place)
    }

    /// The same, mutable.
    #[inline]
    pub fn get_mut(&mut self, handle: u64, kept_at: u64) -> Option<&mut Request> {
        let place = self.place(handle, kept_at)?;
        self.all.get_mut(&handle)?.get_mut(place)
    }

    /// Completes a request, and returns it. Unless it is persistent, it is removed.
    pub fn completed(&mut self, handle: u64, kept_at: u64) -> Option<Request> {
        let place = self.place(handle, kept_at)?;
        let list = self.all.get_mut(&handle)?;
        if !list[place].persistent {
            return Some(list.remove(place));
        }
        let before = list[place].clone();
        list[place].active = false;
        Some(before)
    }

    /// The buffers that a completion ends. If several requests have this handle, all of them were complete from the beginning,
    /// and it is unknown which one the program means.
    pub fn take_buffers(&mut self, handle: u64, kept_at: u64) -> Vec<Id> {
        let Some(list) = self.all.get_mut(&handle) else { return Vec::new() };
        if list.len() > 1 {
            return list.iter_mut().flat_map(|r| r.buffers.take_active()).collect();
        }
        let place = self.place(handle, kept_at);
        let one = place.and_then(|at| self.all.get_mut(&handle)?.get_mut(at));
        one.map(|r| r.buffers.take_active()).unwrap_or_default()
    }

    /// Removes a request in any state.
    pub fn removed(&mut self, handle: u64, kept_at: u64) -> Option<Request> {
        let place = self.place(handle, kept_at)?;
        Some(self.all.get_mut(&handle)?.remove(place))
    }

    /// The handle may now mean any request.
    pub fn forget(&mut self, handle: u64, kept_at: u64) {
        self.removed(handle, kept_at);
        if self.all.get(&handle).is_some_and(Vec::is_empty) {
            self.all.remove(&handle);
        }
    }

    /// At this call site, another request is stored over the handle of an active one.
    pub fn overwrite(&mut self, handle: u64, kept_at: u64, site: u32) {
        if let Some(list) = self.all.get_mut(&handle)
            && let Some(one) = list.iter_mut().find(|r| r.kept_at == kept_at && r.active && r.overwritten == 0)
        {
            one.overwritten = site;
        }
    }

    /// Whether an active request creates a communicator.
    pub fn makes(&self, comm: u64) -> bool {
        self.all.values().flatten().any(|r| r.active && r.makes == comm)
    }

    /// Requests that still exist.
    pub fn left(&self) -> Vec<Request> {
        let mut left: Vec<Request> = self.all.values().flatten().cloned().collect();
        left.sort_by_key(|r| (r.ops[0], r.site));
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: u64, kept_at: u64, persistent: bool) -> Request {
        Request {
            ops: [op, 0],
            persistent,
            active: true,
            start_events: Vec::new(),
            function: 1,
            site: 0,
            made: 0,
            comm: 1,
            sends: true,
            cancelled: false,
            overwritten: 0,
            wild: false,
            kept_at,
            is_reported_complete: false,
            partitions: Vec::new(),
            buffers: Buffers::default(),
            makes: 0,
            waiter: 0,
            receives: 0,
        }
    }

    #[test]
    fn one_handle_for_several() {
        let mut requests = Requests::default();
        requests.made(7, request(1, 100, false));
        requests.made(7, request(2, 108, false));
        assert_eq!(requests.completed(7, 108).unwrap().ops[0], 2);
        // A copy of the handle.
        assert_eq!(requests.completed(7, 999).unwrap().ops[0], 1);
        assert!(requests.is_known(7) && requests.get(7, 100).is_none() && !requests.is_known(8));
    }

    #[test]
    fn persistent_ones_stay() {
        let mut requests = Requests::default();
        requests.made(7, request(1, 100, true));
        assert!(requests.completed(7, 100).unwrap().active);
        assert!(!requests.get(7, 100).unwrap().active);
        assert_eq!(requests.left().len(), 1);
        requests.removed(7, 100);
        assert!(requests.left().is_empty());
    }
}
