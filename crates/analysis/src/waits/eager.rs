//! Which message sizes an MPI sends without waiting for the receiver.

/// Inferred from the run: a send that returned before its receive was posted was eager, and so are smaller ones.
#[derive(Clone, Copy, Debug)]
pub struct Eager {
    up_to_bytes: u64,
}

/// No known MPI waits for the receiver for messages this small, unless configured to. Open MPI's smallest limit is 4 KiB
/// (`btl_sm_eager_limit`), that of MPICH 16 KiB.
const ALWAYS_BYTES: u64 = 1024;
/// Clocks of two hosts may differ by this much.
const CLOCK_NS: u64 = 1_000;

impl Default for Eager {
    fn default() -> Eager {
        Eager { up_to_bytes: ALWAYS_BYTES }
    }
}

impl Eager {
    /// A send of this size was over at `done_end_ns`, its receive was posted at `posted_ns`.
    pub fn learn(&mut self, bytes: u64, done_end_ns: u64, posted_ns: u64) {
        if bytes > self.up_to_bytes && done_end_ns + CLOCK_NS < posted_ns {
            self.up_to_bytes = bytes;
        }
    }

    /// Whether messages of this size do not wait for the receiver.
    pub fn takes(&self, bytes: u64) -> bool {
        bytes <= self.up_to_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Eager;

    #[test]
    fn what_has_returned_early_was_eager() {
        let mut eager = Eager::default();
        assert!(eager.takes(1024) && !eager.takes(4000));
        eager.learn(4000, 10_000, 10_500);
        assert!(!eager.takes(4000), "within the error of clocks");
        eager.learn(4000, 10_000, 20_000);
        assert!(eager.takes(4000) && !eager.takes(4001));
    }
}
