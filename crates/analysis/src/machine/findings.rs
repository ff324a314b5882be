//! Hosts whose ranks had to wait for cores.

use mpiscope_store::Dimensions;
use mpiscope_units::{percent, ranks_text, time};

use super::STARVED;
use super::rules::{BUSY_HOST, CPU_LIMIT, OVERSUBSCRIBED, UNEVEN_FREQUENCY};
use crate::explanation::machine::{HostUse, Machine, RankUse, Split};
use crate::explanation::{Confidence, Finding, Rule, Scope, Value, capital};
use crate::quality::draft::Draft;

/// Other processes are named if they keep at least this many cores busy.
const OTHER: f64 = 0.1;
/// Smaller differences between frequencies occur from moment to moment.
const UNEVEN: f64 = 0.9;
/// Share of the processor time in MPI from which advice is about polling.
const POLLING: f64 = 0.2;
/// A process that yields its core in each poll is switched far more often than the kernel's clock ticks.
const GIVING_WAY_PER_S: f64 = 1000.0;
/// Share of the waiting that a limit must cause.
const HELD_BACK: f64 = 0.25;
/// At most this many hosts are named.
const NAMED: usize = 4;

/// A finding and the hosts that it is about.
pub(super) struct HostFinding {
    /// What keeps its ranks from running; `None` where they run on slower cores.
    pub cause: Option<Cause>,
    pub finding: Finding,
    pub hosts: Vec<HostUse>,
}

impl HostFinding {
    pub fn ranks<'a>(&self, machine: &'a Machine) -> Vec<&'a RankUse> {
        machine.ranks.iter().filter(|rank| self.hosts.iter().any(|host| host.host == rank.host)).collect()
    }
}

/// What keeps ranks of a host from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Oversubscribed,
    CpuLimit,
    BusyHost,
}

impl Cause {
    fn rule(self) -> &'static Rule {
        match self {
            Cause::Oversubscribed => &OVERSUBSCRIBED,
            Cause::CpuLimit => &CPU_LIMIT,
            Cause::BusyHost => &BUSY_HOST,
        }
    }
}

pub(super) fn cause(host: &HostUse) -> Option<Cause> {
    let cores = host.cores_allowed.max(1) as f64;
    let tight = host.tightest_cores.max(1) as f64;
    // Ranks that mostly sleep do not take each other's cores.
    let shared = host.tightest_ranks > host.tightest_cores && host.wanted_cores > 0.9 * tight;
    let threads = host.wanted_cores > 1.05 * cores;
    let stolen = host.stolen_cores.unwrap_or(0.0);
    // What is missing without the hypervisor: if that is more than it takes, the ranks themselves are the cause.
    let missing = host.wanted_cores - if shared { tight } else { cores };
    if stolen >= STARVED * cores && stolen > missing {
        return Some(Cause::BusyHost);
    }
    if host.run_queue_share < STARVED {
        return None;
    }
    let queued_ns = host.run_queue_share * host.sampled_ns as f64 * host.ranks as f64;
    let held_back = host.throttled_ns.unwrap_or(0) as f64 >= HELD_BACK * queued_ns;
    if host.quota_cores.is_some_and(|quota| quota < cores) && held_back {
        return Some(Cause::CpuLimit);
    }
    Some(if shared || threads { Cause::Oversubscribed } else { Cause::BusyHost })
}

pub(super) fn find(dimensions: &Dimensions, machine: &Machine, scope: &Scope) -> Vec<HostFinding> {
    let mut found = Vec::new();
    for kind in [Cause::Oversubscribed, Cause::CpuLimit, Cause::BusyHost] {
        let hosts: Vec<HostUse> = machine.hosts.iter().filter(|host| cause(host) == Some(kind)).cloned().collect();
        if !hosts.is_empty() {
            found.push(starved(kind, hosts, dimensions, machine, scope));
        }
    }
    found.extend(uneven(machine, scope));
    found
}

fn starved(kind: Cause, hosts: Vec<HostUse>, dimensions: &Dimensions, machine: &Machine, scope: &Scope) -> HostFinding {
    let ranks: Vec<&RankUse> = machine.ranks.iter().filter(|r| hosts.iter().any(|h| h.host == r.host)).collect();
    let total = |of: fn(&RankUse) -> u64| ranks.iter().map(|r| of(r)).sum::<u64>();
    let stolen: f64 = hosts.iter().map(|h| h.stolen_cores.unwrap_or(0.0) * h.sampled_ns as f64).sum();
    let waited_ns = total(|r| r.main_run_queue_ns);
    let (sampled_ns, main_cpu_ns) = (total(|r| r.sampled_ns).max(1), total(|r| r.main_cpu_ns));
    let computing: Split = ranks.iter().map(|r| r.computing).sum();
    let host = &hosts[0];
    let where_ = match &hosts[..] {
        [one] => format!("host {}", one.host),
        many => format!("{} hosts ({}{})", many.len(), names(many), if many.len() > NAMED { ", …" } else { "" }),
    };
    let each = if hosts.len() > 1 { " each" } else { "" };
    let mut text = format!(
        "{}: ranks ran for {} of the time and waited for a core for {} of it, {} in total.",
        capital(&where_),
        percent(main_cpu_ns as f64 / sampled_ns as f64),
        percent(waited_ns as f64 / sampled_ns as f64),
        time(waited_ns)
    );
    if computing.computing_ns > 0 {
        text += &format!(
            " Of {} of apparent computing time, {} were waiting for a core (at least {}, at most {}).",
            time(computing.computing_ns),
            time(computing.waiting_ns),
            time(computing.waiting_least_ns),
            time(computing.waiting_most_ns)
        );
    }
    let in_mpi_ns = total(|r| r.running_in_mpi_ns);
    let polling = in_mpi_ns as f64 / main_cpu_ns.max(1) as f64;
    if polling >= POLLING {
        text += &format!(" {} of their processor time was spent in MPI.", percent(polling));
    }
    let other: f64 = hosts.iter().filter_map(|h| h.other_cores).sum::<f64>() / hosts.len() as f64;
    if kind != Cause::CpuLimit && host.throttled.unwrap_or(0) > 0 {
        text += &format!(" Their control group was throttled for {}.", time(host.throttled_ns.unwrap_or(0)));
    }
    if kind != Cause::BusyHost && other >= OTHER {
        text += &format!(" Other processes used {} of its cores.", cores(other));
    }
    let is_known = other >= OTHER || stolen > 0.0;
    let (title, advice, confidence) = match kind {
        Cause::Oversubscribed => {
            let advice = share_cores(host, &ranks, dimensions, polling, main_cpu_ns);
            (shared_title(host, each), advice, Confidence::High)
        }
        Cause::CpuLimit => {
            let quota = host.quota_cores.unwrap_or(0.0);
            text += &format!(
                " Their control group was throttled {} times, for {} in total.",
                host.throttled.unwrap_or(0),
                time(host.throttled_ns.unwrap_or(0))
            );
            let most = (quota.floor() as u64).max(1);
            let fewer =
                if most < host.ranks { format!("start at most {} here, or ", ranks_of(most)) } else { String::new() };
            let title = format!("A control group limits {} to {}{each}", ranks_of(host.ranks), cores_of(quota));
            let advice = format!(
                "{}request more cores: the limit is cpu.max (or cpu.cfs_quota_us) of the ranks' control group, which a container \
                 (docker run --cpus) or a batch system sets.",
                capital(&fewer)
            );
            (title, capital(&advice), Confidence::High)
        }
        Cause::BusyHost => {
            let by = match host.stolen_cores.unwrap_or(0.0) {
                taken if taken >= other.max(OTHER) => {
                    format!("The hypervisor gave {} cores to other machines", cores(taken))
                }
                _ if other >= OTHER => format!("Other processes used {} of {} cores", cores(other), host.cores_allowed),
                _ => "Ranks waited for cores although there are enough".to_owned(),
            };
            let advice = "Check what else runs there (top) and measure again without it; a batch system allocates whole hosts on \
                          request (srun --exclusive)."
                .to_owned();
            let confidence = if is_known { Confidence::Medium } else { Confidence::Low };
            (format!("{by}{each}"), advice, confidence)
        }
    };
    let mut draft =
        Draft::new(kind.rule(), confidence, scope, waited_ns.max(stolen as u64)).describe(title, text, advice);
    draft = draft
        .int("ranks", ranks.len() as u64)
        .int("cores", host.tightest_cores)
        .float("core_share", total(|r| r.cpu_ns) as f64 / sampled_ns as f64)
        .int("run_queue_ns", waited_ns)
        .int("computing_ns", computing.computing_ns)
        .int("computing_waiting_ns", computing.waiting_ns)
        .int("computing_waiting_least_ns", computing.waiting_least_ns)
        .int("computing_waiting_most_ns", computing.waiting_most_ns)
        .float("polling_share", polling)
        .float("other_cores", other)
        .list("hosts", hosts.iter().map(|h| Value::Text(h.host.clone())));
    let mut finding = draft.done();
    finding.ranks = ranks.iter().map(|r| r.rank).collect();
    HostFinding { cause: Some(kind), finding, hosts }
}

fn shared_title(host: &HostUse, each: &str) -> String {
    let on = if host.tightest_cores < host.cores_allowed { " (of those they may use)" } else { "" };
    if host.tightest_ranks > host.tightest_cores {
        return format!("{} share {}{on}{each}", ranks_of(host.tightest_ranks), cores_of(host.tightest_cores as f64));
    }
    format!(
        "Threads of {} ranks need {} cores, but only {} are available{each}",
        host.ranks,
        cores(host.wanted_cores),
        host.cores_allowed
    )
}

/// What helps where ranks share cores.
fn share_cores(host: &HostUse, ranks: &[&RankUse], dimensions: &Dimensions, polling: f64, main_cpu_ns: u64) -> String {
    let involuntary: f64 = ranks.iter().filter_map(|r| r.involuntary_switches).map(|n| n as f64).sum();
    let switches_per_s = involuntary / (main_cpu_ns as f64 / 1e9).max(1e-3);
    let gives_way = host.gives_way || switches_per_s >= GIVING_WAY_PER_S;
    let most = host.tightest_cores.max(1);
    let mut advice = if host.tightest_ranks <= host.tightest_cores {
        format!("Start fewer threads for each rank (OMP_NUM_THREADS): {} for all ranks together.", host.cores_allowed)
    } else if host.tightest_cores < host.host_cores.unwrap_or(0).max(host.cores_allowed) {
        "Spread the ranks over all cores: check what restricts them to these (the launcher's binding, a batch system, taskset).".to_owned()
    } else {
        format!("Start at most {} on this host (mpiscope run -n {most} …), or use more hosts.", ranks_of(most))
    };
    if polling >= POLLING && !gives_way && matches!(dimensions.mpi_family, "mpich" | "open-mpi") {
        let first = "To keep this number of ranks, use mpiscope run --yield …: waiting calls of this MPI then yield their core to \
                     ranks that have work.";
        advice = format!("{first} Better: {}{}", advice[..1].to_lowercase(), &advice[1..]);
    }
    advice
}

fn uneven(machine: &Machine, scope: &Scope) -> Option<HostFinding> {
    let uneven = |host: &&HostUse| host.mhz.is_some_and(|[low, high]| low < UNEVEN * high);
    let hosts: Vec<HostUse> = machine.hosts.iter().filter(uneven).cloned().collect();
    let host = hosts.first()?;
    let [low, high] = host.mhz?;
    let lost = |rank: &RankUse| -> f64 {
        let of = hosts.iter().find(|h| h.host == rank.host).and_then(|h| h.mhz);
        let slower = of.zip(rank.mhz).map_or(0.0, |([_, high], mhz)| (1.0 - mhz / high).max(0.0));
        rank.computing.running_ns as f64 * slower
    };
    let cost_ns = machine.ranks.iter().map(lost).sum::<f64>() as u64;
    if cost_ns < scope.threshold_ns() {
        return None;
    }
    let slow: Vec<i32> =
        machine.ranks.iter().filter(|r| r.mhz.is_some_and(|mhz| mhz < UNEVEN * high)).map(|r| r.rank).collect();
    let title = format!("Cores of {} run at {low:.0} to {high:.0} MHz", host.host);
    let text = format!(
        "{} ran on slower cores than others; at the highest frequency, their computing would have taken {} less.",
        capital(&ranks_text(&slow)),
        time(cost_ns)
    );
    let advice = "Give ranks on slower cores less to compute, or bind all ranks to cores of one frequency.".to_owned();
    let mut finding = Draft::new(&UNEVEN_FREQUENCY, Confidence::Low, scope, cost_ns)
        .describe(title, text, advice)
        .float("slowest_mhz", low)
        .float("fastest_mhz", high)
        .done();
    finding.cause_ranks = slow;
    Some(HostFinding { cause: None, finding, hosts })
}

/// `1 rank`, `2 ranks`.
pub(super) fn ranks_of(count: u64) -> String {
    if count == 1 { "1 rank".into() } else { format!("{count} ranks") }
}

/// `2`, `1.5`: cores need not be whole.
pub(super) fn cores(number: f64) -> String {
    if (number - number.round()).abs() < 0.05 { format!("{number:.0}") } else { format!("{number:.1}") }
}

/// `1 core`, `1.5 cores`.
pub(super) fn cores_of(count: f64) -> String {
    let text = cores(count);
    if text == "1" { "1 core".into() } else { format!("{text} cores") }
}

fn names(hosts: &[HostUse]) -> String {
    hosts.iter().take(NAMED).map(|h| h.host.as_str()).collect::<Vec<_>>().join(", ")
}
