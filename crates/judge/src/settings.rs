//! Settings of the judge.

/// See [`crate::Judge::new`]. Times are ns.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Processes of the first world, when it is known from the beginning.
    pub world_size: u32,
    /// A wait counts when its thread has reported no event for this time.
    pub quiet_ns: u64,
    /// How long a loop must poll without success, or a send that may be buffered must wait, before it counts as
    /// a wait.
    pub patience_ns: u64,
    /// The same for a loop that does something else, or sleeps, between its polls: it may be counting them.
    pub interval_patience_ns: u64,
    /// Processes that wait for each other, one of which may still give up or be released by a thread that has not called MPI, count as
    /// in a permanent deadlock when nothing has happened for this time, or for [`Settings::deadlock_timeout_ns`] if it is
    /// set.
    pub giving_up_ns: u64,
    /// No progress of any process for this time is a finding (`deadlock.timeout`); 0: never.
    pub deadlock_timeout_ns: u64,
    /// What works only because of buffering (`deadlock.buffering`).
    pub buffering: bool,
    /// Races of receives, and the order of accesses to windows and files.
    pub races: bool,
    /// How far the clocks of processes may differ.
    pub clock_error_ns: u64,
    /// Most processes whose order is tracked for that; further ones are left out.
    pub clocks: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            world_size: 0,
            quiet_ns: 40_000_000,
            patience_ns: 600_000_000,
            interval_patience_ns: 3_000_000_000,
            giving_up_ns: 10_000_000_000,
            deadlock_timeout_ns: 0,
            buffering: true,
            races: true,
            clock_error_ns: 1_000,
            clocks: 256,
        }
    }
}
