//! Parsers for `/proc`.

/// Processor time of one thread, from `schedstat`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SchedStat {
    /// Time on a processor, ns.
    pub run_ns: u64,
    /// Time ready to run without a processor, ns.
    pub wait_ns: u64,
}

/// `/proc/PID/schedstat`: time on a processor, time in a run queue, number of time slices.
pub(super) fn schedstat(text: &str) -> Option<SchedStat> {
    let mut words = text.split_whitespace();
    let mut next = || words.next()?.parse().ok();
    Some(SchedStat { run_ns: next()?, wait_ns: next()? })
}

/// Information about the first thread, from `/proc/PID/status`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub threads: u64,
    /// Processors that it may use.
    pub cpus: String,
    /// Voluntary and involuntary context switches.
    pub voluntary: u64,
    pub involuntary: u64,
}

pub(super) fn status(text: &str) -> Status {
    let mut found = Status::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let number = || value.trim().parse().unwrap_or(0);
        match key {
            "Threads" => found.threads = number(),
            "Cpus_allowed_list" => found.cpus = value.trim().to_owned(),
            "voluntary_ctxt_switches" => found.voluntary = number(),
            "nonvoluntary_ctxt_switches" => found.involuntary = number(),
            _ => {}
        }
    }
    found
}

/// The last processor of the first thread, from `/proc/PID/stat`.
pub(super) fn last_cpu(stat: &str) -> Option<u64> {
    // The second field is the name in parentheses and may contain anything.
    let rest = &stat[stat.rfind(')')? + 1..];
    rest.split_whitespace().nth(36)?.parse().ok()
}

/// Time of one processor, clock ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CpuTicks {
    pub cpu: u32,
    pub busy: u64,
    pub idle: u64,
    /// Ready to run, while the hypervisor ran something else.
    pub stolen: u64,
}

/// The lines `cpuN` of `/proc/stat`.
pub(super) fn cpu_ticks(text: &str) -> Vec<CpuTicks> {
    let line = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_whitespace();
        let cpu = words.next()?.parse().ok()?;
        let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let of = |at: usize| numbers.get(at).copied().unwrap_or(0);
        // user nice system idle iowait irq softirq steal; guests are in user.
        Some(CpuTicks { cpu, busy: of(0) + of(1) + of(2) + of(5) + of(6), idle: of(3) + of(4), stolen: of(7) })
    };
    let lines = text.lines().skip_while(|line| !line.starts_with("cpu")).skip(1);
    lines.take_while(|line| line.starts_with("cpu")).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_a_thread() {
        assert_eq!(schedstat("1200300 450 17\n"), Some(SchedStat { run_ns: 1_200_300, wait_ns: 450 }));
        assert_eq!(schedstat(""), None);
        assert_eq!(schedstat("12 x"), None);
    }

    #[test]
    fn switches_and_processors() {
        let text = "Name:\ta:b\nThreads:\t3\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n\
                    voluntary_ctxt_switches:\t41\nnonvoluntary_ctxt_switches:\t9\n";
        let wanted = Status { threads: 3, cpus: "0-1".into(), voluntary: 41, involuntary: 9 };
        assert_eq!(status(text), wanted);
        assert_eq!(status("nothing"), Status::default());
    }

    #[test]
    fn the_last_processor() {
        let fields: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        assert_eq!(last_cpu(&format!("7 (a) b) {}", fields.join(" "))), Some(39));
        assert_eq!(last_cpu("7 (a"), None);
    }

    #[test]
    fn time_of_processors() {
        let text = "cpu  30 1 2 80 5 0 1 4 0 0\ncpu0 20 1 2 40 5 1 1 4 2 0\ncpu3 10 0 0 40\nintr 5 0\ncpu9 1 1 1 1\n";
        let wanted =
            [CpuTicks { cpu: 0, busy: 25, idle: 45, stolen: 4 }, CpuTicks { cpu: 3, busy: 10, idle: 40, stolen: 0 }];
        assert_eq!(cpu_ticks(text), wanted);
        assert_eq!(cpu_ticks("intr 5"), []);
    }
}
