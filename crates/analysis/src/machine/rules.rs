//! The rules about the machine.

use crate::explanation::{Relations, Rule, Subject};

/// Rules of this part: findings that others follow from.
pub const RULES: &[Rule] = &[OVERSUBSCRIBED, CPU_LIMIT, BUSY_HOST, UNEVEN_FREQUENCY];

const MACHINE: Relations = Relations { subject: Subject::Machine, ..Relations::NONE };
const CORES: &str =
    "The run in which computing and the time of calls are shorter by the part in which the rank waited for a core.";

pub(super) const OVERSUBSCRIBED: Rule = Rule {
    id: "oversubscribed",
    what: "More ranks, or their threads, are ready to run than there are cores for them, so they take turns.",
    formula: "Cost: time in which the first thread of a rank was ready to run without a core (/proc/PID/schedstat). How much of it \
              is outside MPI is estimated from samples: in an interval with time M in MPI and W waiting for a core, at least \
              W − M and at most min(W, computing); the estimate spreads W over the time in which the rank was awake.",
    threshold: "5 % of the rank time on the host, and more ranks than processors in some set of processors, or more awake threads \
                than processors.",
    doubt: "Samples show how much of 20 ms (later: of 1/256 of the run) a rank ran, but not when. To check, run with as many \
            ranks as cores and compare (mpiscope diff).",
    saving: CORES,
    relations: MACHINE,
};

pub(super) const CPU_LIMIT: Rule = Rule {
    id: "cpu_limit",
    what: "A control group (of a container or a batch system) throttles ranks.",
    formula: "Cost: as for oversubscribed. The limit is cpu.max (version 2) or cpu.cfs_quota_us (version 1) of the control groups \
              of the ranks; their cpu.stat counts how often it is reached.",
    threshold: "5 % of the rank time on the host, at least a quarter of it while the group was throttled.",
    doubt: "Control groups that the ranks cannot see (outside a container) are reported as a busy host.",
    saving: CORES,
    relations: MACHINE,
};

pub(super) const BUSY_HOST: Rule = Rule {
    id: "busy_host",
    what: "Ranks wait for cores although there are enough for them: something else uses the host.",
    formula: "Cost: as for oversubscribed. Other use: busy time of the processors that ranks may use (/proc/stat) minus the time \
              that ranks ran, and the time that the hypervisor took (steal).",
    threshold: "5 % of the rank time on the host, or the same share stolen.",
    doubt: "Launchers and daemons count as other processes, too. In a container, /proc/stat may show less than there is.",
    saving: CORES,
    relations: MACHINE,
};

pub(super) const UNEVEN_FREQUENCY: Rule = Rule {
    id: "uneven_frequency",
    what: "Cores of one host run at different frequencies, so the same work takes different time.",
    formula: "Σ running of each rank × (1 − its frequency / the highest), by the processor it was on at each sample.",
    threshold: "10 % between the slowest and the fastest, 1 % of the rank time and 1 ms.",
    doubt: "Work that waits for memory does not take longer by the same factor. Where frequencies cannot be read (most virtual \
            machines), this rule reports nothing.",
    saving: "Not stated: which work waits for memory is not known.",
    relations: MACHINE,
};
