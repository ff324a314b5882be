//! Requests: their operations and their states.

use mpiscope_trace::check::event::Body;

use super::inflight::{Buffers, Id};
use super::tracked::WordMap;

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Operations that its completion completes; a combined send and receive has two.
    pub ops: [u64; 2],
    /// Each start gets new ones.
    pub persistent: bool,
    /// Started, and not completed.
    pub active: bool,
    /// The event of a start, with operation 0; none if other processes do not need it.
    pub told: Vec<(Body, u16)>,
    /// Function that made it.
    pub function: u16,
    /// Where it was made, or started last.
    pub site: u32,
    /// Where it was made.
    pub made: u32,
    /// Communicator.
    pub comm: u32,
    /// A send: its buffer may be reused when something else proves that it is complete.
    pub sends: bool,
    /// It has been cancelled.
    pub cancelled: bool,
    /// Where another request was stored over its handle, 0 nowhere.
    pub overwritten: u32,
    /// Waits for a message that may be of any source or tag.
    pub wild: bool,
    /// Where the program keeps the handle.
    pub kept_at: u64,
    /// The program has completed the operation of this generalised request.
    pub said_complete: bool,
    /// Which of its partitions are marked; of a receive, none.
    pub partitions: Vec<bool>,
    /// Its buffers.
    pub buffers: Buffers,
    /// The communicator that its operation makes, 0 none.
    pub makes: u64,
    /// The thread that waits for it, 0 none, else its number and 1.
    pub waiter: u32,
    /// The datatype of what it receives, 0 when that is none.
    pub receives: u32,
}

/// Requests by handle. An MPI may give one handle to several requests at a time (what is complete from the
/// beginning).
#[derive(Default)]
pub struct Requests {
    all: WordMap<u64, Vec<Request>>,
    next_op: u64,
}

impl Requests {
    /// Number of a new operation, from 1.
    pub fn new_op(&mut self) -> u64 {
        self.next_op += 1;
        self.next_op
    }

    /// A request was made.
    pub fn made(&mut self, handle: u64, request: Request) {
        self.all.entry(handle).or_default().push(request);
    }

    /// Whether the handle has ever been one.
    pub fn is_known(&self, handle: u64) -> bool {
        self.all.contains_key(&handle)
    }

    /// Which of those with this handle is meant by the variable at an address.
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

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, handle: u64, kept_at: u64) -> Option<&mut Request> {
        let place = self.place(handle, kept_at)?;
        self.all.get_mut(&handle)?.get_mut(place)
    }

    /// Completed: its operation. A request that is not persistent ends.
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

    /// The flights that the completion of a request ends. Where one handle stands for several requests, the MPI has
    /// completed all of them from the beginning, and nobody can say which of them the program means.
    pub fn take_buffers(&mut self, handle: u64, kept_at: u64) -> Vec<Id> {
        let Some(list) = self.all.get_mut(&handle) else { return Vec::new() };
        if list.len() > 1 {
            return list.iter_mut().flat_map(|r| r.buffers.take_active()).collect();
        }
        let place = self.place(handle, kept_at);
        let one = place.and_then(|at| self.all.get_mut(&handle)?.get_mut(at));
        one.map(|r| r.buffers.take_active()).unwrap_or_default()
    }

    /// Gone, in whatever state.
    pub fn removed(&mut self, handle: u64, kept_at: u64) -> Option<Request> {
        let place = self.place(handle, kept_at)?;
        Some(self.all.get_mut(&handle)?.remove(place))
    }

    /// The meaning of the handle is now unknown.
    pub fn forget(&mut self, handle: u64, kept_at: u64) {
        self.removed(handle, kept_at);
        if self.all.get(&handle).is_some_and(Vec::is_empty) {
            self.all.remove(&handle);
        }
    }

    /// Another request is stored over the handle of one that is active, at a call site.
    pub fn overwrite(&mut self, handle: u64, kept_at: u64, site: u32) {
        if let Some(list) = self.all.get_mut(&handle)
            && let Some(one) = list.iter_mut().find(|r| r.kept_at == kept_at && r.active && r.overwritten == 0)
        {
            one.overwritten = site;
        }
    }

    /// Whether one that is active makes a communicator.
    pub fn makes(&self, comm: u64) -> bool {
        self.all.values().flatten().any(|r| r.active && r.makes == comm)
    }

    /// Those that are left.
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
            told: Vec::new(),
            function: 1,
            site: 0,
            made: 0,
            comm: 1,
            sends: true,
            cancelled: false,
            overwritten: 0,
            wild: false,
            kept_at,
            said_complete: false,
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
