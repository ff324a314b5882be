//! Frequencies of cores, where they are available.

use std::fs;
use std::path::PathBuf;

/// Where frequencies are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// `cpuN/cpufreq/scaling_cur_freq`: the kernel governs them.
    CpuFreq,
    /// `/proc/cpuinfo`, if the processor counts the cycles of each core. Otherwise the line is constant and the same for all
    /// cores, as in most virtual machines, and useless.
    CpuInfo,
}

impl Source {
    pub(super) fn find() -> Option<Self> {
        if scaling(0).exists() {
            return Some(Self::CpuFreq);
        }
        let text = fs::read_to_string("/proc/cpuinfo").ok()?;
        counts_cycles(&text).then_some(Self::CpuInfo)
    }

    /// The name in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CpuFreq => "cpufreq",
            Self::CpuInfo => "cpuinfo",
        }
    }

    /// Frequencies of these processors, MHz; 0 if unknown.
    pub(super) fn mhz(self, cpus: &[u32]) -> Vec<u32> {
        match self {
            Self::CpuFreq => {
                cpus.iter().map(|&cpu| scaled(&fs::read_to_string(scaling(cpu)).unwrap_or_default())).collect()
            }
            Self::CpuInfo => {
                let known = of_cpuinfo(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
                let of = |cpu: &u32| known.iter().find(|(known, _)| known == cpu).map_or(0, |(_, mhz)| *mhz);
                cpus.iter().map(of).collect()
            }
        }
    }
}

fn scaling(cpu: u32) -> PathBuf {
    format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq").into()
}

/// Converts kHz to MHz.
fn scaled(text: &str) -> u32 {
    text.trim().parse::<u32>().map_or(0, |khz| khz / 1000)
}

fn counts_cycles(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    flags.is_some_and(|line| line.split_whitespace().any(|flag| flag == "aperfmperf"))
}

fn of_cpuinfo(text: &str) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut cpu = None;
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        match key.trim() {
            "processor" => cpu = value.trim().parse().ok(),
            "cpu MHz" => found.extend(cpu.zip(value.trim().parse::<f64>().ok().map(|mhz| mhz as u32))),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_kernel() {
        let text =
            "processor\t: 0\nflags\t\t: fpu aperfmperf\ncpu MHz\t\t: 2596.120\n\nprocessor\t: 3\ncpu MHz\t\t: 1200.9\n";
        assert_eq!(of_cpuinfo(text), [(0, 2596), (3, 1200)]);
        assert!(counts_cycles(text));
        assert!(!counts_cycles("flags\t: fpu\n"));
        assert_eq!((scaled("2400123\n"), scaled("")), (2400, 0));
    }
}
