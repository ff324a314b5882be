//! Ranks with samples written by hand.

use mpiscope_store::{CpuSample, Dimensions, HostCores, HostSample, RankCores, RankRow};

use super::explain;
use super::overlap::{SampleSpan, carry_back, parts};
use crate::explanation::machine::Machine;
use crate::explanation::timeline::Timelines;
use crate::explanation::{Confidence, Explanation, Finding, Scope};
use crate::quality::draft::Draft;

const SECOND: u64 = 1_000_000_000;

/// A rank of one host that in each of 10 s computes `computing`, runs `run` and waits for a core `wait` (thousandths).
struct Given {
    computing: u64,
    run: u64,
    wait: u64,
    cpus: (u32, u32),
    involuntary: u64,
}

const ALONE: Given = Given { computing: 900, run: 1000, wait: 0, cpus: (0, 1), involuntary: 100 };

fn dimensions(ranks: &[Given], hosts: Vec<HostCores>) -> Dimensions {
    let row = |(at, given): (usize, &Given)| {
        let sample = |t: u64| CpuSample {
            at_ns: t * SECOND,
            run_ns: t * given.run * SECOND / 1000,
            wait_ns: t * given.wait * SECOND / 1000,
            main_run_ns: t * given.run * SECOND / 1000,
            main_wait_ns: t * given.wait * SECOND / 1000,
            threads: 1,
            cpu: Some(at as u32 % 2),
        };
        RankRow {
            world_rank: at as i32,
            host: "n1".into(),
            finalize_start_ns: 10 * SECOND,
            rows_until_ns: 10 * SECOND,
            cores: RankCores {
                samples: (0..=10).map(sample).collect(),
                cpus: vec![given.cpus],
                involuntary_switches: Some(given.involuntary),
                ..RankCores::default()
            },
            ..RankRow::default()
        }
    };
    let ranks = ranks.iter().enumerate().map(row).collect();
    Dimensions { ranks, hosts, mpi_family: "mpich", ..Dimensions::default() }
}

/// Explains ranks, with findings that others have made.
fn explained(ranks: &[Given], hosts: Vec<HostCores>, findings: Vec<Finding>) -> (Machine, Vec<Finding>) {
    let dimensions = dimensions(ranks, hosts);
    let points: Vec<[(u64, u64); 2]> =
        ranks.iter().map(|given| [(0, 0), (10 * SECOND, given.computing * SECOND / 100)]).collect();
    let lines: Vec<&[(u64, u64)]> = points.iter().map(|p| &p[..]).collect();
    let count = ranks.len() as u64;
    let scope = Scope { end_ns: 10 * SECOND, rank_time_ns: count * 10 * SECOND, ranks: count, ..Scope::default() };
    let mut explanation =
        Explanation { scope, timelines: Timelines::from_ranks(&lines), findings, ..Explanation::default() };
    explain(&dimensions, &[], &mut explanation);
    (explanation.machine.expect("samples"), explanation.findings)
}

fn made(id: &'static str, cost_s: u64, cause_ranks: &[i32]) -> Finding {
    let scope = Scope { rank_time_ns: 100 * SECOND, ..Scope::default() };
    let mut finding = Draft::new(crate::rule(id).expect("a rule"), Confidence::High, &scope, cost_s * SECOND).done();
    finding.cause_ranks = cause_ranks.into();
    finding
}

fn host(busy: u64, quota_cores: Option<f64>, throttled: u64, mhz: Vec<u32>) -> HostCores {
    let sample = |t: u64| HostSample {
        from_ns: t * SECOND,
        until_ns: (t + 1) * SECOND,
        busy_ns: vec![busy * SECOND / 1000; 2],
        stolen_ns: vec![0; 2],
        throttled,
        throttled_ns: throttled * 1_000_000,
        mhz: mhz.clone(),
    };
    HostCores {
        host: "n1".into(),
        cpus: vec![0, 1],
        quota_cores,
        has_frequency: !mhz.is_empty(),
        samples: (0..10).map(sample).collect(),
    }
}

#[test]
fn what_of_a_stretch_was_where() {
    let of = |computing_ns, run_ns, wait_ns| parts(SampleSpan { length_ns: 100, computing_ns, run_ns, wait_ns }, None);
    // All computing: what waited, waited there.
    let all = of(100, 13, 87).split;
    assert_eq!((all.running_ns, all.waiting_ns, all.waiting_least_ns, all.waiting_most_ns), (13, 87, 87, 87));
    // All in MPI.
    assert_eq!((of(0, 13, 87).split.waiting_most_ns, of(0, 13, 87).running_in_mpi_ns), (0, 13));
    // Half and half, polling: between 30 and 50.
    let half = of(50, 20, 80).split;
    assert_eq!((half.waiting_least_ns, half.waiting_ns, half.waiting_most_ns), (30, 40, 50));
    assert_eq!(half.running_ns + half.waiting_ns + half.asleep_ns, half.computing_ns);
    // An MPI that blocks: it sleeps while it waits, so what waited for a core was computing.
    let blocks = of(40, 30, 10);
    assert_eq!((blocks.split.waiting_ns, blocks.asleep_in_mpi_ns), (10, 60));
    // Sleep outside of MPI.
    assert_eq!(of(100, 40, 0).split.asleep_ns, 60);
    // Counters that the kernel brings up to date at ticks only.
    assert_eq!(of(100, 104, 3).split.running_ns, 100);
}

#[test]
fn a_wait_is_counted_when_it_ends() {
    let of = |run_ns, wait_ns| SampleSpan { length_ns: 20, computing_ns: 20, run_ns, wait_ns };
    let mut stretches = [of(20, 0), of(5, 0), of(0, 0), of(4, 45), of(20, 0)];
    carry_back(&mut stretches);
    assert_eq!(stretches.map(|s| s.wait_ns), [0, 9, 20, 16, 0]);
}

#[test]
fn sixteen_ranks_on_two_cores() {
    let ranks: Vec<Given> =
        (0..16).map(|_| Given { computing: 1000, run: 125, wait: 860, cpus: (0, 1), involuntary: 400 }).collect();
    let findings =
        vec![made("late_sender", 40, &[3]), made("small_messages", 5, &[]), made("barrier_completion", 9, &[])];
    let (machine, found) = explained(&ranks, vec![host(1000, None, 0, vec![])], findings);
    assert_eq!(
        machine.headline.as_deref(),
        Some("16 ranks on 2 cores: 0.13 cores per rank; 86.0 % of the apparent computing time was waiting for a core")
    );
    let caused: Vec<_> = found.iter().map(|f| (f.id, f.caused_by)).collect();
    let root = Some("oversubscribed");
    let wanted =
        [("late_sender", root), ("small_messages", None), ("barrier_completion", root), ("oversubscribed", None)];
    assert_eq!(caused, wanted);
    let own = found.last().unwrap();
    assert_eq!(own.cost_ns, 16 * 10 * 860 * SECOND / 1000);
    assert!(own.advice.starts_with("Start at most 2 ranks on this host"), "{}", own.advice);
    assert_eq!(machine.windows.core_share[30], 0.125);
    let host = &machine.hosts[0];
    assert_eq!((host.tightest_ranks, host.tightest_cores, host.mhz), (16, 2, None));
}

#[test]
fn the_first_line_says_what_is_known() {
    // Half in MPI: of the computing nothing to everything waited.
    let ranks: Vec<Given> =
        (0..8).map(|_| Given { computing: 500, run: 250, wait: 500, cpus: (0, 1), involuntary: 400 }).collect();
    let (machine, _) = explained(&ranks, vec![host(1000, None, 0, vec![])], vec![]);
    let text = machine.headline.unwrap();
    assert_eq!(text, "8 ranks on 2 cores: 0.25 cores per rank; ranks waited for a core 50.0 % of the time");
    // Somebody else is there as well.
    let slower: Vec<Given> =
        (0..8).map(|_| Given { computing: 1000, run: 150, wait: 850, cpus: (0, 1), involuntary: 400 }).collect();
    let (machine, found) = explained(&slower, vec![host(1000, None, 0, vec![])], vec![]);
    let text = machine.headline.unwrap();
    assert!(
        text.starts_with("8 ranks on 2 cores, of which other processes used 0.8: 0.15 cores per rank; 85."),
        "{text}"
    );
    assert!(found[0].text.contains("Other processes used 0.8 of its cores"));
}

#[test]
fn ranks_that_poll_are_told_how_to_give_way() {
    let advice = |involuntary| {
        let ranks: Vec<Given> =
            (0..8).map(|_| Given { computing: 300, run: 250, wait: 740, cpus: (0, 1), involuntary }).collect();
        explained(&ranks, vec![], vec![]).1.pop().unwrap().advice
    };
    assert!(advice(400).contains("mpiscope run --yield"), "{}", advice(400));
    assert!(!advice(40_000).contains("--yield"), "it gives way already");
}

#[test]
fn a_rank_that_really_computes_more_is_no_symptom() {
    // It is awake all the time, and the others wait for it.
    let mut ranks: Vec<Given> =
        (0..4).map(|_| Given { computing: 300, run: 300, wait: 200, cpus: (0, 1), involuntary: 400 }).collect();
    ranks[1] = Given { computing: 1000, run: 800, wait: 200, cpus: (0, 1), involuntary: 400 };
    let (_, found) =
        explained(&ranks, vec![], vec![made("load_imbalance", 10, &[1]), made("late_sender", 6, &[0, 2, 3])]);
    assert_eq!(found[0].caused_by, None);
    assert_eq!(found[1].caused_by, Some("oversubscribed"));
}

#[test]
fn cores_of_their_own_say_nothing() {
    let (machine, found) =
        explained(&[ALONE, ALONE], vec![host(1000, None, 0, vec![])], vec![made("late_sender", 4, &[1])]);
    assert_eq!((machine.headline, found.len(), found[0].caused_by), (None, 1, None));
    // Ranks that sleep share a core without loss.
    let asleep: Vec<Given> =
        (0..16).map(|_| Given { computing: 50, run: 60, wait: 10, cpus: (0, 1), involuntary: 9 }).collect();
    assert_eq!(explained(&asleep, vec![], vec![]).0.headline, None);
    let mut completion = made("barrier_completion", 4, &[]);
    completion.advice = "Remove barriers that nothing needs. Check that every process has its own core.".into();
    let (_, found) = explained(&[ALONE, ALONE], vec![], vec![completion]);
    assert_eq!(found[0].advice, "Remove barriers that nothing needs.");
}

#[test]
fn something_else_uses_the_host() {
    let ranks = [0, 1].map(|_| Given { computing: 900, run: 600, wait: 400, cpus: (0, 1), involuntary: 300 });
    let (machine, found) = explained(&ranks, vec![host(1000, None, 0, vec![])], vec![made("wait_at_nxn", 5, &[1])]);
    let text = machine.headline.unwrap();
    assert_eq!(
        text,
        "2 ranks on 2 cores, of which other processes used 0.8: 0.60 cores per rank; 40.0 % of the apparent computing time \
         was waiting for a core"
    );
    assert_eq!((found[0].caused_by, found[1].id), (Some("busy_host"), "busy_host"));
    // Without samples of the host it is known that ranks waited, but not for what.
    let (_, found) = explained(&ranks, vec![], vec![]);
    assert_eq!((found[0].id, found[0].confidence), ("busy_host", Confidence::Low));
}

#[test]
fn a_hypervisor_that_takes_cores() {
    let with = |stolen: u64, ranks: &[Given]| {
        let mut host = host(1000, None, 0, vec![]);
        for sample in &mut host.samples {
            sample.stolen_ns = vec![stolen * SECOND / 1000; 2];
        }
        let (machine, found) = explained(ranks, vec![host], vec![]);
        (machine.headline.unwrap_or_default(), found.last().map(|f| f.id))
    };
    let two = [0, 1].map(|_| Given { computing: 1000, run: 700, wait: 300, cpus: (0, 1), involuntary: 300 });
    let (text, id) = with(300, &two);
    assert!(text.starts_with("2 ranks on 2 cores, of which the hypervisor took 0.6: 0.70 cores per rank"), "{text}");
    assert_eq!(id, Some("busy_host"));
    // Sixteen ranks would wait without it as well.
    let sixteen = [(); 16].map(|_| Given { computing: 1000, run: 118, wait: 870, cpus: (0, 1), involuntary: 400 });
    let (text, id) = with(60, &sixteen);
    assert!(text.starts_with("16 ranks on 2 cores: 0.12 cores per rank; 87."), "{text}");
    assert_eq!(id, Some("oversubscribed"));
}

#[test]
fn a_limit_of_a_container() {
    let ranks: Vec<Given> =
        (0..2).map(|_| Given { computing: 900, run: 500, wait: 480, cpus: (0, 1), involuntary: 300 }).collect();
    let (machine, found) = explained(&ranks, vec![host(510, Some(1.0), 300, vec![])], vec![]);
    assert!(machine.headline.unwrap().starts_with("2 ranks within a limit of 1 core: 0.50 cores per rank"));
    assert_eq!(found[0].id, "cpu_limit");
    // Held back for a moment only: something else is to blame.
    let ranks = [0, 1].map(|_| Given { computing: 900, run: 500, wait: 480, cpus: (0, 1), involuntary: 300 });
    let (_, other) = explained(&ranks, vec![host(1000, Some(1.0), 7, vec![])], vec![]);
    assert_eq!(other[0].id, "busy_host");
    assert!(found[0].advice.starts_with("Start at most 1 rank here, or"), "{}", found[0].advice);
}

#[test]
fn ranks_bound_to_one_core_of_many() {
    let bound = |cpus| Given { computing: 900, run: 330, wait: 600, cpus, involuntary: 300 };
    let ranks = [bound((0, 0)), bound((0, 0)), bound((0, 0)), bound((1, 3))];
    let (machine, found) = explained(&ranks, vec![], vec![]);
    assert!(machine.headline.unwrap().starts_with("3 ranks on 1 core:"));
    assert!(found[0].advice.starts_with("Spread the ranks over all cores"), "{}", found[0].advice);
}

#[test]
fn cores_of_different_frequencies() {
    let run = |mhz| explained(&[ALONE, ALONE], vec![host(1000, None, 0, mhz)], vec![made("load_imbalance", 3, &[1])]);
    let (machine, found) = run(vec![3000, 2000]);
    assert_eq!(machine.hosts[0].mhz, Some([2000.0, 3000.0]));
    assert_eq!((found[1].id, &found[1].cause_ranks[..]), ("uneven_frequency", &[1][..]));
    assert_eq!(found[0].caused_by, Some("uneven_frequency"));
    assert_eq!(machine.headline, None);
    assert_eq!(run(vec![3000, 2950]).1.len(), 1);
    // Unknown stays unknown.
    assert_eq!((run(vec![]).0.hosts[0].mhz, run(vec![]).0.ranks[0].mhz), (None, None));
}

#[test]
fn runs_without_samples_have_no_machine() {
    let mut explanation = Explanation::default();
    let row = RankRow { rows_until_ns: SECOND, ..RankRow::default() };
    explain(&Dimensions { ranks: vec![row], ..Dimensions::default() }, &[], &mut explanation);
    assert_eq!(explanation.machine, None);
}
