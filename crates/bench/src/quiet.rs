//! Whether the machine was quiet: what spoils a measurement, in words.

use mpiscope_machine::Host;

/// Cores that other processes may use: a daemon now and then.
const OTHERS_CORES: f64 = 0.1;
/// Share of time that a hypervisor may take.
const STOLEN_SHARE: f64 = 0.01;

/// Change of the processors' speed that counts, as a ratio: more than the precision that is wanted.
const SLOWDOWN: f64 = 1.05;

/// Whether a host has more ranks than processors.
pub fn is_crowded(host: &Host) -> bool {
    host.usable_cpus > 0 && host.ranks > host.usable_cpus
}

/// What spoils the numbers of a host, as sentences; none if it was quiet.
pub fn disturbances(host: &Host) -> Vec<String> {
    let name = &host.host;
    let mut found = Vec::new();
    if is_crowded(host) {
        found.push(format!(
            "{name} has {} ranks on {} processors: they wait for each other's time slices",
            host.ranks, host.usable_cpus
        ));
    }
    if host.others_cores > OTHERS_CORES {
        found.push(format!("other processes on {name} used {:.1} cores while the ranks measured", host.others_cores));
    }
    if host.stolen_share > STOLEN_SHARE {
        found.push(format!(
            "the hypervisor of {name} gave {} of the processors' time to something else",
            mpiscope_units::percent(host.stolen_share)
        ));
    }
    if host.throttled_s > 0.0 {
        found.push(format!(
            "a control group stopped processes of {name} for {}",
            mpiscope_units::time_of(host.throttled_s * 1e9)
        ));
    }
    if let Some(slowdown) = host.slowdown.filter(|slowdown| !(1.0 / SLOWDOWN..=SLOWDOWN).contains(slowdown)) {
        let (share, speed) = if slowdown > 1.0 { (slowdown - 1.0, "slower") } else { (1.0 / slowdown - 1.0, "faster") };
        found.push(format!(
            "the processors of {name} were {} {speed} at the end than at the beginning: their frequency changed",
            mpiscope_units::percent(share)
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spoils_a_measurement_is_named() {
        let quiet = Host { host: "n1".into(), usable_cpus: 4, ranks: 4, others_cores: 0.05, ..Host::default() };
        assert!(disturbances(&quiet).is_empty());
        let busy = Host {
            ranks: 5,
            others_cores: 1.26,
            stolen_share: 0.08,
            throttled_s: 0.5,
            slowdown: Some(1.12),
            ..quiet.clone()
        };
        assert_eq!(
            disturbances(&busy),
            [
                "n1 has 5 ranks on 4 processors: they wait for each other's time slices",
                "other processes on n1 used 1.3 cores while the ranks measured",
                "the hypervisor of n1 gave 8.0 % of the processors' time to something else",
                "a control group stopped processes of n1 for 500 ms",
                "the processors of n1 were 12.0 % slower at the end than at the beginning: their frequency changed",
            ]
        );
        let with = |slowdown: f64| disturbances(&Host { slowdown: Some(slowdown), ..quiet.clone() });
        assert!(with(1.04).is_empty() && with(0.97).is_empty());
        assert!(with(0.8)[0].contains("were 25.0 % faster at the end"), "{:?}", with(0.8));
    }
}
