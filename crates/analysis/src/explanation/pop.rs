//! Efficiencies of the POP methodology.

use serde::Serialize;

/// Parallel efficiency and its factors, each between 0 and 1; `None` where there is nothing to divide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Efficiencies {
    /// Load balance × communication.
    pub parallel: Option<f64>,
    /// Mean over maximum of the ranks' computing time.
    pub load_balance: Option<f64>,
    /// Serialisation × transfer.
    pub communication: Option<f64>,
    /// Maximum computing time over the time on an ideal network: what dependencies cost.
    pub serialisation: Option<f64>,
    /// Time on an ideal network over elapsed time: what moving data and missing progress cost.
    pub transfer: Option<f64>,
}

/// What efficiencies are computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Computing time of each rank, ns.
    pub useful_ns: Vec<u64>,
    /// Elapsed time, ns.
    pub elapsed_ns: u64,
    /// Elapsed time on a network without latency and of infinite bandwidth, ns.
    pub ideal_ns: u64,
}

/// POP's multiplicative efficiencies.
///
/// ```text
/// load balance  = mean(useful) / max(useful)
/// serialisation = max(useful) / ideal
/// transfer      = ideal / elapsed
/// communication = serialisation × transfer = max(useful) / elapsed
/// parallel      = load balance × communication = mean(useful) / elapsed
/// ```
///
/// Source: POP Centre of Excellence, "Standard Metrics for Performance Analysis" (2015); Rosas, Giménez & Labarta,
/// "Scalability prediction for fundamental performance factors", Supercomputing Frontiers and Innovations 1 (2014).
pub fn efficiencies(times: &Times) -> Efficiencies {
    let max = times.useful_ns.iter().copied().max().unwrap_or(0);
    let sum: u64 = times.useful_ns.iter().sum();
    if max == 0 || times.elapsed_ns == 0 {
        return Efficiencies::default();
    }
    let ratio = |a: f64, b: f64| if b > 0.0 { (a / b).min(1.0) } else { 1.0 };
    let mean = sum as f64 / times.useful_ns.len() as f64;
    // Neither can be less than what the busiest rank computes, nor the ideal time more than the real one.
    let elapsed = times.elapsed_ns.max(max);
    let ideal = times.ideal_ns.clamp(max, elapsed);
    let load_balance = ratio(mean, max as f64);
    let serialisation = ratio(max as f64, ideal as f64);
    let transfer = ratio(ideal as f64, elapsed as f64);
    Efficiencies {
        parallel: Some(load_balance * serialisation * transfer),
        load_balance: Some(load_balance),
        communication: Some(serialisation * transfer),
        serialisation: Some(serialisation),
        transfer: Some(transfer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors() {
        let times = Times { useful_ns: vec![60, 40], elapsed_ns: 100, ideal_ns: 80 };
        let found = efficiencies(&times);
        let wanted = [0.5, 50.0 / 60.0, 0.6, 0.75, 0.8];
        let all = [found.parallel, found.load_balance, found.communication, found.serialisation, found.transfer];
        for (found, wanted) in all.into_iter().zip(wanted) {
            assert!((found.expect("a number") - wanted).abs() < 1e-9, "{found:?} {wanted}");
        }
        assert_eq!(efficiencies(&Times::default()), Efficiencies::default());
        assert_eq!(efficiencies(&Times { useful_ns: vec![0, 0], elapsed_ns: 10, ideal_ns: 10 }).parallel, None);
    }
}
