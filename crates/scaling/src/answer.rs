//! From sums of runs to what other numbers of ranks are predicted to take.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::fit::{Model, Point, REPETITIONS, Range};
use crate::notes::notes;
use crate::sums::{Asked, ScalingError, SiteSums, SizeRule, Sums};
use crate::term::At;

/// Call sites whose time is below this part of every run are modelled together.
const SMALL: f64 = 0.005;
/// Call sites that are modelled on their own.
const MOST_SITES: usize = 64;
/// Of the time in calls, what two runs of one program have at common call sites at least.
const LEAST_COMMON: f64 = 0.5;
/// Up to which number of ranks is searched where communication dominates.
pub const MOST_RANKS: u64 = 1_000_000;
/// Beyond so many times the largest run, a prediction is labelled.
const FAR: f64 = 8.0;
/// What is not known of parts of a run, as a part of its time.
const NOISE: f64 = 0.005;
/// Ranges are at least so wide, as a share on each side; with two sizes, nothing is seen of the scatter.
const LEAST_SHARE: f64 = 0.02;
const LEAST_SHARE_OF_TWO: f64 = 0.10;

/// How the work of a rank goes with the number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scaling {
    /// The same problem on more ranks.
    Strong,
    /// A problem that grows with the ranks.
    Weak,
    /// Neither is recognised.
    Neither,
}

/// A run as it was measured, mean over ranks, ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// How messages name it.
    pub run: String,
    /// Ranks.
    pub ranks: u64,
    /// Problem size, if given.
    pub size: Option<f64>,
    /// Time of the run.
    pub time_ns: f64,
    /// Outside of MPI.
    pub computing_ns: f64,
    /// What the rank that computes longest computes beyond the mean.
    pub imbalance_ns: f64,
    /// The rest: in MPI, also on the rank that computes longest.
    pub communication_ns: f64,
    /// What the models say for the time of this run.
    pub modelled_ns: f64,
}

/// What a number of ranks is predicted to take, mean over ranks, ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// Ranks.
    pub ranks: u64,
    /// Problem size, if the runs have one.
    pub size: Option<f64>,
    /// Time of the run.
    pub time_ns: Range,
    /// See [`Measured::computing_ns`].
    pub computing_ns: Range,
    /// See [`Measured::imbalance_ns`].
    pub imbalance_ns: Range,
    /// See [`Measured::communication_ns`].
    pub communication_ns: Range,
    /// Work for a unit of time and rank, compared with the smallest run; `None` if the problem size is unknown.
    pub efficiency: Option<Range>,
    /// Whether it is far beyond the largest run.
    pub is_far: bool,
}

/// From how many ranks communication takes longer than the computing of the busiest rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dominates {
    /// From so many; `None`: not below [`MOST_RANKS`].
    pub ranks: Option<u64>,
    /// Lower end of the range.
    pub low: Option<u64>,
    /// Upper end; `None`: not below [`MOST_RANKS`].
    pub high: Option<u64>,
    /// Whether the smallest run already shows it.
    pub is_measured: bool,
}

/// A call site over ranks and sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Site {
    /// C name; empty for all calls that are modelled together.
    pub call: String,
    /// Where.
    pub place: String,
    /// Time of a rank, ns.
    pub time: Model,
    /// Calls of a rank.
    pub calls: Model,
    /// Bytes of a rank.
    pub bytes: Model,
    /// The terms in words, the largest at the largest asked number of ranks first.
    pub growth: String,
    /// Time in the largest run, ns.
    pub measured_ns: f64,
    /// For each prediction, ns.
    pub predicted_ns: Vec<Range>,
}

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// What the runs show.
    pub scaling: Scaling,
    /// The exponent e of the computing of a rank: it goes with p^e between the smallest and the largest run.
    pub computing_exponent: f64,
    /// Runs, by ranks.
    pub measured: Vec<Measured>,
    /// Predictions, in the order of the questions.
    pub predicted: Vec<Predicted>,
    /// From which number of ranks communication dominates.
    pub dominates: Dominates,
    /// Computing of a rank, ns.
    pub computing: Model,
    /// What the busiest rank computes beyond the mean, ns.
    pub imbalance: Model,
    /// The time of the run as one quantity, ns: for comparison with the sum of the parts.
    pub whole: Model,
    /// Call sites, those first whose time grows most.
    pub sites: Vec<Site>,
    /// Computing before the calls of each call site, that first which takes longest in the largest prediction; empty if a run lacks events.
    pub computing_before: Vec<Site>,
    /// What weakens the evidence.
    pub notes: Vec<String>,
}

/// Models of all parts of a run.
struct Parts {
    computing: Model,
    imbalance: Model,
    whole: Model,
    sites: Vec<Site>,
    /// Empty if it is known as a whole only.
    before: Vec<Site>,
}

impl Parts {
    /// Sum of all call sites, by the models or one of their repetitions.
    fn in_calls(&self, repetition: Option<usize>, at: At) -> f64 {
        sum(&self.sites, repetition, at)
    }

    fn computing(&self, repetition: Option<usize>, at: At) -> f64 {
        match self.before.is_empty() {
            true => value(&self.computing, repetition, at),
            false => sum(&self.before, repetition, at),
        }
    }

    fn time(&self, repetition: Option<usize>, at: At) -> f64 {
        self.computing(repetition, at) + self.in_calls(repetition, at)
    }

    /// Waiting for the busiest rank is a part of the time in calls.
    fn imbalance(&self, repetition: Option<usize>, at: At) -> f64 {
        value(&self.imbalance, repetition, at).min(self.in_calls(repetition, at))
    }

    fn communication(&self, repetition: Option<usize>, at: At) -> f64 {
        self.in_calls(repetition, at) - self.imbalance(repetition, at)
    }

    fn range(&self, of: impl Fn(Option<usize>) -> f64, share: f64) -> Range {
        Range::new(of(None), (0..REPETITIONS).map(|repetition| of(Some(repetition))).collect(), share)
    }
}

fn sum(sites: &[Site], repetition: Option<usize>, at: At) -> f64 {
    sites.iter().fold(0.0, |sum, site| sum + value(&site.time, repetition, at))
}

fn value(model: &Model, repetition: Option<usize>, at: At) -> f64 {
    repetition.map_or_else(|| model.at(at), |repetition| model.repeated_at(repetition, at))
}

/// Predicts how long the program of these runs takes on other numbers of ranks.
///
/// # Errors
///
/// If the runs say nothing about it: see [`ScalingError`].
pub fn predict(runs: &[Sums], asked: &[Asked]) -> Result<Answer, ScalingError> {
    let rule = checked(runs)?;
    let asked: Vec<Asked> =
        asked.iter().map(|&of| Ok(Asked { size: rule.size_of(of)?, ..of })).collect::<Result<_, ScalingError>>()?;
    let mut runs: Vec<&Sums> = runs.iter().collect();
    runs.sort_by(|a, b| a.ranks.cmp(&b.ranks).then(a.size.unwrap_or(0.0).total_cmp(&b.size.unwrap_or(0.0))));
    let (smallest, largest) = (runs[0], runs[runs.len() - 1]);
    let places: Vec<At> = asked.iter().map(|of| rule.place(of.ranks, of.size)).collect();
    let last = places.iter().copied().max_by(|a, b| a.ranks.total_cmp(&b.ranks));
    let end = rule.place(largest.ranks, largest.size);
    let mut parts = models(&runs, rule, last.unwrap_or(end));

    let mut sizes: Vec<At> = runs.iter().map(|run| rule.place(run.ranks, run.size)).collect();
    sizes.dedup();
    let (scaling, computing_exponent) = recognised(&runs, rule);
    let least = if sizes.len() > 2 { LEAST_SHARE } else { LEAST_SHARE_OF_TWO };
    // The error of the cross-validation is that of one step; each doubling beyond the largest run may add it again.
    let residual = |run: &&Sums| (parts.time(None, rule.place(run.ranks, run.size)) / run.time_ns - 1.0).powi(2);
    let residual = (runs.iter().map(residual).sum::<f64>() / runs.len() as f64).sqrt();
    let share_at = |at: At| parts.whole.error.max(residual).max(least) * (1.0 + (at.ranks / end.ranks).log2().max(0.0));
    let work = |ranks: u64, size: Option<f64>| match (scaling, size) {
        (_, Some(size)) => Some(size / ranks as f64),
        (Scaling::Strong, None) => Some(1.0 / ranks as f64),
        (Scaling::Weak, None) => Some(1.0),
        (Scaling::Neither, None) => None,
    };
    let first_at = rule.place(smallest.ranks, smallest.size);
    let first: Vec<f64> =
        runs.iter().filter(|run| rule.place(run.ranks, run.size) == first_at).map(|run| run.time_ns).collect();
    let first_ns = first.iter().sum::<f64>() / first.len() as f64;
    let of_asked = |(of, &at): (&Asked, &At)| {
        let share = share_at(at);
        let mut time_ns = parts.range(|repetition| parts.time(repetition, at), share);
        // Two ways to the same number: where they differ, neither is certain.
        let whole = parts.whole.at(at);
        (time_ns.low, time_ns.high) = (time_ns.low.min(whole), time_ns.high.max(whole));
        let efficiency = work(smallest.ranks, smallest.size).zip(work(of.ranks, of.size)).map(|(before, after)| {
            let ratio = |ns: f64| first_ns / ns.max(1.0) * (after / before);
            Range { value: ratio(time_ns.value), low: ratio(time_ns.high), high: ratio(time_ns.low) }
        });
        Predicted {
            ranks: of.ranks,
            size: of.size,
            time_ns,
            computing_ns: parts.range(|repetition| parts.computing(repetition, at), share),
            imbalance_ns: parts.range(|repetition| parts.imbalance(repetition, at), share),
            communication_ns: parts.range(|repetition| parts.communication(repetition, at), share),
            efficiency,
            is_far: at.ranks > FAR * end.ranks,
        }
    };
    let predicted: Vec<Predicted> = asked.iter().zip(&places).map(of_asked).collect();
    let measured = runs.iter().map(|run| {
        let imbalance_ns = (run.busiest_ns - run.computing_ns).clamp(0.0, run.time_ns - run.computing_ns);
        Measured {
            run: run.run.clone(),
            ranks: run.ranks,
            size: run.size,
            time_ns: run.time_ns,
            computing_ns: run.computing_ns,
            imbalance_ns,
            communication_ns: run.time_ns - run.computing_ns - imbalance_ns,
            modelled_ns: parts.time(None, rule.place(run.ranks, run.size)),
        }
    });
    let measured: Vec<Measured> = measured.collect();
    let dominates = dominates(&parts, rule, smallest.ranks, largest.size, &measured[0]);
    for site in parts.sites.iter_mut().chain(&mut parts.before) {
        site.predicted_ns = places.iter().map(|&at| site.time.range_at(at)).collect();
    }
    let growth = |site: &Site| last.map_or(0.0, |at| site.time.at(at)) - site.time.at(end);
    parts.sites.sort_by(|a, b| growth(b).total_cmp(&growth(a)));
    let far = |site: &Site| site.time.at(last.unwrap_or(end));
    parts.before.sort_by(|a, b| far(b).total_cmp(&far(a)));
    let mut answer = Answer {
        scaling,
        computing_exponent,
        measured,
        predicted,
        dominates,
        computing: parts.computing,
        imbalance: parts.imbalance,
        whole: parts.whole,
        sites: parts.sites,
        computing_before: parts.before,
        notes: Vec::new(),
    };
    answer.notes = notes(&answer, sizes.len());
    Ok(answer)
}

/// Whether the runs can be compared, and how their problem sizes go with their ranks.
fn checked(runs: &[Sums]) -> Result<SizeRule, ScalingError> {
    let [first, .., last] = runs else { return Err(ScalingError::TooFew(runs.len())) };
    if let Some(run) = runs.iter().find(|run| run.ranks == 0 || run.time_ns <= 0.0) {
        return Err(ScalingError::Empty(run.run.clone()));
    }
    if runs.iter().all(|run| run.ranks == first.ranks) {
        return Err(ScalingError::SameRanks(last.ranks));
    }
    let largest = runs.iter().max_by_key(|run| run.ranks).unwrap_or(last);
    for run in runs {
        // One rank alone does not call what only others call, or waits for nothing.
        let share = common(largest, run).max(common(run, largest));
        if share < LEAST_COMMON {
            return Err(ScalingError::OtherProgram { a: run.run.clone(), b: largest.run.clone(), share });
        }
    }
    SizeRule::new(runs)
}

/// Of the time of `a` in calls, that at call sites which `b` has, too.
fn common(a: &Sums, b: &Sums) -> f64 {
    let is_common = |site: &&SiteSums| b.sites.iter().any(|of| (&of.call, &of.place) == (&site.call, &site.place));
    let sum = |sites: &mut dyn Iterator<Item = &SiteSums>| sites.fold(0.0, |sum, site| sum + site.time_ns);
    let all = sum(&mut a.sites.iter());
    if all > 0.0 { sum(&mut a.sites.iter().filter(is_common)) / all } else { 1.0 }
}

/// Models of computing and of each call site.
fn models(runs: &[&Sums], rule: SizeRule, far: At) -> Parts {
    // Of times; what is counted is known exactly.
    let noise = |run: &Sums| NOISE * run.time_ns;
    let of_runs = |value: fn(&Sums) -> f64| -> Vec<Point> {
        let at = |run: &Sums| rule.place(run.ranks, run.size);
        runs.iter().map(|run| Point { at: at(run), value: value(run).max(0.0), noise: noise(run) }).collect()
    };
    let model = |points: &[Point], seed: usize| Model::new(points, rule.is_free(), seed as u64);
    let sites = |rows: Vec<Row>, first_seed: usize| -> Vec<Site> {
        let of_site = |(at, row): (usize, Row)| {
            let points = |value: fn(&SiteSums) -> f64, noise: &dyn Fn(&Sums) -> f64| -> Vec<Point> {
                let point = |(run, sums): (&&Sums, &SiteSums)| Point {
                    at: rule.place(run.ranks, run.size),
                    value: value(sums),
                    noise: noise(run),
                };
                runs.iter().zip(&row.sums).map(point).collect()
            };
            let seed = 4 * at + first_seed;
            let time = model(&points(|sums| sums.time_ns, &noise), seed);
            Site {
                calls: model(&points(|sums| sums.calls, &|_| 0.0), seed + 1),
                bytes: model(&points(|sums| sums.bytes, &|_| 0.0), seed + 2),
                growth: time.text(far),
                time,
                measured_ns: row.sums.last().map_or(0.0, |sums| sums.time_ns),
                predicted_ns: Vec::new(),
                call: row.call,
                place: row.place,
            }
        };
        rows.into_par_iter().enumerate().map(of_site).collect()
    };
    let in_calls: Vec<Listed> = runs.iter().map(|run| (run.time_ns - run.computing_ns, &run.sites[..])).collect();
    let before: Option<Vec<Listed>> =
        runs.iter().map(|run| Some((run.computing_ns, run.computing_before.as_deref()?))).collect();
    Parts {
        computing: model(&of_runs(|run| run.computing_ns), 1),
        imbalance: model(&of_runs(|run| run.busiest_ns - run.computing_ns), 2),
        whole: model(&of_runs(|run| run.time_ns), 3),
        sites: sites(rows(runs, &in_calls), 8),
        before: before.map_or_else(Vec::new, |before| sites(rows(runs, &before), 1 << 16)),
    }
}

/// Call sites of a run, and the sum of their times as it is known of the whole run, ns.
type Listed<'a> = (f64, &'a [SiteSums]);

/// A call site with its sums in each run.
struct Row {
    call: String,
    place: String,
    sums: Vec<SiteSums>,
}

/// Call sites of all runs. Their times are scaled to the sum that is known: calls of several threads overlap.
fn rows(runs: &[&Sums], listed: &[Listed]) -> Vec<Row> {
    let mut found: BTreeMap<(&str, &str), Vec<SiteSums>> = BTreeMap::new();
    for (at, &(all_ns, sites)) in listed.iter().enumerate() {
        let sum: f64 = sites.iter().map(|site| site.time_ns).sum();
        let scale = if sum > 0.0 { all_ns.max(0.0) / sum } else { 0.0 };
        for site in sites {
            let row = found.entry((&site.call, &site.place)).or_insert_with(|| vec![SiteSums::default(); runs.len()]);
            row[at].calls += site.calls;
            row[at].bytes += site.bytes;
            row[at].time_ns += site.time_ns * scale;
        }
    }
    let row = |((call, place), sums): ((&str, &str), Vec<SiteSums>)| {
        let share = runs.iter().zip(&sums).map(|(run, of)| of.time_ns / run.time_ns).fold(0.0, f64::max);
        (share, Row { call: call.to_owned(), place: place.to_owned(), sums })
    };
    let mut rows: Vec<(f64, Row)> = found.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let large = rows.iter().take(MOST_SITES).filter(|row| row.0 >= SMALL).count();
    let mut others = vec![SiteSums::default(); runs.len()];
    for (sum, one) in rows.drain(large..).flat_map(|(_, row)| row.sums.into_iter().enumerate()) {
        others[sum].calls += one.calls;
        others[sum].bytes += one.bytes;
        others[sum].time_ns += one.time_ns;
    }
    let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    if others.iter().any(|of| of.calls > 0.0) {
        rows.push(Row { call: String::new(), place: "other calls".to_owned(), sums: others });
    }
    rows
}

/// Strong or weak scaling, and the exponent of computing.
fn recognised(runs: &[&Sums], rule: SizeRule) -> (Scaling, f64) {
    let points: Vec<(f64, f64)> =
        runs.iter().map(|run| ((run.ranks as f64).ln(), run.computing_ns.max(1.0).ln())).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>()
        / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    let scaling = match rule {
        SizeRule::Fixed(_) => Scaling::Strong,
        SizeRule::Proportional(_) => Scaling::Weak,
        SizeRule::Free => Scaling::Neither,
        SizeRule::Unknown if (-1.2..=-0.7).contains(&slope) => Scaling::Strong,
        SizeRule::Unknown if slope.abs() <= 0.2 => Scaling::Weak,
        SizeRule::Unknown => Scaling::Neither,
    };
    (scaling, slope)
}

/// From how many ranks communication takes longer than the busiest rank's computing. Where the size is free, it is that of the largest run.
fn dominates(parts: &Parts, rule: SizeRule, from: u64, size: Option<f64>, smallest: &Measured) -> Dominates {
    /// Steps in each doubling.
    const STEPS: i32 = 8;
    let is_above = |repetition: Option<usize>, ranks: u64| {
        let at = rule.place(ranks, size);
        let busiest = parts.computing(repetition, at) + parts.imbalance(repetition, at);
        parts.communication(repetition, at) > busiest
    };
    let first = |repetition: Option<usize>| -> Option<u64> {
        let mut below = from;
        if is_above(repetition, from) {
            return Some(from);
        }
        let mut step = 1;
        loop {
            let ranks = ((from as f64) * 2.0_f64.powf(f64::from(step) / f64::from(STEPS))).ceil() as u64;
            if ranks > MOST_RANKS {
                return None;
            }
            if is_above(repetition, ranks) {
                let (mut low, mut high) = (below, ranks);
                while high - low > 1 {
                    let middle = low.midpoint(high);
                    *(if is_above(repetition, middle) { &mut high } else { &mut low }) = middle;
                }
                return Some(high);
            }
            below = ranks;
            step += 1;
        }
    };
    let ranks = first(None);
    // Not below the limit is above all numbers.
    let mut others: Vec<u64> = (0..REPETITIONS)
        .map(|repetition| first(Some(repetition)).unwrap_or(u64::MAX))
        .chain([ranks.unwrap_or(u64::MAX)])
        .collect();
    others.sort_unstable();
    let cut = others.len() / 40;
    let known = |ranks: u64| (ranks != u64::MAX).then_some(ranks);
    Dominates {
        ranks,
        low: known(others[cut].min(ranks.unwrap_or(u64::MAX))),
        high: known(others[others.len() - 1 - cut].max(ranks.unwrap_or(u64::MAX))),
        is_measured: smallest.communication_ns > smallest.computing_ns + smallest.imbalance_ns,
    }
}
