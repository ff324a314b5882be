//! What can be chosen.

/// See [`crate::Judge::new`]. Times are ns.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Processes of the first world, when it is known from the beginning.
    pub world_size: u32,
    /// A wait counts when its thread has said nothing for so long.
    pub quiet_ns: u64,
    /// So long a loop of tests and probes has to ask in vain, or a send that may be buffered has to wait, before it is
    /// taken for a wait.
    pub patience_ns: u64,
    /// The same for a loop that does something else, or sleeps, between its questions: it may be counting them.
    pub interval_patience_ns: u64,
    /// Processes that wait for each other, one of which may still give up or be helped by a thread that was not seen, are
    /// taken for stuck for good when nothing has happened for so long; [`Settings::deadlock_timeout_ns`], if there is one,
    /// instead.
    pub giving_up_ns: u64,
    /// No progress of any process for so long is a finding of its own (`deadlock.timeout`); 0 never.
    pub deadlock_timeout_ns: u64,
    /// What works only because of buffering (`deadlock.buffering`).
    pub buffering: bool,
    /// Races of receives, and order of accesses to windows and files, which need it.
    pub races: bool,
    /// How far clocks of processes may be apart.
    pub clock_error_ns: u64,
    /// Most processes whose order is followed for that; further ones are left out.
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
