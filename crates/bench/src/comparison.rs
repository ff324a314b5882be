//! What is different between two profiles.

use std::collections::BTreeMap;
use std::path::Path;

use mpiscope_machine::{MachineError, Parameter, Profile, Scope, read, read_samples};
use mpiscope_statistics::{adjusted, compare as compare_samples, median, sorted};
use serde::Serialize;

use crate::intervals::of_ratio;

/// Probability, adjusted for the number of tests, below which samples differ.
const LEVEL: f64 = 0.05;
/// Smallest difference that counts, as a share.
const SMALLEST: f64 = 0.05;

/// Why profiles cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A profile or its samples cannot be read.
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(
        "the two profiles have nothing in common: no experiment was made with ranks of the same class, the same sizes and the same skew"
    )]
    /// No experiment, class of ranks and place on an axis is in both profiles.
    NothingInCommon,
}

/// Whether a number differs between profiles A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B is higher than A.
    Higher,
    /// B is lower than A.
    Lower,
    /// The difference can be chance, or is at most 5 %.
    NoDifferenceSeen,
}

/// A parameter in both profiles.
#[derive(Debug, PartialEq, Serialize)]
pub struct ParameterChange {
    /// Id of the experiment.
    pub experiment: String,
    /// The ranks: the class of a pair such as `same-l3`, one rank, or all ranks.
    pub class: String,
    /// Hops between the ranks of a pair, if they are known.
    pub hops: Option<u32>,
    /// Name of the parameter, such as `latency`.
    pub id: String,
    /// Unit of both values, as in [`Parameter::unit`].
    pub unit: String,
    /// For parameters of one protocol: its first and last size in the first profile.
    pub sizes: Option<(u64, u64)>,
    /// Value in the first profile.
    pub a: f64,
    /// Value in the second profile.
    pub b: f64,
    /// B divided by A; `None` if A is 0.
    pub ratio: Option<f64>,
    /// Whether B differs from A by more than 5 %, with intervals that do not overlap.
    pub verdict: Verdict,
    /// The machine was not quiet for one of them.
    pub disturbed: bool,
}

/// One size of a curve in both profiles.
#[derive(Debug, PartialEq, Serialize)]
pub struct CurveChange {
    /// Id of the experiment.
    pub experiment: String,
    /// The ranks: the class of a pair such as `same-l3`, one rank, or all ranks.
    pub class: String,
    /// Hops between the ranks of a pair, if they are known.
    pub hops: Option<u32>,
    /// What is timed, such as `ping-pong`.
    pub series: String,
    /// The place on the curve's axis.
    pub x: i64,
    /// Unit of `x`: `B`, or what is counted.
    pub unit: String,
    /// Median time of one operation in the first profile.
    pub a_ns: f64,
    /// Median time of one operation in the second profile.
    pub b_ns: f64,
    /// Median of B divided by that of A.
    pub ratio: f64,
    /// Lower end of its 95 % interval; `None` if a profile has fewer than 6 samples of it.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Probability that a time of B is larger than one of A; 0.5 means no effect.
    pub larger: f64,
    /// Probability of this by chance, adjusted for the number of sizes (Benjamini–Hochberg).
    pub p: f64,
    /// Whether `p` is below 5 % and the ratio differs from 1 by more than 5 %.
    pub verdict: Verdict,
}

/// Everything that is in both.
#[derive(Debug, PartialEq, Serialize)]
pub struct Differences {
    /// Version of the JSON object.
    pub format: u32,
    /// Settings that differ: name, first value, second value.
    pub settings: Vec<(String, String, String)>,
    /// Parameters with the same name, class and protocol.
    pub parameters: Vec<ParameterChange>,
    /// Places of curves with the same series, class and place on the axis.
    pub curves: Vec<CurveChange>,
}

/// The ranks of a number in both profiles: their class, and the hops between them.
type Ranks = (String, Option<u32>);
/// Experiment, ranks, series, place on the axis.
type Key = (String, Ranks, String, i64);

fn ranks_of(profile: &Profile, scope: Scope) -> Ranks {
    (profile.class_of(scope), profile.hops_of(scope))
}

/// Time over which the ranks' begins in an experiment were spread, ns.
fn skew_ns(profile: &Profile, experiment: &str) -> u64 {
    let of = profile.curves.iter().filter(|curve| curve.experiment == experiment);
    of.map(|curve| curve.skew_ns).max().unwrap_or(0)
}

/// Compares the profiles in two directories: parameters by their intervals, curves by their samples.
///
/// # Errors
///
/// If a profile or its samples cannot be read, or the two have nothing in common.
pub fn compare(a: &Path, b: &Path) -> Result<Differences, CompareError> {
    let (first, second) = (read(a)?, read(b)?);
    let (samples_a, samples_b) = (times(a, &first)?, times(b, &second)?);
    let is_comparable = |experiment: &str| skew_ns(&first, experiment) == skew_ns(&second, experiment);
    let mut curves = Vec::new();
    for ((experiment, ranks, series, place), x) in samples_a.iter().filter(|((id, ..), _)| is_comparable(id)) {
        let Some(y) = samples_b.get(&(experiment.clone(), ranks.clone(), series.clone(), *place)) else { continue };
        let Some(found) = compare_samples(x, y) else { continue };
        let (_, interval) = of_ratio(y, x, 2);
        curves.push(CurveChange {
            experiment: experiment.clone(),
            class: ranks.0.clone(),
            hops: ranks.1,
            series: series.clone(),
            x: *place,
            unit: unit(&first, experiment, series),
            a_ns: median(&sorted(x)),
            b_ns: median(&sorted(y)),
            ratio: found.ratio,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            larger: found.larger,
            p: found.p,
            verdict: Verdict::NoDifferenceSeen,
        });
    }
    let p = adjusted(&curves.iter().map(|curve| curve.p).collect::<Vec<_>>());
    for (curve, p) in curves.iter_mut().zip(p) {
        curve.p = p;
        curve.verdict = verdict(p < LEVEL, curve.ratio);
    }
    let mut parameters = parameters(&first, &second);
    parameters.retain(|parameter| is_comparable(&parameter.experiment));
    if curves.is_empty() && parameters.is_empty() {
        return Err(CompareError::NothingInCommon);
    }
    Ok(Differences { format: 1, settings: settings(&first, &second), parameters, curves })
}

fn verdict(is_certain: bool, ratio: f64) -> Verdict {
    match ratio {
        _ if !is_certain => Verdict::NoDifferenceSeen,
        ratio if ratio > 1.0 + SMALLEST => Verdict::Higher,
        ratio if ratio < 1.0 / (1.0 + SMALLEST) => Verdict::Lower,
        _ => Verdict::NoDifferenceSeen,
    }
}

/// Times without warm-up. Pairs are compared by class and hops: the ranks may be others.
fn times(directory: &Path, profile: &Profile) -> Result<BTreeMap<Key, Vec<f64>>, MachineError> {
    let mut found: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    let experiments: std::collections::BTreeSet<&str> =
        profile.curves.iter().map(|curve| curve.experiment.as_str()).collect();
    for experiment in experiments {
        for sample in read_samples(directory, experiment)?.into_iter().filter(|sample| !sample.warm_up) {
            let key = (experiment.to_owned(), ranks_of(profile, sample.scope), sample.series, sample.x);
            found.entry(key).or_default().push(sample.time_ns);
        }
    }
    Ok(found)
}

fn unit(profile: &Profile, experiment: &str, series: &str) -> String {
    let curve = profile.curves.iter().find(|curve| curve.experiment == experiment && curve.series == series);
    curve.map_or_else(String::new, |curve| curve.axis.unit.clone())
}

/// Parameters with the same name, ranks and place among those of this name: the first protocol with the first.
fn parameters(a: &Profile, b: &Profile) -> Vec<ParameterChange> {
    let listed = |profile: &Profile| -> BTreeMap<(String, Ranks, String, usize), Parameter> {
        let mut count: BTreeMap<(String, Ranks, String), usize> = BTreeMap::new();
        let mut found = BTreeMap::new();
        for parameter in &profile.parameters {
            let key = (parameter.experiment.clone(), ranks_of(profile, parameter.scope), parameter.id.clone());
            let nth = count.entry(key.clone()).or_default();
            found.insert((key.0, key.1, key.2, *nth), parameter.clone());
            *nth += 1;
        }
        found
    };
    let second = listed(b);
    let change = |((experiment, ranks, id, nth), x): ((String, Ranks, String, usize), Parameter)| {
        let y = second.get(&(experiment.clone(), ranks.clone(), id.clone(), nth))?;
        // Shares describe the fit, not the machine.
        (x.unit != "1").then_some(())?;
        let ratio = Some(y.value / x.value).filter(|ratio| ratio.is_finite());
        let apart = match (x.low.zip(x.high), y.low.zip(y.high)) {
            (Some(x), Some(y)) => x.1 < y.0 || y.1 < x.0,
            // A size is exact; another number without an interval had too few samples.
            _ => x.unit == "B" && x.value != y.value,
        };
        Some(ParameterChange {
            verdict: verdict(apart, ratio.unwrap_or(1.0)),
            sizes: x.from_bytes.zip(x.to_bytes),
            disturbed: x.disturbed || y.disturbed,
            unit: x.unit,
            a: x.value,
            b: y.value,
            ratio,
            experiment,
            class: ranks.0,
            hops: ranks.1,
            id,
        })
    };
    listed(a).into_iter().filter_map(change).collect()
}

fn settings(a: &Profile, b: &Profile) -> Vec<(String, String, String)> {
    let listed = |profile: &Profile| {
        let processor = profile.hosts.first().and_then(|host| host.processor.clone()).unwrap_or_default();
        let mut all = profile.settings.variables.clone();
        all.insert("MPI".into(), profile.mpi.version.clone());
        all.insert("processor".into(), processor);
        let level = if profile.settings.with_threads { "MPI_THREAD_MULTIPLE" } else { "MPI_THREAD_SINGLE" };
        all.insert("thread level".into(), level.into());
        all.insert("ranks".into(), profile.mpi.ranks.to_string());
        all.extend(profile.settings.topology.clone().map(|network| ("topology".to_owned(), network)));
        for curve in profile.curves.iter().filter(|curve| curve.skew_ns > 0) {
            let name = format!("skew of {}, which is not compared", curve.experiment);
            all.insert(name, mpiscope_units::time_of(curve.skew_ns as f64));
        }
        all
    };
    let (mut listed_a, mut listed_b) = (listed(a), listed(b));
    // Those of a profile of an older version are unknown.
    let variables = [&a.settings.control_variables, &b.settings.control_variables];
    if variables.iter().all(|variables| !variables.is_empty()) {
        for (listed, variables) in [&mut listed_a, &mut listed_b].into_iter().zip(variables) {
            listed.extend(variables.iter().map(|(name, value)| (name.clone(), value.to_string())));
        }
    }
    let (a, b) = (listed_a, listed_b);
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let value =
        |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned().unwrap_or_else(|| "not set".into());
    let both = names.into_iter().map(|name| (name.clone(), value(&a, name), value(&b, name)));
    both.filter(|(_, a, b)| a != b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::{Curve, Pair, Sample, write, write_samples};

    fn profile(directory: &Path, factor: f64, seed: u64, limit: f64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let parameter = |id: &str, value: f64, interval: Option<(f64, f64)>| Parameter {
            experiment: "pingpong".into(),
            id: id.into(),
            scope: Scope::Pair(0),
            value,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            ..Parameter::default()
        };
        let profile = Profile {
            format: 1,
            pairs: vec![Pair { class: "same-l3".into(), hops: None, ranks: [0, 1] }],
            curves: vec![Curve { experiment: "pingpong".into(), ..Curve::default() }],
            parameters: vec![
                parameter("latency", 500.0 * factor, Some((490.0 * factor, 510.0 * factor))),
                Parameter { unit: "B".into(), ..parameter("local_send_limit", limit, None) },
            ],
            ..Profile::default()
        };
        write(directory, &profile).unwrap();
        let sample = |at: u64| Sample {
            series: "ping-pong".into(),
            scope: Scope::Pair(0),
            x: 1 << (at % 4),
            // The largest size is the same in all profiles.
            time_ns: (500.0 + 20.0 * random.f64()) * if at % 4 == 3 { 1.0 } else { factor },
            ..Sample::default()
        };
        let samples: Vec<Sample> = (0..80).map(sample).collect();
        write_samples(directory, "pingpong", &samples).unwrap();
    }

    #[test]
    fn differences_are_found_and_others_are_not() {
        let dirs = [0, 1, 2].map(|_| tempfile::tempdir().unwrap());
        profile(dirs[0].path(), 1.0, 1, 4096.0);
        profile(dirs[1].path(), 1.0, 2, 4096.0);
        profile(dirs[2].path(), 1.3, 3, 16384.0);
        let same = compare(dirs[0].path(), dirs[1].path()).unwrap();
        assert!(same.curves.iter().all(|c| c.verdict == Verdict::NoDifferenceSeen), "{same:?}");
        assert!(same.parameters.iter().all(|p| p.verdict == Verdict::NoDifferenceSeen), "{same:?}");
        let other = compare(dirs[0].path(), dirs[2].path()).unwrap();
        let verdicts: Vec<Verdict> = other.curves.iter().map(|c| c.verdict).collect();
        use Verdict::*;
        assert_eq!(verdicts, [Higher, Higher, Higher, NoDifferenceSeen]);
        assert!(other.curves[0].low.unwrap() < 1.3 && 1.3 < other.curves[0].high.unwrap() + 0.02, "{other:?}");
        assert!(other.parameters.iter().all(|p| p.verdict == Higher), "{other:?}");
        let back = compare(dirs[2].path(), dirs[0].path()).unwrap();
        assert!(back.parameters.iter().all(|p| p.verdict == Lower), "{back:?}");
    }

    #[test]
    fn control_variables_are_settings_if_both_are_known() {
        let with = |value: Option<i64>| {
            let mut profile = Profile::default();
            profile.settings.control_variables.extend(value.map(|value| ("eager_limit".to_owned(), value)));
            profile
        };
        let differs = |a, b| settings(&with(a), &with(b)).len();
        assert_eq!([differs(Some(1), Some(2)), differs(Some(1), Some(1)), differs(Some(1), None)], [1, 0, 0]);
        assert_eq!(settings(&with(Some(1)), &with(Some(2)))[0], ("eager_limit".into(), "1".into(), "2".into()));
    }

    #[test]
    fn what_has_another_skew_is_not_compared() {
        let dirs = [0, 1].map(|_| tempfile::tempdir().unwrap());
        profile(dirs[0].path(), 1.0, 1, 4096.0);
        profile(dirs[1].path(), 1.3, 2, 4096.0);
        let mut skewed = read(dirs[1].path()).unwrap();
        skewed.curves[0].skew_ns = 100_000;
        write(dirs[1].path(), &skewed).unwrap();
        assert!(matches!(compare(dirs[0].path(), dirs[1].path()), Err(CompareError::NothingInCommon)));
        // Something else in both.
        for dir in &dirs {
            let mut profile = read(dir.path()).unwrap();
            let latency = profile.parameters[0].clone();
            profile.parameters.push(Parameter { experiment: "start".into(), ..latency });
            write(dir.path(), &profile).unwrap();
        }
        let found = compare(dirs[0].path(), dirs[1].path()).unwrap();
        assert_eq!((found.curves.len(), found.parameters.len()), (0, 1));
        let name = "skew of pingpong, which is not compared";
        assert_eq!(found.settings, [(name.to_owned(), "not set".to_owned(), "100 µs".to_owned())]);
        let same = compare(dirs[1].path(), dirs[1].path()).unwrap();
        assert!(same.curves.len() == 4 && same.settings.is_empty());
    }

    #[test]
    fn pairs_on_other_numbers_of_hops_are_not_compared() {
        let dirs = [0, 1].map(|_| tempfile::tempdir().unwrap());
        let put = |at: usize, hops: [Option<u32>; 2]| {
            let mut of = Profile { format: 1, ..Profile::default() };
            of.pairs = hops.map(|hops| Pair { class: "other-node".into(), hops, ranks: [0, 1] }).to_vec();
            of.curves = vec![Curve { experiment: "pingpong".into(), ..Curve::default() }];
            let latency = Parameter { experiment: "pingpong".into(), id: "latency".into(), ..Parameter::default() };
            let value = |pair: usize| 100.0 * (1.0 + pair as f64);
            of.parameters = [0, 1]
                .map(|pair| Parameter { scope: Scope::Pair(pair), value: value(pair), ..latency.clone() })
                .to_vec();
            write(dirs[at].path(), &of).unwrap();
            let sample = |at: usize| Sample { scope: Scope::Pair(at % 2), time_ns: value(at % 2), ..Sample::default() };
            write_samples(dirs[at].path(), "pingpong", &(0..40).map(sample).collect::<Vec<_>>()).unwrap();
        };
        put(0, [Some(1), Some(3)]);
        put(1, [Some(2), Some(3)]);
        let found = compare(dirs[0].path(), dirs[1].path()).unwrap();
        let three = ("other-node", Some(3));
        assert_eq!(found.curves.iter().map(|c| (c.class.as_str(), c.hops)).collect::<Vec<_>>(), [three]);
        assert_eq!(found.parameters.iter().map(|p| (p.class.as_str(), p.hops)).collect::<Vec<_>>(), [three]);
        assert_eq!((found.curves[0].a_ns, found.curves[0].b_ns), (200.0, 200.0));
        put(1, [None, Some(4)]);
        assert!(matches!(compare(dirs[0].path(), dirs[1].path()), Err(CompareError::NothingInCommon)));
    }

    #[test]
    fn profiles_without_common_numbers_are_refused() {
        let dirs = [0, 1].map(|_| tempfile::tempdir().unwrap());
        profile(dirs[0].path(), 1.0, 1, 1.0);
        write(dirs[1].path(), &Profile { format: 1, ..Profile::default() }).unwrap();
        assert!(matches!(compare(dirs[0].path(), dirs[1].path()), Err(CompareError::NothingInCommon)));
        assert!(matches!(compare(dirs[0].path(), Path::new("/none")), Err(CompareError::Machine(_))));
    }
}
