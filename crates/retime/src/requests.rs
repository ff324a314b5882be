//! Requests of calls that do not occur, because another call does what they did: calls that wait for them wait for its request.

use std::borrow::Cow;
use std::collections::VecDeque;

use mpiscope_trace::writer::Completed;
use rustc_hash::FxHashMap;

/// See the module. Calls are named by their rows.
///
/// Several requests may have one id at the same time (sends that are over at once, under MPICH). They are completed in the order in which they
/// were begun, as readers of a run take it; so those that stay as they were are noted, too.
#[derive(Default)]
pub(crate) struct Requests {
    /// By id, what was begun: the call that stands for the one that did it, or nothing if that is itself.
    open: FxHashMap<u32, VecDeque<Option<u64>>>,
    calls: FxHashMap<u64, Call>,
}

/// A call that stands for others.
#[derive(Default)]
struct Call {
    /// Its own request, once it has taken place; none if it does not make one.
    own: Option<u32>,
    has_taken_place: bool,
    is_completed: bool,
    /// Requests that lead here.
    left: usize,
}

impl Requests {
    fn begin(&mut self, request: u32, stands: Option<u64>) {
        self.open.entry(request).or_default().push_back(stands);
    }

    /// A call that made this request is as it was.
    pub fn stays(&mut self, request: Option<u32>) {
        if let Some(request) = request.filter(|&request| request != 0) {
            self.begin(request, None);
        }
    }

    /// A call that made this request does not occur; the call with the row `to` stands for it.
    pub fn is_gone(&mut self, request: Option<u32>, to: u64) {
        let Some(request) = request.filter(|&request| request != 0) else { return };
        self.begin(request, Some(to));
        self.calls.entry(to).or_default().left += 1;
    }

    /// The call with this row takes place, and makes this request.
    pub fn carries(&mut self, request: Option<u32>, row: u64) {
        let call = self.calls.entry(row).or_default();
        (call.own, call.has_taken_place) = (request.filter(|&request| request != 0), true);
        if let Some(own) = call.own {
            call.left += 1;
            self.begin(own, Some(row));
        } else if call.left == 0 {
            self.calls.remove(&row);
        }
    }

    /// The call that stands for the one that made this request first.
    fn end(&mut self, request: u32) -> Option<u64> {
        let begun = self.open.get_mut(&request)?;
        let stands = begun.pop_front();
        if begun.is_empty() {
            self.open.remove(&request);
        }
        stands.flatten()
    }

    /// What a call completes that completed these requests in the recorded run.
    pub fn completed<'a>(&mut self, all: &'a [Completed]) -> Cow<'a, [Completed]> {
        if self.open.is_empty() {
            return Cow::Borrowed(all);
        }
        let mut found = Vec::with_capacity(all.len());
        for of in all {
            let Some(row) = self.end(of.request) else {
                found.push(*of);
                continue;
            };
            let Some(call) = self.calls.get_mut(&row) else { continue };
            if let Some(request) = call.own.filter(|_| !call.is_completed) {
                // The status that was recorded is that of another message.
                found.push(Completed { request, ..Completed::default() });
                call.is_completed = true;
            }
            call.left -= 1;
            if call.left == 0 && call.has_taken_place {
                self.calls.remove(&row);
            }
        }
        Cow::Owned(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(found: &[Completed]) -> Vec<u32> {
        found.iter().map(|of| of.request).collect()
    }

    fn list(requests: &[u32]) -> Vec<Completed> {
        requests.iter().map(|&request| Completed { request, has_status: true, ..Completed::default() }).collect()
    }

    #[test]
    fn the_first_wait_for_one_of_them_waits_for_all() {
        let mut requests = Requests::default();
        // Sends 1 and 2 became part of send 3; receive 5 stands for receive 6, which comes after it.
        requests.is_gone(Some(1), 12);
        requests.is_gone(Some(2), 12);
        requests.carries(Some(3), 12);
        requests.carries(Some(5), 20);
        requests.is_gone(Some(6), 20);
        assert_eq!(ids(&requests.completed(&list(&[4]))), [4]);
        assert_eq!(ids(&requests.completed(&list(&[4, 2, 1]))), [4, 3]);
        assert!(requests.completed(&list(&[3])).is_empty());
        assert_eq!(ids(&requests.completed(&list(&[6, 5]))), [5]);
        assert!(requests.open.is_empty() && requests.calls.is_empty());
        // The ids are free again.
        assert_eq!(ids(&requests.completed(&list(&[1, 3]))), [1, 3]);
    }

    #[test]
    fn a_blocking_call_has_nothing_to_wait_for() {
        let mut requests = Requests::default();
        requests.is_gone(Some(1), 12);
        requests.is_gone(None, 12);
        requests.carries(None, 12);
        assert!(requests.completed(&list(&[1])).is_empty());
        assert!(requests.open.is_empty() && requests.calls.is_empty());
    }

    #[test]
    fn requests_with_one_id_are_completed_in_order() {
        let mut requests = Requests::default();
        requests.stays(Some(9));
        requests.is_gone(Some(9), 12);
        requests.carries(Some(9), 12);
        requests.stays(Some(9));
        let complete = |requests: &mut Requests| requests.completed(&list(&[9])).len();
        let found: Vec<usize> = (0..4).map(|_| complete(&mut requests)).collect();
        assert_eq!(found, [1, 1, 0, 1]);
        assert!(requests.open.is_empty() && requests.calls.is_empty());
    }
}
