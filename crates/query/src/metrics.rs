//! Metrics of a run by name, for assertions and comparisons.

use std::collections::BTreeMap;

use mpiscope_analysis::Explanation;
use mpiscope_run::Summary;

/// Metrics by name. Units are in the names.
pub type Metrics = BTreeMap<String, f64>;

/// All metrics of a run.
pub fn metrics(summary: &Summary, explanation: &Explanation) -> Metrics {
    let mut found = Metrics::new();
    let mut put = |name: String, value: f64| {
        *found.entry(name).or_insert(0.0) += value;
    };
    let o = &summary.overview;
    if let Some(wall) = o.wall_ns {
        put("wall_ns".into(), wall.max.value as f64);
    }
    if let Some(mpi) = o.mpi_share {
        put("mpi_share".into(), mpi.mean);
    }
    let (scope, time) = (&explanation.scope, &explanation.time);
    if scope.rank_time_ns > 0 {
        let share = |ns: u64| ns as f64 / scope.rank_time_ns as f64;
        put("rank_time_ns".into(), scope.rank_time_ns as f64);
        put("computing_share".into(), share(time.computing_ns));
        put("waiting_share".into(), share(time.waiting_ns));
        put("communicating_share".into(), share(time.communicating_ns));
    }
    if let Some(efficiency) = &explanation.efficiency {
        let w = &efficiency.whole;
        for (name, value) in [
            ("parallel_efficiency", w.parallel),
            ("load_balance", w.load_balance),
            ("communication_efficiency", w.communication),
            ("serialisation_efficiency", w.serialisation),
            ("transfer_efficiency", w.transfer),
        ] {
            if let Some(value) = value {
                put(name.into(), value);
            }
        }
    }
    put("findings".into(), explanation.findings.len() as f64);
    for finding in &explanation.findings {
        put(format!("finding.{}.share", finding.id), finding.share);
        put(format!("finding.{}.cost_ns", finding.id), finding.cost_ns as f64);
    }
    for wait in &explanation.waits {
        put(format!("wait.{}_ns", wait.id), wait.wait_ns as f64);
    }
    for call in &summary.calls {
        put(format!("call.{}.calls", call.call), call.sum.calls as f64);
        put(format!("call.{}.time_ns", call.call), call.sum.time_ns as f64);
        put(format!("call.{}.bytes", call.call), call.sum.bytes as f64);
    }
    for size in &summary.sizes {
        if let Some((low, high)) = size.bin.map(mpiscope_run::bin_range) {
            put(format!("size.{}.{low}-{high}.time_ns", size.call), size.sum.time_ns as f64);
            put(format!("size.{}.{low}-{high}.calls", size.call), size.sum.calls as f64);
        }
    }
    for site in &summary.sites {
        let place = site.frames.first().map(mpiscope_run::FrameRow::text).unwrap_or_default();
        put(format!("site.{} {place}.time_ns", site.call), site.sum.time_ns as f64);
    }
    found
}

/// `parallel_efficiency>=0.8`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    name: String,
    comparison: Comparison,
    bound: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

const SIGNS: [(&str, Comparison); 5] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("==", Comparison::Equal),
    (">", Comparison::Above),
    ("<", Comparison::Below),
];

impl std::str::FromStr for Assertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Assertion, String> {
        let (at, sign, comparison) = SIGNS
            .iter()
            .filter_map(|&(sign, comparison)| Some((text.find(sign)?, sign, comparison)))
            // `>=` before the `>` in it.
            .min_by_key(|&(at, sign, _)| (at, std::cmp::Reverse(sign.len())))
            .ok_or("give a metric, a comparison and a bound, such as 'parallel_efficiency>=0.8'")?;
        let (name, bound) = (text[..at].trim(), text[at + sign.len()..].trim());
        let (digits, scale) = bound.strip_suffix('%').map_or((bound, 1.0), |digits| (digits, 0.01));
        let bound: f64 = digits.trim().parse().map_err(|_| format!("'{bound}' is not a number"))?;
        if name.is_empty() || !bound.is_finite() {
            return Err(format!("'{text}' is not a comparison; give a metric, a comparison and a finite bound"));
        }
        Ok(Assertion { name: name.to_owned(), comparison, bound: bound * scale })
    }
}

/// The result of an assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not hold; the message.
    Fails(String),
    /// There is no such metric; the message.
    Unknown(String),
}

impl Assertion {
    /// Checks it. A finding or kind of wait that the run does not have counts as 0.
    pub fn check(&self, metrics: &Metrics) -> Verdict {
        let absent = ["finding.", "wait.", "call."].iter().any(|kind| self.name.starts_with(kind));
        let Some(value) = metrics.get(&self.name).copied().or(absent.then_some(0.0)) else {
            let mut names: Vec<&str> = metrics.keys().map(String::as_str).filter(|n| !n.contains('.')).collect();
            names.sort_unstable();
            return Verdict::Unknown(format!("unknown metric '{}'; known metrics: {}", self.name, names.join(", ")));
        };
        let holds = match self.comparison {
            Comparison::AtLeast => value >= self.bound,
            Comparison::AtMost => value <= self.bound,
            Comparison::Above => value > self.bound,
            Comparison::Below => value < self.bound,
            Comparison::Equal => value == self.bound,
        };
        let sign = SIGNS.iter().find(|(_, c)| *c == self.comparison).map_or("", |(sign, _)| sign);
        if holds {
            Verdict::Holds
        } else {
            Verdict::Fails(format!("{} is {value:.6}, not {sign} {}", self.name, self.bound))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions() {
        let metrics = Metrics::from([("waiting_share".into(), 0.25), ("findings".into(), 3.0)]);
        let check = |text: &str| text.parse::<Assertion>().unwrap().check(&metrics);
        assert_eq!(check("waiting_share <= 0.25"), Verdict::Holds);
        assert_eq!(check("waiting_share<30%"), Verdict::Holds);
        assert_eq!(check("findings>=4"), Verdict::Fails("findings is 3.000000, not >= 4".into()));
        assert_eq!(check("finding.late_sender.share<0.01"), Verdict::Holds);
        assert!(matches!(check("speed>1"), Verdict::Unknown(_)));
        assert!("parallel_efficiency".parse::<Assertion>().is_err());
        assert!("x>=much".parse::<Assertion>().is_err());
        assert!(">=1".parse::<Assertion>().is_err());
    }
}
