//! Samples one host; done by one `exec` on it.

use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use mpiscope_records::cores::{self, FORMAT, HostHead, HostLine};

use super::SamplerConfig;
use super::cgroup::{Limits, Throttled};
use super::frequency::Source;
use super::log::Log;
use super::proc::{self, CpuTicks};
use crate::clock::monotonic_ns;

/// Samples the host while it holds a name that only one `exec` of the host can hold.
pub(super) struct HostSampler {
    _leadership: UnixListener,
    log: Log,
    limits: Limits,
    frequency: Option<Source>,
    before: Vec<CpuTicks>,
    throttled_before: Option<Throttled>,
}

impl HostSampler {
    /// `None` if another `exec` does it.
    pub(super) fn lead(plan: &SamplerConfig) -> Option<Self> {
        let name = format!("mpiscope-cores-{}-{}", plan.run_id, plan.host);
        let leadership = UnixListener::bind_addr(&SocketAddr::from_abstract_name(name).ok()?).ok()?;
        let mut log = Log::open(plan, &cores::host_file(&plan.host)).ok()?;
        let (limits, frequency, before) = (Limits::find(), Source::find(), ticks());
        // SAFETY: no memory is touched.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        let head = HostHead {
            format: Some(FORMAT),
            host: plan.host.clone(),
            cpus: before.iter().map(|one| one.cpu).collect(),
            ticks_per_s: u64::try_from(per_second).unwrap_or(100),
            quota_cores: limits.quota_cores,
            frequency: frequency.map(|source| source.name().to_owned()),
        };
        log.line(&serde_json::to_string(&head).ok()?);
        let throttled_before = limits.throttled();
        let mut lead = Self { _leadership: leadership, log, limits, frequency, before, throttled_before };
        // Later lines count from here.
        lead.write(Vec::new());
        Some(lead)
    }

    pub(super) fn sample(&mut self) {
        let now = ticks();
        // Processors were added or removed: the lists would no longer match.
        if !now.iter().map(|one| one.cpu).eq(self.before.iter().map(|one| one.cpu)) {
            return;
        }
        self.write(now);
    }

    fn write(&mut self, now: Vec<CpuTicks>) {
        let grown = |of: fn(&CpuTicks) -> u64| -> Vec<u64> {
            now.iter().zip(&self.before).map(|(now, before)| of(now).saturating_sub(of(before))).collect()
        };
        let throttled = self.limits.throttled();
        let since = throttled.zip(self.throttled_before);
        let cpus: Vec<u32> = self.before.iter().map(|one| one.cpu).collect();
        let line = HostLine {
            at_us: monotonic_ns() / 1000,
            busy: grown(|one| one.busy),
            idle: grown(|one| one.idle),
            stolen: grown(|one| one.stolen),
            throttled: since.map(|(now, before)| now.times.saturating_sub(before.times)),
            throttled_us: since.map(|(now, before)| now.us.saturating_sub(before.us)),
            mhz: self.frequency.map(|source| source.mhz(&cpus)),
        };
        if let Ok(text) = serde_json::to_string(&line) {
            self.log.line(&text);
        }
        if !now.is_empty() {
            self.before = now;
        }
        self.throttled_before = throttled;
    }

    /// Takes a last sample, as the time since the previous one belongs to the run, too.
    pub(super) fn end(mut self) {
        self.sample();
        self.log.flush();
    }
}

fn ticks() -> Vec<CpuTicks> {
    proc::cpu_ticks(&fs::read_to_string("/proc/stat").unwrap_or_default())
}
