//! Processor time of this host over a stretch of time.

use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::cgroup::{Limits, Throttled};
use super::proc::{self, CpuTicks};

/// A stretch of time that has begun.
pub struct Loading {
    begun: Instant,
    before: Vec<CpuTicks>,
    limits: Limits,
    throttled: Option<Throttled>,
}

/// Processor time of a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Length of the stretch, s.
    pub wall_s: f64,
    /// Online processors.
    pub cpus: usize,
    /// Time in which they ran something, summed over processors, s.
    pub busy_s: f64,
    /// Time in which something was ready to run while the hypervisor ran something else, summed over processors, s.
    pub stolen_s: f64,
    /// Cores that a control group allows; `None` without such a limit.
    pub quota_cores: Option<f64>,
    /// Time for which the control group was throttled, s.
    pub throttled_s: f64,
}

impl Loading {
    /// Reads the counters of this host for the first time.
    pub fn begin() -> Loading {
        let limits = Limits::find();
        let throttled = limits.throttled();
        Loading { begun: Instant::now(), before: ticks(), limits, throttled }
    }

    /// The load since the beginning.
    pub fn so_far(&self) -> Load {
        // SAFETY: no memory is touched.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64;
        let throttled = self.limits.throttled().zip(self.throttled);
        let throttled_us = throttled.map_or(0, |(now, before)| now.us.saturating_sub(before.us));
        load(&self.before, &ticks(), self.begun.elapsed(), per_second, self.limits.quota_cores, throttled_us)
    }
}

fn load(
    before: &[CpuTicks],
    now: &[CpuTicks],
    wall: Duration,
    per_second: f64,
    quota_cores: Option<f64>,
    throttled_us: u64,
) -> Load {
    let grown = |of: fn(&CpuTicks) -> u64| {
        let of_cpu = |now: &CpuTicks| {
            let before = before.iter().find(|before| before.cpu == now.cpu)?;
            Some(of(now).saturating_sub(of(before)))
        };
        now.iter().filter_map(of_cpu).sum::<u64>() as f64 / per_second
    };
    Load {
        wall_s: wall.as_secs_f64(),
        cpus: now.len(),
        busy_s: grown(|cpu| cpu.busy),
        stolen_s: grown(|cpu| cpu.stolen),
        quota_cores,
        throttled_s: throttled_us as f64 / 1e6,
    }
}

fn ticks() -> Vec<CpuTicks> {
    proc::cpu_ticks(&fs::read_to_string("/proc/stat").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_summed() {
        let cpu = |cpu, busy, stolen| CpuTicks { cpu, busy, idle: 0, stolen };
        let before = [cpu(0, 100, 0), cpu(1, 50, 5)];
        // Processor 2 was added; its time before is unknown.
        let now = [cpu(0, 150, 0), cpu(1, 80, 25), cpu(2, 900, 0)];
        let found = load(&before, &now, Duration::from_secs(1), 100.0, None, 30_000);
        assert_eq!((found.busy_s, found.stolen_s, found.cpus, found.throttled_s), (0.8, 0.2, 3, 0.03));
    }

    #[test]
    fn this_host_has_processors() {
        let load = Loading::begin().so_far();
        assert!(load.cpus > 0 && load.wall_s >= 0.0, "{load:?}");
    }
}
