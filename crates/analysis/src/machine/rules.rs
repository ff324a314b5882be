//! Rules of this part.

use crate::rules::Rule;

/// Rules of this part: findings that others follow from.
pub const RULES: &[Rule] = &[
    Rule {
        id: "oversubscribed",
        what: "More ranks, or threads of them, want to run than they may use cores, so they take turns.",
        formula: "Cost: time in which the first thread of a rank was ready to run and on no core (/proc/PID/schedstat). What of it lies \
                  outside of MPI follows from the overlap of samples with computing: in a stretch with M in MPI and W waiting at \
                  least W − M and at most min(W, computing), the estimate spreads W over the time in which the rank was awake.",
        threshold: "5 % of the rank time on the host; more ranks than processors in some set of processors, or more threads awake \
                    than there are processors.",
        doubt: "Samples say how much of 20 ms (later: of 1/256 of the run) a rank ran, not when. Run with as many ranks as \
                there are cores and compare: mpiscope diff.",
    },
    Rule {
        id: "cpu_limit",
        what: "A control group (of a container or a batch system) holds ranks back.",
        formula: "Cost as that of oversubscribed. The limit is cpu.max (version 2) or cpu.cfs_quota_us (version 1) of the groups around \
                  the ranks, how often it is reached their cpu.stat.",
        threshold: "5 % of the rank time on the host, a quarter of it while the group was held back.",
        doubt: "Groups that the ranks do not see (outside of a container) count as a busy host.",
    },
    Rule {
        id: "busy_host",
        what: "Ranks wait for cores though they are no more than these: something else uses the host.",
        formula: "Cost as that of oversubscribed. Something else: busy time of the processors that ranks may use (/proc/stat) less what \
                  ranks ran; what the hypervisor took (steal).",
        threshold: "5 % of the rank time on the host, or as much stolen.",
        doubt: "Launchers and daemons are something else, too. In a container /proc/stat may show less than there is.",
    },
    Rule {
        id: "uneven_frequency",
        what: "Cores of one host run at different frequencies, so the same work takes different time.",
        formula: "Σ running of each rank × (1 − its frequency / the highest), by the processor it was on at each sample.",
        threshold: "10 % between the slowest and the fastest, 1 % of the rank time and 1 ms.",
        doubt: "Work that waits for memory does not take longer by the same factor. Where frequencies cannot be read (most virtual \
                machines) nothing is known of this.",
    },
];
