//! Programs whose parts are known, from sums to predictions.

use mpiscope_scaling::{Answer, Asked, Scaling, ScalingError, SiteSums, Sums, predict};

/// Computing 1/p and a constant; a halo whose surface falls; a sum over log p rounds; an exchange with all.
fn run(ranks: u64, is_weak: bool) -> Sums {
    let p = ranks as f64;
    let site = |call: &str, place: &str, bytes: f64, time_ns: f64| SiteSums {
        call: call.into(),
        place: place.into(),
        calls: 100.0,
        bytes,
        time_ns,
    };
    let part = if is_weak { 1.0 } else { 1.0 / p };
    let surface = if is_weak { 1.0 } else { p.powf(-2.0 / 3.0) };
    let sites = vec![
        site("MPI_Waitall", "halo halo.c:10", 6e6 * surface, 0.5e9 * surface),
        site("MPI_Allreduce", "norm solver.c:20", 800.0, 0.2e9 * p.log2()),
        site("MPI_Alltoall", "turn fft.c:30", 1e6, 0.05e9 * (p - 1.0)),
    ];
    let computing_ns = 40e9 * part + 1e9;
    let time_ns = computing_ns + sites.iter().map(|site| site.time_ns).sum::<f64>();
    Sums {
        run: format!("{ranks}.mpiscope"),
        ranks,
        size: None,
        time_ns,
        computing_ns,
        busiest_ns: computing_ns * 1.01,
        sites,
        computing_before: None,
    }
}

fn runs(of: &[u64], is_weak: bool) -> Vec<Sums> {
    of.iter().map(|&ranks| run(ranks, is_weak)).collect()
}

fn asked(of: &[u64]) -> Vec<Asked> {
    of.iter().map(|&ranks| Asked { ranks, size: None }).collect()
}

fn is_near(answer: &Answer, at: usize, is_weak: bool) {
    let found = &answer.predicted[at];
    let truth = run(found.ranks, is_weak).time_ns;
    let time = found.time_ns;
    assert!((time.value / truth - 1.0).abs() < 0.1, "{} ranks: {} instead of {truth}", found.ranks, time.value);
    assert!(time.low <= truth && truth <= time.high, "{time:?} without {truth}");
}

#[test]
fn strong_scaling_is_predicted() {
    let answer = predict(&runs(&[2, 4, 8, 16, 32], false), &asked(&[64, 128])).unwrap();
    assert_eq!(answer.scaling, Scaling::Strong);
    is_near(&answer, 0, false);
    is_near(&answer, 1, false);
    let texts: Vec<(&str, &str)> = answer.sites.iter().map(|site| (site.call.as_str(), site.growth.as_str())).collect();
    assert_eq!(texts[0], ("MPI_Alltoall", "grows with p"), "{texts:?}");
    assert_eq!(texts[1], ("MPI_Allreduce", "grows with log p"), "{texts:?}");
    assert_eq!(texts[2], ("MPI_Waitall", "falls with 1/p^(2/3)"), "{texts:?}");
    let halo = &answer.sites[2];
    assert_eq!((halo.calls.parts.len(), halo.calls.parts[0].coefficient.round()), (1, 100.0));
    assert!((halo.bytes.at(mpiscope_scaling::At { ranks: 64.0, size: 1.0 }) / (6e6 / 16.0) - 1.0).abs() < 0.01);
    // 40/p + 1 falls below what calls need between 16 and 32 ranks.
    let truth = (2..1000).find(|&ranks| {
        let run = run(ranks, false);
        run.time_ns - run.busiest_ns > run.busiest_ns
    });
    let found = answer.dominates;
    let (truth, ranks) = (truth.unwrap() as f64, found.ranks.unwrap() as f64);
    assert!((ranks / truth - 1.0).abs() < 0.15, "{found:?} instead of {truth}");
    assert!(found.low.unwrap() as f64 <= truth && truth <= found.high.unwrap() as f64, "{found:?}");
    let efficiency = answer.predicted[0].efficiency.unwrap();
    let right = run(2, false).time_ns * 2.0 / (run(64, false).time_ns * 64.0);
    assert!((efficiency.value / right - 1.0).abs() < 0.1, "{efficiency:?} {right}");
    assert!(efficiency.low <= efficiency.value && efficiency.value <= efficiency.high);
    assert!(!answer.predicted[0].is_far && answer.notes.is_empty(), "{:?}", answer.notes);
}

#[test]
fn weak_scaling_is_predicted() {
    let answer = predict(&runs(&[1, 2, 4, 8, 16], true), &asked(&[32, 64, 1024])).unwrap();
    assert_eq!(answer.scaling, Scaling::Weak);
    is_near(&answer, 0, true);
    is_near(&answer, 1, true);
    assert!(answer.predicted[2].is_far);
    let width = |at: usize| {
        let time = answer.predicted[at].time_ns;
        (time.high - time.low) / time.value
    };
    assert!(width(2) > width(0), "{} {}", width(2), width(0));
}

#[test]
fn computing_that_does_not_scale_is_found() {
    let mut runs = runs(&[2, 4, 8, 16, 32], false);
    for run in &mut runs {
        let part = |call: &str, place: &str, time_ns: f64| SiteSums {
            call: call.into(),
            place: place.into(),
            calls: 100.0,
            bytes: 0.0,
            time_ns,
        };
        run.computing_before = Some(vec![
            part("MPI_Waitall", "halo halo.c:10", 40e9 / run.ranks as f64),
            part("MPI_Bcast", "read input.c:7", 1e9),
        ]);
    }
    let answer = predict(&runs, &asked(&[64, 1024])).unwrap();
    is_near(&answer, 0, false);
    let found: Vec<(&str, &str)> =
        answer.computing_before.iter().map(|of| (of.call.as_str(), of.growth.as_str())).collect();
    assert_eq!(found, [("MPI_Bcast", "is constant"), ("MPI_Waitall", "falls with 1/p")]);
    assert!((answer.predicted[0].computing_ns.value / (40e9 / 64.0 + 1e9) - 1.0).abs() < 0.02);
    // Without the events of one run, computing is known as a whole only.
    runs[1].computing_before = None;
    assert!(predict(&runs, &asked(&[64])).unwrap().computing_before.is_empty());
}

#[test]
fn two_runs_are_weak_evidence() {
    let answer = predict(&runs(&[2, 4], false), &asked(&[8])).unwrap();
    assert!(answer.notes[0].starts_with("Weak evidence: with two sizes"), "{:?}", answer.notes);
    let time = answer.predicted[0].time_ns;
    assert!((time.high - time.low) / time.value > 0.2, "{time:?}");
}

#[test]
fn the_order_of_the_runs_does_not_matter_and_repeated_runs_are_welcome() {
    let (up, down) = (runs(&[2, 4, 8], false), runs(&[8, 4, 2], false));
    assert_eq!(predict(&up, &asked(&[16])), predict(&down, &asked(&[16])));
    let repeated = runs(&[2, 2, 4, 4, 8, 8], false);
    is_near(&predict(&repeated, &asked(&[16])).unwrap(), 0, false);
}

#[test]
fn imbalance_is_not_communication() {
    let mut runs = runs(&[2, 4, 8, 16], true);
    for run in &mut runs {
        // The busiest rank computes twice as long; the others wait for it in the sum.
        run.sites[1].time_ns += run.computing_ns;
        run.time_ns += run.computing_ns;
        run.busiest_ns = 2.0 * run.computing_ns;
    }
    let answer = predict(&runs, &asked(&[32])).unwrap();
    let of = &answer.predicted[0];
    assert!((of.imbalance_ns.value / of.computing_ns.value - 1.0).abs() < 0.1, "{of:?}");
    assert!(of.communication_ns.value < 0.2 * of.time_ns.value, "{of:?}");
    assert!(!answer.dominates.is_measured);
}

#[test]
fn a_part_below_the_noise_does_not_grow() {
    let mut runs = runs(&[1, 2, 4], true);
    for run in &mut runs {
        run.sites.truncate(1);
        run.sites.push(SiteSums {
            call: "MPI_Bcast".into(),
            place: "main main.c:5".into(),
            calls: 1.0,
            bytes: 8.0,
            time_ns: 1e7 * (run.ranks as f64 - 1.0),
        });
        run.time_ns = run.computing_ns + run.sites.iter().map(|site| site.time_ns).sum::<f64>();
    }
    let answer = predict(&runs, &asked(&[4096])).unwrap();
    assert!(answer.predicted[0].time_ns.value < 1.2 * runs[2].time_ns, "{:?}", answer.predicted[0]);
}

#[test]
fn what_cannot_be_compared_is_explained() {
    let text = |runs: &[Sums]| predict(runs, &asked(&[64])).unwrap_err().to_string();
    assert!(text(&runs(&[4], false)).contains("at least two runs"));
    assert_eq!(predict(&runs(&[4, 4], false), &asked(&[64])), Err(ScalingError::SameRanks(4)));
    let mut other = run(8, false);
    other.sites.iter_mut().for_each(|site| site.place = format!("other {}", site.place));
    let found = text(&[run(4, false), other]);
    assert!(found.contains("do not look like runs of one program: 0.0 % of the time"), "{found}");
    let nothing = Sums { time_ns: 0.0, ..run(8, false) };
    assert!(text(&[run(4, false), nothing]).contains("8.mpiscope: nothing was measured"));
}

#[test]
fn the_problem_size_has_its_own_terms() {
    let with = |ranks: u64, size: f64| {
        let mut run = run(ranks, true);
        run.size = Some(size);
        run.computing_ns = 1e3 * size / ranks as f64;
        run.busiest_ns = run.computing_ns;
        run.sites[0].time_ns = 1e3 * (size / ranks as f64).powf(2.0 / 3.0);
        run.time_ns = run.computing_ns + run.sites.iter().map(|site| site.time_ns).sum::<f64>();
        run
    };
    let runs: Vec<Sums> =
        [1e7, 4e7, 1.6e8].iter().flat_map(|&size| [2, 8, 32].map(|ranks| with(ranks, size))).collect();
    let question = [Asked { ranks: 64, size: Some(3.2e8) }];
    let answer = predict(&runs, &question).unwrap();
    let (found, truth) = (answer.predicted[0].time_ns, with(64, 3.2e8).time_ns);
    assert!((found.value / truth - 1.0).abs() < 0.1, "{found:?} {truth}");
    assert_eq!(answer.computing.parts[0].term.text(), "follows n/p");
    assert_eq!(predict(&runs, &asked(&[64])), Err(ScalingError::SizeUnknown));
}
