//! The first line of a verdict, where the machine is the cause.

use mpiscope_units::percent;

use super::STARVED;
use super::findings::{Cause, HostFinding, cores, cores_of, ranks_of};
use crate::explanation::Scope;
use crate::explanation::machine::{HostUse, Machine, RankUse, Split};

/// Computing below this share of the time gets no number in the first line.
const LEAST_COMPUTING: f64 = 0.02;
/// If the bounds of the estimate are further apart than this, the first line has an exact number instead.
const VAGUE: f64 = 0.5;
/// Share of the cores that other processes must use to be named where ranks share cores.
const NAMED: f64 = 0.25;

/// `16 ranks on 2 cores: 0.13 cores per rank; 86.0 % of the apparent computing time was waiting for a core`.
pub(super) fn line(machine: &Machine, found: &[HostFinding], scope: &Scope) -> Option<String> {
    // A rank that only waits for others loses nothing by waiting for a core at the same time.
    let costs =
        |f: &&HostFinding| f.finding.savable_ns.is_none_or(|ns| ns as f64 >= STARVED * scope.rank_time_ns as f64);
    let first = found.iter().filter(costs).find(|f| f.cause.is_some())?;
    let host = first.hosts.first()?;
    let ranks = first.ranks(machine);
    let sampled: f64 = ranks.iter().map(|r| r.sampled_ns as f64).sum();
    // Half a hundredth is rounded up, as readers expect: 16 ranks on 2 cores have 0.13 each.
    let share = (ranks.iter().map(|r| r.cpu_ns as f64).sum::<f64>() / sampled.max(1.0) * 100.0 + 0.5).floor() / 100.0;
    let on = match first.cause {
        Some(Cause::Oversubscribed) => shared(host),
        Some(Cause::CpuLimit) => {
            format!("{} within a limit of {}", ranks_of(host.ranks), cores_of(host.quota_cores.unwrap_or(0.0)))
        }
        _ => busy(host),
    };
    let on = match first.hosts.len() {
        1 => on,
        many => format!("on {many} hosts {on}"),
    };
    let computing: Split = ranks.iter().map(|r| r.computing).sum();
    let width_ns = (computing.waiting_most_ns - computing.waiting_least_ns) as f64;
    let is_vague = width_ns > VAGUE * computing.computing_ns as f64;
    let lost = if is_vague || (computing.computing_ns as f64) < LEAST_COMPUTING * sampled {
        format!("ranks waited for a core {} of the time", percent(queue_share(&ranks)))
    } else {
        format!("{} of the apparent computing time was waiting for a core", percent(computing.waiting_share()))
    };
    Some(format!("{on}: {share:.2} cores per rank; {lost}"))
}

fn queue_share(ranks: &[&RankUse]) -> f64 {
    let sum = |of: fn(&RankUse) -> u64| ranks.iter().map(|r| of(r) as f64).sum::<f64>();
    sum(|r| r.main_run_queue_ns) / sum(|r| r.sampled_ns).max(1.0)
}

fn shared(host: &HostUse) -> String {
    if host.tightest_ranks > host.tightest_cores {
        let on = format!("{} on {}", ranks_of(host.tightest_ranks), cores_of(host.tightest_cores as f64));
        let other = host.other_cores.unwrap_or(0.0);
        return match other >= NAMED * host.cores_allowed as f64 {
            true => format!("{on}, of which other processes used {}", cores(other)),
            false => on,
        };
    }
    let wanted = cores(host.wanted_cores);
    format!("{} with {wanted} busy threads on {}", ranks_of(host.ranks), cores_of(host.cores_allowed as f64))
}

fn busy(host: &HostUse) -> String {
    let allowed = host.cores_allowed as f64;
    let on = format!("{} on {}", ranks_of(host.ranks), cores_of(allowed));
    let (other, stolen) = (host.other_cores.unwrap_or(0.0), host.stolen_cores.unwrap_or(0.0));
    match stolen >= other && stolen >= STARVED * allowed {
        true => format!("{on}, of which the hypervisor took {}", cores(stolen)),
        false if other >= 0.1 => format!("{on}, of which other processes used {}", cores(other)),
        false => on,
    }
}
