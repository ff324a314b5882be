//! From the journal to the profile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mpiscope_machine::{Axis, Curve, CurvePoint, FORMAT, Profile, Sample, Scope, write, write_samples};
use mpiscope_statistics::{drift, median, second_mode, sorted, summary, warm_up};

use crate::error::BenchError;
use crate::experiment::EXPERIMENTS;
use crate::journal::{self, Batches, JOURNAL, Journal, Line, Measured};
use crate::point::{PRECISION, is_reached};
use crate::quiet::{disturbances, is_crowded};
use crate::{noise, pingpong, windows};

/// Probability of a trend below which it is reported.
const TREND: f64 = 0.001;

/// Makes the profile of a directory out of its journal, and removes the journal. `ended`: what ended the job before its end, for a
/// person.
///
/// # Errors
///
/// [`BenchError::Failed`] or [`BenchError::Nothing`] if there are no measurements, with the error that ended the job if a rank reported
/// one; if the journal cannot be read or removed, or the profile cannot be written.
pub fn make_profile(directory: &Path, ended: Option<&str>) -> Result<Profile, BenchError> {
    let mut profile = Profile { format: FORMAT, ..Profile::default() };
    let mut batches: BTreeMap<String, Batches> = BTreeMap::new();
    let mut facts: BTreeMap<String, BTreeMap<(Scope, String), f64>> = BTreeMap::new();
    let mut job_facts: BTreeMap<String, BTreeMap<(Scope, String), Vec<f64>>> = BTreeMap::new();
    // Experiments and series of which a job has one sample.
    let mut once = BTreeSet::new();
    let mut moved_by: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let mut loads = BTreeSet::new();
    let mut job = 0;
    let mut failed = None;
    for line in journal::read(directory)? {
        match line {
            Line::Begin { mpiscope, started_s, mpi, settings, hosts, ranks, pairs } => {
                profile =
                    Profile { mpiscope, started_s, ended_s: started_s, mpi, settings, hosts, ranks, pairs, ..profile };
            }
            Line::Sample { experiment, series, scope, x, moved, at_ns, operations, time_ns, ranks_ns, is_only } => {
                let sample = Sample {
                    series: series.clone(),
                    scope,
                    x: x as i64,
                    at_ns: at_ns as i64,
                    operations: operations as i64,
                    time_ns,
                    rank_min_ns: ranks_ns.map(|(min, _)| min),
                    rank_median_ns: ranks_ns.map(|(_, median)| median),
                    warm_up: false,
                };
                if is_only {
                    once.insert((experiment.clone(), series.clone()));
                }
                moved_by.entry(experiment.clone()).or_default().insert(series.clone(), moved);
                batches.entry(experiment).or_default().entry((scope, series, x)).or_default().push((job, sample));
            }
            Line::Fact { experiment, id, scope, value } => {
                if job > 0 {
                    let of_jobs = job_facts.entry(experiment.clone()).or_default();
                    of_jobs.entry((scope, id.clone())).or_default().push(value);
                }
                facts.entry(experiment).or_default().insert((scope, id), value);
            }
            Line::Launch => job += 1,
            Line::ControlVariables { values } => profile.settings.control_variables = values,
            Line::Staircase { staircase } => profile.staircases.push(staircase),
            Line::Problem { text } => profile.problems.push(text),
            Line::Load { host, others_cores, stolen_share, throttled_s, slowdown } => {
                for known in profile.hosts.iter_mut().filter(|known| known.host == host) {
                    (known.others_cores, known.stolen_share) = (others_cores, stolen_share);
                    (known.throttled_s, known.slowdown) = (throttled_s, Some(slowdown));
                }
                loads.insert(host);
            }
            Line::Failed { text } => failed = Some(text),
            Line::End { ended_s } => (profile.ended_s, profile.complete) = (ended_s, true),
            Line::Progress { .. } => {}
        }
    }
    let is_known = |scope: Scope| match scope {
        Scope::Pair(pair) => pair < profile.pairs.len(),
        Scope::Rank(rank) => (0..profile.mpi.ranks).contains(&rank),
        Scope::All => true,
    };
    batches.retain(|_, of| of.keys().all(|(scope, ..)| is_known(*scope)));
    if batches.is_empty() {
        return Err(match failed {
            Some(text) => BenchError::Failed(text),
            // The MPI lacks what all chosen experiments need.
            None if profile.complete => BenchError::NothingPossible(profile.problems.join("; ")),
            None => BenchError::Nothing(directory.into()),
        });
    }
    profile.problems.extend(failed);
    if !profile.complete {
        let why = ended.unwrap_or("the job ended early");
        profile.problems.push(format!("{why}: only what was measured until then is here"));
    }
    for host in &profile.hosts {
        profile.problems.extend(disturbances(host));
        if !loads.contains(&host.host) {
            profile.problems.push(format!("the load of {} while the ranks measured is unknown", host.host));
        }
    }
    // Also those without samples, which may have parameters.
    let ranks = (0..profile.mpi.ranks).map(Scope::Rank);
    let scopes = [Scope::All].into_iter().chain((0..profile.pairs.len()).map(Scope::Pair)).chain(ranks);
    let disturbed: BTreeSet<Scope> = scopes.filter(|&scope| is_disturbed(&profile, scope)).collect();
    for experiment in EXPERIMENTS {
        let Some(mut batches) = batches.remove(experiment.id) else { continue };
        let mut measured = Measured {
            pairs: profile.pairs.clone(),
            disturbed: disturbed.clone(),
            facts: facts.remove(experiment.id).unwrap_or_default(),
            job_facts: job_facts.remove(experiment.id).unwrap_or_default(),
            moved: moved_by.remove(experiment.id).unwrap_or_default(),
            ..Measured::default()
        };
        let mut curves: BTreeMap<(Scope, String), Curve> = BTreeMap::new();
        for (key, samples) in &mut batches {
            let (scope, series, x) = key;
            let mut times = Vec::new();
            // Each job begins with a warm-up of its own.
            for of_job in samples.chunk_by_mut(|(a, _), (b, _)| a == b) {
                let all: Vec<f64> = of_job.iter().map(|(_, sample)| sample.time_ns).collect();
                let dropped = warm_up(&all);
                of_job[..dropped].iter_mut().for_each(|(_, sample)| sample.warm_up = true);
                times.extend_from_slice(&all[dropped..]);
                if of_job[0].0 > 0 {
                    measured.jobs.entry(key.clone()).or_default().push(all[dropped..].to_vec());
                }
            }
            let curve = curves.entry((*scope, series.clone())).or_insert_with(|| {
                let axis = (experiment.axis)(series);
                Curve {
                    experiment: experiment.id.to_owned(),
                    series: series.clone(),
                    scope: *scope,
                    axis: Axis { name: axis.name.to_owned(), unit: axis.unit.to_owned() },
                    moved: measured.moved.get(series).copied().unwrap_or_default(),
                    skew_ns: measured.fact(Scope::All, windows::SKEW).unwrap_or_default() as u64,
                    points: Vec::new(),
                }
            });
            let settled: Vec<&Sample> = samples.iter().map(|(_, sample)| sample).filter(|of| !of.warm_up).collect();
            let mut point = point(*x, &settled, &times, samples.len() - settled.len());
            point.reached |= once.contains(&(experiment.id.to_owned(), series.clone()));
            curve.points.push(point);
            measured.times.insert(key.clone(), times);
        }
        profile.parameters.extend((experiment.parameters_of)(&measured));
        let unreached = curves.values().flat_map(|curve| &curve.points).filter(|point| !point.reached).count();
        if unreached > 0 {
            profile.problems.push(format!(
                "{}: the time budget of {} ended before the 95 % interval of the median was within {} at {}",
                experiment.id,
                mpiscope_units::time_of(profile.settings.budget_s * 1e9),
                mpiscope_units::percent(PRECISION),
                mpiscope_units::counted(unreached as u64, "size(s)"),
            ));
        }
        profile.curves.extend(curves.into_values());
        let samples: Vec<Sample> = batches.into_values().flatten().map(|(_, sample)| sample).collect();
        write_samples(directory, experiment.id, &samples)?;
    }
    let is_crowded_on = |rank: i32| {
        let place = profile.ranks.iter().find(|place| place.rank == rank);
        place.is_none_or(|place| profile.hosts.iter().any(|host| host.host == place.host && is_crowded(host)))
    };
    // Ranks that take turns have as much as the scheduler gives them.
    let slow = noise::slow::problem(&profile.parameters, |rank| !is_crowded_on(rank));
    profile.problems.extend(slow);
    profile.problems.extend(pingpong::slow::problem(&profile.parameters));
    write(directory, &profile)?;
    let path = directory.join(JOURNAL);
    std::fs::remove_file(&path).map_err(|error| BenchError::Write { path, why: error.to_string() })?;
    Ok(profile)
}

/// Adds to the journal of a job that has ended what a reader of its numbers has to consider.
///
/// # Errors
///
/// If the journal cannot be written.
pub fn add_problem(directory: &Path, text: String) -> Result<(), BenchError> {
    Journal::append(directory)?.write(&[Line::Problem { text }])
}

/// Whether a host of these ranks was not quiet, or it is unknown whether it was.
fn is_disturbed(profile: &Profile, scope: Scope) -> bool {
    let is_of = |rank: i32| match scope {
        Scope::Pair(pair) => profile.pairs.get(pair).is_some_and(|pair| pair.ranks.contains(&rank)),
        Scope::Rank(only) => rank == only,
        Scope::All => true,
    };
    let on = |host: &str| profile.ranks.iter().any(|place| is_of(place.rank) && place.host == host);
    let mut hosts = profile.hosts.iter().filter(|host| on(&host.host));
    !profile.complete || hosts.any(|host| !disturbances(host).is_empty())
}

/// `times` are those of `samples`, which are without the `warm_up` samples before them.
fn point(x: u64, samples: &[&Sample], times: &[f64], warm_up: usize) -> CurvePoint {
    let all = summary(times);
    let of_ranks = |time: fn(&Sample) -> Option<f64>| {
        let times: Vec<f64> = samples.iter().copied().filter_map(time).collect();
        (!times.is_empty()).then(|| median(&sorted(&times)))
    };
    let trend = drift(times).filter(|trend| trend.p < TREND && trend.share.abs() > PRECISION);
    let second = second_mode(times);
    CurvePoint {
        x,
        median_ns: all.median,
        low_ns: all.interval.map(|(low, _)| low),
        high_ns: all.interval.map(|(_, high)| high),
        min_ns: all.min,
        p05_ns: all.p05,
        p95_ns: all.p95,
        max_ns: all.max,
        rank_min_ns: of_ranks(|sample| sample.rank_min_ns),
        rank_median_ns: of_ranks(|sample| sample.rank_median_ns),
        samples: times.len() as u64,
        warm_up: warm_up as u64,
        operations: samples.last().map_or(0, |sample| sample.operations as u64),
        reached: is_reached(times),
        drift_share: trend.map(|trend| trend.share),
        second_mode_ns: second.map(|modes| modes.high),
        second_mode_share: second.map(|modes| modes.high_share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::{Host, MpiFacts, Pair, RankPlace, Settings, read, read_samples};

    fn begin(ranks: usize) -> Line {
        Line::Begin {
            mpiscope: "0.1.0".into(),
            started_s: 100,
            mpi: MpiFacts::default(),
            settings: Settings { budget_s: 3.0, ..Settings::default() },
            hosts: vec![Host { host: "n".into(), usable_cpus: 2, ranks, ..Host::default() }],
            ranks: (0..2).map(|rank| RankPlace { rank, host: "n".into(), cpus: "0-1".into() }).collect(),
            pairs: vec![Pair { class: "same-l3".into(), hops: None, ranks: [0, 1] }],
        }
    }

    fn samples(count: u64) -> Vec<Line> {
        let sample = |at: u64| Line::Sample {
            experiment: "pingpong".into(),
            series: "ping-pong".into(),
            scope: Scope::Pair(0),
            x: 8,
            moved: 1.0,
            at_ns: at,
            operations: 10,
            time_ns: if at == 0 { 900.0 } else { 100.0 + (at % 3) as f64 },
            ranks_ns: None,
            is_only: false,
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn a_complete_journal_becomes_a_profile() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path()).unwrap();
        journal.write(&[begin(2)]).unwrap();
        journal.write(&samples(30)).unwrap();
        let load =
            Line::Load { host: "n".into(), others_cores: 0.0, stolen_share: 0.0, throttled_s: 0.0, slowdown: 1.0 };
        journal.write(&[load, Line::End { ended_s: 103 }]).unwrap();
        let made = make_profile(dir.path(), None).unwrap();
        assert_eq!(made, read(dir.path()).unwrap());
        assert!(made.complete && made.problems.is_empty(), "{:?}", made.problems);
        let point = &made.curves[0].points[0];
        assert_eq!((point.warm_up, point.samples, point.median_ns, point.max_ns), (1, 29, 101.0, 102.0));
        assert!(point.reached && !made.parameters[0].disturbed);
        let kept = read_samples(dir.path(), "pingpong").unwrap();
        assert_eq!(kept.iter().filter(|sample| sample.warm_up).count(), 1);
        assert!(!dir.path().join(JOURNAL).exists());
    }

    #[test]
    fn each_job_has_a_warm_up_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        Journal::create(dir.path()).unwrap().write(&[begin(2), Line::End { ended_s: 103 }]).unwrap();
        for _ in 0..2 {
            let mut journal = Journal::append(dir.path()).unwrap();
            journal.write(&[Line::Launch]).unwrap();
            journal.write(&samples(30)).unwrap();
        }
        add_problem(dir.path(), "one more".into()).unwrap();
        let made = make_profile(dir.path(), None).unwrap();
        let point = &made.curves[0].points[0];
        assert_eq!((point.warm_up, point.samples, point.max_ns), (2, 58, 102.0));
        assert!(made.complete && made.problems.contains(&"one more".to_owned()), "{:?}", made.problems);
    }

    #[test]
    fn what_an_mpi_lacks_is_reported_if_nothing_else_was_chosen() {
        let dir = tempfile::tempdir().unwrap();
        let lacks = "rma: this MPI has no MPI_Put: it was left out";
        let lines = [begin(2), Line::Problem { text: lacks.into() }, Line::End { ended_s: 103 }];
        Journal::create(dir.path()).unwrap().write(&lines).unwrap();
        let error = make_profile(dir.path(), None).unwrap_err().to_string();
        assert_eq!(error, format!("nothing was measured: {lacks}"));
    }

    #[test]
    fn what_was_measured_before_an_early_end_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path()).unwrap();
        journal.write(&[begin(3)]).unwrap();
        assert!(matches!(make_profile(dir.path(), None), Err(BenchError::Nothing(_))), "nothing yet");
        let failed = Line::Failed { text: "wrong bytes".into() };
        Journal::create(dir.path()).unwrap().write(&[begin(3), failed]).unwrap();
        assert_eq!(make_profile(dir.path(), None).unwrap_err().to_string(), "wrong bytes");
        let mut journal = Journal::create(dir.path()).unwrap();
        journal.write(&[begin(3)]).unwrap();
        journal.write(&samples(3)).unwrap();
        let made = make_profile(dir.path(), Some("signal 2 ended the launcher")).unwrap();
        assert!(!made.complete && made.parameters.iter().all(|parameter| parameter.disturbed));
        let text = made.problems.join("\n");
        for part in [
            "signal 2 ended the launcher: only what was measured until then is here",
            "n has 3 ranks on 2 processors",
            "the load of n while the ranks measured is unknown",
            "pingpong: the time budget of 3.00 s ended before the 95 % interval of the median was within 3.0 % at 1 size",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
