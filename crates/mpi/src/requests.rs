//! An array of requests with the width of the MPI's handles.

/// Requests that were started and not yet completed.
pub struct Requests {
    /// Aligned for both widths.
    words: Vec<u64>,
    width: usize,
    room: usize,
    len: usize,
}

impl Requests {
    pub(crate) fn new(room: usize, int_handles: bool) -> Requests {
        let width = if int_handles { 4 } else { 8 };
        Requests { words: vec![0; (room * width).div_ceil(8)], width, room, len: 0 }
    }

    /// Number of requests.
    pub fn count(&self) -> usize {
        self.len
    }

    /// The place of one more request.
    ///
    /// # Panics
    /// If there is no room for it.
    pub(crate) fn next(&mut self) -> *mut u8 {
        assert!(self.len < self.room, "more requests than room");
        self.len += 1;
        // SAFETY: below `room`.
        unsafe { self.first().add((self.len - 1) * self.width) }
    }

    pub(crate) fn first(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}

impl Requests {
    /// The place of a request.
    ///
    /// # Panics
    /// If there is no such request.
    pub(crate) fn at(&mut self, at: usize) -> *mut u8 {
        assert!(at < self.len, "no such request");
        // SAFETY: below the number of requests.
        unsafe { self.first().add(at * self.width) }
    }

    /// The handle of a request.
    ///
    /// # Panics
    /// If there is no such request.
    pub(crate) fn handle(&mut self, at: usize) -> usize {
        let place = self.at(at);
        // SAFETY: aligned to the width.
        unsafe {
            if self.width == 4 { place.cast::<u32>().read() as usize } else { place.cast::<u64>().read() as usize }
        }
    }
}

/// Persistent requests: made once, started many times.
pub struct Persistent(pub(crate) Requests);

impl Persistent {
    /// The place of each request.
    pub(crate) fn all(&mut self) -> Vec<*mut u8> {
        let (first, width) = (self.0.first(), self.0.width);
        // SAFETY: below the number of requests.
        (0..self.0.len).map(|at| unsafe { first.add(at * width) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_as_far_apart_as_handles_are_wide() {
        for (int_handles, width) in [(true, 4), (false, 8)] {
            let mut requests = Requests::new(3, int_handles);
            let (first, second) = (requests.next() as usize, requests.next() as usize);
            assert_eq!(second - first, width);
            assert_eq!(requests.count(), 2);
            // SAFETY: the place of the second one.
            unsafe { (second as *mut u32).write(0x9800_0001) };
            assert_eq!((requests.handle(0), requests.handle(1)), (0, 0x9800_0001));
            requests.clear();
            assert_eq!(requests.count(), 0);
        }
    }

    #[test]
    #[should_panic(expected = "more requests than room")]
    fn there_is_no_room_for_more() {
        Requests::new(0, true).next();
    }
}
