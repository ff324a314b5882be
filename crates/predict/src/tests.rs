use std::sync::Arc;

use mpiscope_ingest::testing::{Ingested, ingested};
use mpiscope_model::simulation::{Curve, Link, Network, Section};

use super::*;

/// Everything about a run that is written down.
fn asked(text: &str, questions: &[&str]) -> (Reproduction, Vec<Result<Answer, ApplyError>>) {
    let questions: Vec<Vec<Change>> = questions.iter().map(|text| parse(text).unwrap()).collect();
    of(&ingested(text), Some(&questions))
}

/// The program of a run, and what it cost.
fn fitted(run: &Ingested) -> (Translator, Vec<Arc<Section>>, Fit) {
    let mut translator = Translator::new(&run.dimensions);
    let mut fit = Fit::new(&run.dimensions);
    let mut sections = Vec::new();
    for batch in &run.batches {
        sections.push(Arc::new(translator.add_batch(&run.dimensions, &run.facts, batch)));
        fit.add_batch(&run.facts, batch, translator.traffic());
    }
    (translator, sections, fit)
}

/// The program of a run, and the network that fits it.
fn translated(run: &Ingested) -> (Translator, Vec<Arc<Section>>, Network) {
    let (translator, sections, fit) = fitted(run);
    let network = fit.network([None, None], &translator.kinds, fit.hindrances()[0]);
    (translator, sections, network)
}

fn known<'a>(run: &'a Ingested, translator: &'a Translator) -> Run<'a> {
    Run {
        dimensions: &run.dimensions,
        facts: &run.facts,
        kinds: translator.kinds.all(),
        recorded: &translator.recorded,
    }
}

fn of(run: &Ingested, questions: Option<&[Vec<Change>]>) -> (Reproduction, Vec<Result<Answer, ApplyError>>) {
    let (translator, sections, network) = translated(run);
    let known = known(run, &translator);
    let tried = candidates(known, &network);
    let mut model = Model::new(known, &network, questions.unwrap_or(&tried));
    sections.iter().for_each(|section| model.add(section));
    model.finish()
}

/// Rank 1 computes twice as long before each operation of all.
fn imbalanced() -> String {
    let mut text = String::new();
    for step in 0..50 {
        let begin = step * 210;
        text += &format!("0 {} {} Allreduce bytes=8 site=3\n", begin + 100, begin + 210);
        text += &format!("1 {} {} Allreduce bytes=8 site=3\n", begin + 200, begin + 210);
    }
    text
}

fn assert_near(value: f64, expected: f64, within: f64) {
    assert!((value - expected).abs() <= within, "{value} for {expected}");
}

#[test]
fn a_run_is_replayed_as_it_was() {
    let (reproduction, _) = asked(&imbalanced(), &[]);
    assert_near(reproduction.time.error(), 0.0, 0.01);
    let waits: Vec<(&str, f64)> = reproduction.waits.iter().map(|row| (row.what.as_str(), row.error())).collect();
    assert!(matches!(waits[..], [("wait_for_all", error)] if error.abs() < 0.02), "{waits:?}");
    assert_eq!((reproduction.as_recorded_share, reproduction.notes), (0.0, Vec::<String>::new()));
}

#[test]
fn what_is_missing_widens_intervals() {
    let half = |text: &str| {
        let (reproduction, answers) = asked(text, &["balance=perfect"]);
        let answer = answers[0].as_ref().unwrap();
        (reproduction.missing_share, answer.high - answer.gain, answer.gain)
    };
    let (missing, before, _) = half(&imbalanced());
    assert_near(missing, 0.0, 0.0);
    // Messages that no rank receives: half as many as there are other calls, a third of all.
    let with_lone = |(step, line): (usize, &str)| match step % 2 {
        0 => format!("0 {0} {0}.1 Send to=1 bytes=8\n{line}\n", step / 2 * 210 + 50),
        _ => format!("{line}\n"),
    };
    let text: String = imbalanced().lines().enumerate().map(with_lone).collect();
    let (missing, after, gain) = half(&text);
    assert_near(missing, 1.0 / 3.0, 0.01);
    assert!(after >= before + 0.49 * gain, "{before} {after} {gain}");
}

#[test]
fn a_part_of_the_job_that_is_not_in_the_run_widens_intervals() {
    let run = ingested(&imbalanced());
    let (translator, sections, network) = translated(&run);
    let answer = |share: f64| {
        let mut model = Model::new(known(&run, &translator), &network, &[vec![Change::Balance]]).lacking(share);
        sections.iter().for_each(|section| model.add(section));
        let (reproduction, mut answers) = model.finish();
        (reproduction.missing_share, answers.remove(0).unwrap())
    };
    let ((none, whole), (half, cut)) = (answer(0.0), answer(0.5));
    assert_eq!((none, half), (0.0, 0.5));
    // Of a missing part as long as the recorded one the gain may be nothing, or twice as much.
    assert_near(whole.low - cut.low, whole.gain, 1e-9);
    assert_near(cut.high - whole.high, whole.gain, 1e-9);
}

#[test]
fn no_interval_promises_more_than_all_of_the_time() {
    // Messages that no rank receives make everything unsure.
    let lone: String = (0..200).map(|n| format!("0 {0} {0}.1 Send to=1 bytes=8\n", n as f64 * 50.0 + 1.0)).collect();
    let (_, answers) = asked(&(lone + &imbalanced()), &["rank:1=1000x faster, rank:0=1000x faster"]);
    let answer = answers[0].as_ref().unwrap();
    assert!(answer.gain > 0.5 && answer.high == 1.0 && answer.low < answer.gain, "{answer:?}");
}

#[test]
fn regions_are_named_by_their_path_or_their_last_name() {
    let mut text = String::new();
    for step in 0..20 {
        for (at, region) in [(0, "warm-up/exchange"), (400, "step/exchange"), (800, "step/reduce"), (1200, "reduce")] {
            let begin = step * 1600 + at;
            text += &format!("0 {} {} Allreduce bytes=8 region={region}\n", begin + 390, begin + 400);
            text += &format!("1 {} {} Allreduce bytes=8 region={region}\n", begin + 390, begin + 400);
        }
    }
    let gain = |of: &str| asked(&text, &[&format!("region:{of}=2x faster")]).1.remove(0).map(|answer| answer.gain);
    let eighth = gain("step/exchange").unwrap();
    assert_near(eighth, 0.125, 0.02);
    for (name, eighths) in [("exchange", 2.0), ("step", 2.0), ("step / exchange", 1.0), ("warm-up", 1.0)] {
        assert_near(gain(name).unwrap(), eighths * eighth, 0.01);
    }
    // One at the top has this name alone.
    assert_near(gain("reduce").unwrap(), eighth, 0.01);
    let why = gain("change").unwrap_err().to_string();
    assert!(why.ends_with("its regions are reduce, step/exchange, step/reduce, warm-up/exchange"), "{why}");
}

#[test]
fn what_is_made_once_cannot_be_made_less_often() {
    let created = |turns: u64, site: fn(u64) -> u64| -> String {
        let one = |turn: u64| {
            let (begin, at) = (turn * 200, site(turn));
            [0, 1].map(|rank| format!("{rank} {} {} Comm_dup site={at}\n", begin + 100, begin + 150)).concat()
        };
        (0..turns).map(one).collect::<String>() + &imbalanced().replace("site=3", "site=90")
    };
    let once = |text: &str| asked(text, &["MPI_Comm_dup=once"]).1.remove(0).map(|answer| answer.gain);
    for text in [created(1, |_| 5), created(3, |turn| 5 + turn)] {
        let why = once(&text).unwrap_err().to_string();
        assert!(why.contains("it is made once already"), "{why}");
    }
    assert!(once(&created(30, |_| 5)).unwrap() > 0.01);
}

#[test]
fn what_a_program_cannot_do_without_is_stated_with_the_reason() {
    let text = imbalanced()
        + "0 11000 11001 File_read_at\n0 11002 11003 Isend to=1 bytes=8 request=1\n0 11004 11005 Wait requests=1\n";
    let of = |question: &str| asked(&text, &[question]).1.remove(0);
    for (question, reason) in [
        ("MPI_File_read_at=none", "MPI_File_read_at reads or writes what the program needs; only collective"),
        ("MPI_Isend=none", "MPI_Isend is one end of a message"),
        ("MPI_Wait=none", "MPI_Wait is one end of a message"),
        ("MPI_Allreduce=nonblocking", "MPI_Allreduce is a collective operation; only MPI_Send"),
    ] {
        let why = of(question).unwrap_err().to_string();
        assert!(why.contains(reason), "{why}");
    }
    // Only the cost of what it needs can be asked for.
    let how = of("MPI_Allreduce=none").unwrap().how;
    assert_eq!(how, "the program needs what MPI_Allreduce does: the gain is what that costs");
    let barrier = imbalanced()
        + "0 11000 11010 Barrier site=7\n1 11000 11010 Barrier site=7\n0 11020 11030 Bcast root=0 bytes=8 site=7\n1 11020 11030 Bcast root=0 bytes=8 site=7\n";
    let how = asked(&barrier, &["site:text+0x70=none"]).1.remove(0).unwrap().how;
    assert_eq!(how, "remove MPI_Barrier at text+0x70, if no other process relies on it");
}

#[test]
fn only_operations_with_algorithms_get_others() {
    let text: String = (0..50)
        .map(|step| {
            let begin = step * 200;
            let both = |call: &str, at: u64| {
                [0, 1].map(|rank| format!("{rank} {} {} {call} site=4\n", begin + at, begin + at + 60)).concat()
            };
            both("Comm_dup", 10) + &both("Barrier", 110)
        })
        .collect();
    let (_, answers) = of(&ingested(&text), None);
    let changes: Vec<String> = answers.into_iter().flatten().map(|answer| answer.change).collect();
    assert!(changes.iter().any(|change| change.starts_with("MPI_Barrier=")), "{changes:?}");
    assert!(!changes.iter().any(|change| change.starts_with("MPI_Comm_dup=")), "{changes:?}");
}

#[test]
fn equal_work_gains_a_quarter() {
    let (_, answers) =
        asked(&imbalanced(), &["balance=perfect", "rank:1=2x faster", "rank:0=2x faster", "MPI_Allreduce=none"]);
    let gains: Vec<f64> = answers.iter().map(|answer| answer.as_ref().unwrap().gain).collect();
    // Of 210 µs, 150 µs of computing and 10 µs of the operation remain; 110 µs; nothing changes; 200 µs.
    for (gain, expected) in gains.iter().zip([50.0 / 210.0, 100.0 / 210.0, 0.0, 10.0 / 210.0]) {
        assert_near(*gain, expected, 0.02);
    }
    let answer = answers[0].as_ref().unwrap();
    assert!(answer.low <= answer.gain && answer.gain <= answer.high && answer.effort == "decomposition");
}

#[test]
fn a_message_that_was_sent_before_the_call_does_not_tell_how_long_it_takes() {
    // Around a ring of four, a message takes 300 µs. One rank waits for it from the beginning, the others come when it is on its way, or there.
    let mut text = String::new();
    for step in 0..80 {
        let begin = step * 3_000;
        for (place, (from, until)) in [(0, 1_300), (200, 300), (600, 630), (1_000, 1_030)].into_iter().enumerate() {
            let rank = (step + place) % 4;
            let (left, right) = ((rank + 3) % 4, (rank + 1) % 4);
            text +=
                &format!("{rank} {} {} Sendrecv to={right} from={left} tag=1 bytes=8\n", begin + from, begin + until);
        }
    }
    let (_, _, network) = translated(&ingested(&text));
    assert_near(network.links[0].transit.at(8) / 1e3, 300.0, 10.0);
}

#[test]
fn one_rank_or_one_place_is_balanced() {
    // What the rank has more or less than the mean, the other one has less or more.
    let gains = |text: &str, questions: &[&str]| -> Vec<f64> {
        asked(text, questions).1.into_iter().map(|answer| answer.unwrap().gain).collect()
    };
    for gain in gains(&imbalanced(), &["rank:0=balanced", "rank:1=balanced"]) {
        assert_near(gain, 50.0 / 210.0, 0.02);
    }
    // Each of two operations waits for another rank. Altogether they compute as long: the other one stays as it is.
    let mut text = String::new();
    for begin in (0..50).map(|step| step * 420) {
        for (rank, first, second) in [(0, 100, 200), (1, 200, 100)] {
            text += &format!("{rank} {} {} Allreduce bytes=8 site=3\n", begin + first, begin + 210);
            text += &format!("{rank} {} {} Barrier site=4\n", begin + 210 + second, begin + 420);
        }
    }
    let found =
        gains(&text, &["MPI_Allreduce=balanced", "MPI_Barrier=balanced, MPI_Allreduce=balanced", "rank:0=balanced"]);
    for (gain, expected) in found.iter().zip([50.0 / 420.0, 100.0 / 420.0, 50.0 / 420.0]) {
        assert_near(*gain, expected, 0.02);
    }
    let why = asked(&text, &["rank:2=balanced"]).1.remove(0).unwrap_err().to_string();
    assert!(why.contains("the run has no rank 2"), "{why}");
}

#[test]
fn without_a_question_the_best_change_is_among_those_tried() {
    let (_, answers) = of(&ingested(&imbalanced()), None);
    let best = answers.into_iter().flatten().max_by(|a, b| a.gain.total_cmp(&b.gain)).unwrap();
    assert_eq!(best.change, "balance=perfect");
}

#[test]
fn a_rank_on_time_computes_as_long_as_half_of_the_others() {
    // Rank 2 is late in every second step.
    let mut text = String::new();
    for step in 0..50 {
        let begin = step * 310;
        let own = [100, 110, if step % 2 == 0 { 300 } else { 90 }];
        let end = begin + own.iter().max().unwrap() + 10;
        for (rank, ns) in own.iter().enumerate() {
            text += &format!("{rank} {} {end} Allreduce bytes=8 site=3\n", begin + ns);
        }
    }
    let (_, answers) = asked(&text, &["rank:2=on time", "rank:1=on time"]);
    let gains: Vec<f64> = answers.iter().map(|answer| answer.as_ref().unwrap().gain).collect();
    assert_near(gains[0], 25.0 * 190.0 / (50.0 * 310.0), 0.02);
    // Rank 1 is late only where rank 2 is not.
    assert_near(gains[1], 25.0 * 10.0 / (50.0 * 310.0), 0.02);
    let why = asked(&text, &["rank:0=on time"]).1.remove(0).unwrap_err().to_string();
    assert!(why.contains("it never comes later than half of the others"), "{why}");
}

/// Rank 0's send waits for a receiver that computes first, and computes itself afterwards.
fn rendezvous() -> String {
    let mut text = String::new();
    for step in 0..20 {
        let begin = step * 2200;
        text += &format!("0 {begin} {} Send to=1 bytes=100000 site=4\n", begin + 1050);
        text += &format!("1 {} {} Recv from=0 bytes=100000 site=5\n", begin + 1000, begin + 1050);
        for rank in 0..2 {
            text += &format!("{rank} {} {} Barrier site=6\n", begin + 2050 + rank, begin + 2060);
        }
    }
    text
}

#[test]
fn an_eager_send_does_not_wait() {
    let (reproduction, answers) = asked(&rendezvous(), &["eager=1M", "eager=16K", "progress=always"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    let gain = |at: usize| answers[at].as_ref().unwrap().gain;
    // The sender's own 1,000 µs of computing begin at once; but the receiver still needs its 2,000 µs.
    assert!(gain(0) >= -0.01, "{}", gain(0));
    assert_near(gain(1), 0.0, 0.001);
    assert_near(gain(2), 0.0, 0.001);
}

#[test]
fn both_directions_at_once() {
    let mut text = String::new();
    for step in 0..20 {
        let begin = step * 2500;
        text += &format!("0 {begin} {} Send to=1 bytes=100000 site=4\n", begin + 1000);
        text += &format!("1 {begin} {} Recv from=0 bytes=100000 site=5\n", begin + 1000);
        text += &format!("0 {} {} Recv from=1 bytes=100000 site=5\n", begin + 1001, begin + 2000);
        text += &format!("1 {} {} Send to=0 bytes=100000 site=4\n", begin + 1001, begin + 2000);
    }
    let (reproduction, answers) =
        asked(&text, &["MPI_Send=nonblocking, MPI_Recv=nonblocking", "MPI_Recv=nonblocking", "MPI_Send=nonblocking"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    assert_near(answers[0].as_ref().unwrap().gain, 1000.0 / 2500.0, 0.03);
    // Receives that are posted first are enough for the second send to begin, but not to begin at once.
    assert!(answers[1].as_ref().unwrap().gain < 0.45);
    assert!(answers[2].is_ok());
}

/// A ping-pong has no exchange: each message is the answer to the one before.
#[test]
fn answers_stay_after_questions() {
    let mut text = String::new();
    for begin in (0..100).map(|step| step * 200) {
        text += &format!("0 {begin} {} Send to=1 bytes=1000 site=4\n", begin + 1);
        text += &format!("1 {} {} Recv from=0 bytes=1000 site=5\n", begin.max(97) - 97, begin + 100);
        text += &format!("0 {} {} Recv from=1 bytes=1000 site=5\n", begin + 2, begin + 199);
        text += &format!("1 {} {} Send to=0 bytes=1000 site=4\n", begin + 101, begin + 102);
        // Calls without messages in between change nothing.
        text += &format!("0 {} {} Wtime site=6\n", begin + 199, begin + 200);
    }
    for question in ["MPI_Send=nonblocking, MPI_Recv=nonblocking", "MPI_Recv=nonblocking"] {
        match asked(&text, &[question]).1.remove(0) {
            // The first messages are not known to be a conversation yet.
            Ok(answer) => assert!(answer.gain < 0.07, "{}", answer.gain),
            Err(error) => assert!(error.to_string().contains("these calls answer each other"), "{error}"),
        }
    }
}

/// What each rank does under changes.
fn scheduled(run: &Ingested, question: &str) -> Vec<Vec<Happens>> {
    let (translator, sections, network) = translated(run);
    let mut schedule = Schedule::new(known(run, &translator), &network, &parse(question).unwrap()).unwrap();
    let mut happens = vec![Vec::new(); run.facts.len()];
    sections.iter().for_each(|section| schedule.add(section, &mut happens).unwrap());
    happens
}

#[test]
fn every_call_is_scheduled_once_and_in_order() {
    let mut text = String::new();
    for step in 0..20 {
        let begin = step * 2500;
        for rank in 0..2 {
            let other = 1 - rank;
            text += &format!("{rank} {begin} {} Send to={other} bytes=64 site=4\n", begin + 10);
            text += &format!("{rank} {} {} Recv from={other} bytes=64 site=5\n", begin + 11, begin + 20);
            text += &format!("{rank} {} {} Barrier site=6\n", begin + 1000 * (rank + 1), begin + 2100);
        }
    }
    let run = ingested(&text);
    for question in ["latency=1x", "rank:0=4x slower", "MPI_Send=nonblocking, MPI_Recv=nonblocking", "MPI_Barrier=none"]
    {
        let happens = scheduled(&run, question);
        for (rank, of) in happens.iter().enumerate() {
            let ordered = of.windows(2).all(|w| w[0].start_ns <= w[0].end_ns && w[0].end_ns <= w[1].start_ns);
            assert!(ordered, "{question} {rank}: {of:?}");
            let mut rows: Vec<u64> =
                of.iter().filter_map(|h| if let What::Call { row, .. } = h.what { Some(row) } else { None }).collect();
            rows.sort_unstable();
            assert_eq!(rows, (0..60).collect::<Vec<u64>>(), "{question}");
            assert_eq!(of.last().map(|h| h.what.clone()), Some(What::End));
            let waits = of.iter().filter(|h| h.what == What::Wait).count();
            assert_eq!(waits, if question.contains("nonblocking") { 20 } else { 0 });
        }
        let end_of = |rank: usize, wanted: u64| {
            let is_it = |h: &&Happens| matches!(h.what, What::Call { row, .. } if row == wanted);
            happens[rank].iter().find(is_it).cloned().unwrap()
        };
        // The receive of a message ends after its send began, or the wait for it.
        for step in 0..20 {
            for (rank, of) in happens.iter().enumerate() {
                let (send, receive) = (end_of(1 - rank, 3 * step), end_of(rank, 3 * step + 1));
                let wait = of.iter().find(|h| h.what == What::Wait && h.start_ns >= receive.start_ns);
                assert!(wait.map_or(receive.end_ns, |wait| wait.end_ns) >= send.start_ns, "{question} {step}");
            }
        }
    }
    // Receives are posted before sends begin.
    let order: Vec<u64> = scheduled(&run, "MPI_Send=nonblocking, MPI_Recv=nonblocking")[0][..3]
        .iter()
        .filter_map(|h| if let What::Call { row, .. } = h.what { Some(row) } else { None })
        .collect();
    assert_eq!(order, [1, 0]);
}

#[test]
fn what_no_run_can_have_is_not_scheduled() {
    let run = ingested(&rendezvous());
    let (translator, _, network) = translated(&run);
    let why = |question: &str| {
        let schedule = Schedule::new(known(&run, &translator), &network, &parse(question).unwrap());
        schedule.err().map(|error| error.to_string())
    };
    assert_eq!(why("rank:1=on time"), None);
    for question in ["MPI_Send=aggregated", "MPI_Send=reordered", "MPI_Send=reordered, MPI_Send=aggregated"] {
        assert_eq!(why(question), None, "{question}");
    }
    for (question, reason) in [
        ("MPI_Send=neighbourhood", "a communicator with a topology"),
        ("MPI_Send=aggregated, MPI_Recv=nonblocking", "ask one of both"),
    ] {
        assert!(
            why(question).is_some_and(|why| why.contains("no predicted run") && why.contains(reason)),
            "{question}"
        );
    }
}

#[test]
fn what_a_run_does_not_allow_is_explained() {
    let text = |question: &str| asked(&rendezvous(), &[question]).1.remove(0).unwrap_err().to_string();
    assert_eq!(text("rank:7=2x faster"), "rank:7=2x faster: the run has no rank 7; its ranks are 0 to 1");
    assert!(text("site:nowhere.c=none").starts_with("site:nowhere.c=none: the run has no call site with `nowhere.c`"));
    assert!(text("MPI_Bcast=binomial").contains("it calls"), "{}", text("MPI_Bcast=binomial"));
    assert!(
        text("MPI_Send=none").contains("MPI_Send is one end of a message, without which the other one waits forever")
    );
    assert!(text("MPI_Barrier=nonblocking").contains("MPI_Barrier is a collective operation"));
    assert!(text("MPI_Barrier=aggregated").contains("these calls send no messages"));
    assert!(text("MPI_Send=aggregated").contains("no two of these messages follow each other"));
    assert!(text("MPI_Send=reordered").contains("no exchange has such messages to several ranks"));
    assert!(text("MPI_Barrier=neighbourhood").contains("these calls neither send nor receive messages"));
    let why = text("MPI_Recv=nonblocking");
    assert!(why.contains("these calls are exchanges of their own: no other call with messages"), "{why}");
    assert!(text("MPI_Send=arrival").contains("these calls do not wait for messages"));
    assert!(text("MPI_Recv=arrival").contains("no two of these receives follow each other"));
    assert!(text("MPI_Send=early").contains("these calls are no blocking receives"));
    assert!(text("MPI_Send=merged").contains("these calls do not wait for requests"));
    assert!(text("MPI_Barrier=hierarchical").contains("no such operation has members on several hosts"));
    assert!(text("region:solve=2x faster").contains("the run has no region `solve`"));
}

#[test]
fn a_receive_that_waits_while_another_message_is_there_can_come_later() {
    // Rank 1 works for 300 µs on each message. It takes the second one first, which is sent 300 µs later.
    let mut text = String::new();
    for begin in (0..20).map(|step| step * 1000) {
        for (call, tag) in [(begin, 1), (begin + 300, 2)] {
            text += &format!("0 {call} {} Send to=1 bytes=8 tag={tag} site=4\n", call + 1);
        }
        text += &format!("1 {begin} {} Recv from=0 bytes=8 tag=2 site=5\n", begin + 302);
        text += &format!("1 {} {} Recv from=0 bytes=8 tag=1 site=5\n", begin + 602, begin + 603);
        text += &format!("0 {} {} Allreduce bytes=8 site=3\n", begin + 302, begin + 1000);
        text += &format!("1 {} {} Allreduce bytes=8 site=3\n", begin + 903, begin + 1000);
    }
    let answers = asked(&text, &["MPI_Recv=arrival", "MPI_Recv=nonblocking"]).1;
    assert_near(answers[0].as_ref().unwrap().gain, 0.3, 0.02);
    // Posted at once, they are awaited where they were: computing comes between them.
    assert!(answers[1].is_err());
}

#[test]
fn messages_that_wait_for_each_other_are_aggregated() {
    // Four messages of 50 µs each become one.
    let mut text = String::new();
    for step in 0..20 {
        let begin = step * 1000;
        for at in 0..4 {
            let (start, end) = (begin + 50 * at, begin + 50 * (at + 1));
            text += &format!("0 {start} {end} Ssend to=1 bytes=100 site=4\n");
            text += &format!("1 {start} {end} Recv from=0 bytes=100 site=5\n");
        }
        text += &format!("0 {0} {1} Barrier site=6\n1 {0} {1} Barrier site=6\n", begin + 500, begin + 510);
    }
    let (reproduction, answers) = asked(&text, &["MPI_Ssend=aggregated"]);
    assert_near(reproduction.time.error(), 0.0, 0.01);
    let answer = answers[0].as_ref().unwrap();
    assert_near(answer.gain, 0.15, 0.01);
    assert!(answer.how.ends_with("(80 messages become 20)"), "{}", answer.how);
}

#[test]
fn a_ring_in_turn_becomes_one_at_once() {
    // A message between hosts takes 1,000 µs. Ranks 1 and 3 wait for ranks that wait first.
    let mut text = "host a = 0,1\nhost b = 2,3\n".to_owned();
    for step in 0..20 {
        let begin = step * 3000;
        for rank in 0..4 {
            let (next, previous) = ((rank + 1) % 4, (rank + 3) % 4);
            let (first, second) = if rank % 2 == 0 { (1500, 1502) } else { (502, 2500) };
            let (at, first, second) = (begin + 500, begin + first, begin + second);
            text += &format!("{rank} {at} {first} Sendrecv to={next} from={previous} tag=1 bytes=8 site=4\n");
            text += &format!("{rank} {first} {second} Sendrecv to={previous} from={next} tag=2 bytes=8 site=5\n");
            text += &format!("{rank} {second} {} Barrier site=6\n", begin + 2510);
        }
    }
    let (reproduction, answers) = asked(&text, &["MPI_Sendrecv=neighbourhood"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    let answer = answers[0].as_ref().unwrap();
    assert_near(answer.gain, 1000.0 / 3000.0, 0.02);
    assert!(answer.how.ends_with("(160 calls become 80)"), "{}", answer.how);
}

#[test]
fn long_messages_alone_are_taken_for_bandwidth() {
    let mut text = "host a = 0\nhost b = 1\n".to_owned();
    for step in 0..30 {
        let begin = step * 10_500;
        for rank in 0..2 {
            let other = 1 - rank;
            text += &format!("{rank} {begin} {} Sendrecv to={other} from={other} bytes=262144\n", begin + 10_000);
        }
    }
    let (reproduction, answers) = asked(&text, &["bandwidth=2x", "latency=0.5x"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    assert_near(answers[0].as_ref().unwrap().gain, 5_000.0 / 10_500.0, 0.02);
    assert_near(answers[1].as_ref().unwrap().gain, 0.0, 0.01);
}

#[test]
fn a_slower_network_costs_time() {
    let mut text = "host a = 0\nhost b = 1\n".to_owned();
    for step in 0..30 {
        let begin = step * 300;
        text += &format!("0 {begin} {} Send to=1 bytes=8\n", begin + 5);
        text += &format!("1 {begin} {} Recv from=0 bytes=8\n", begin + 100);
        text += &format!("1 {} {} Send to=0 bytes=8\n", begin + 100, begin + 105);
        text += &format!("0 {} {} Recv from=1 bytes=8\n", begin + 5, begin + 200);
    }
    let (reproduction, answers) = asked(&text, &["latency=0.5x", "latency=2x", "bandwidth=2x"]);
    assert_near(reproduction.time.error(), 0.0, 0.05);
    let gain = |at: usize| answers[at].as_ref().unwrap().gain;
    // Two latencies of about 95 µs in each 300 µs.
    assert_near(gain(0), 95.0 / 300.0, 0.05);
    assert_near(gain(1), -190.0 / 300.0, 0.1);
    assert_near(gain(2), 0.0, 0.01);
    // Another machine, with a tenth of the latency between hosts.
    let link = Link { transit: Curve::line(9_500.0, 0.0), eager_bytes: 4096, ..Link::default() };
    let machine = |links| vec![Change::Machine(Box::new(Machine { profile: "other.machine".into(), links }))];
    let (_, other) = of(&ingested(&text), Some(&[machine([None, Some(link)]), machine([None, None])]));
    // The 195 µs that rank 1 computes, and little else.
    assert_near(other[0].as_ref().unwrap().gain, 105.0 / 300.0, 0.03);
    assert!(other[1].as_ref().unwrap_err().to_string().contains("mpiscope bench pingpong"));
    assert_eq!(asked(&text, &["latency=1x"]).1[0].as_ref().unwrap().gain, 0.0);
    assert_eq!(answers[0].as_ref().unwrap().effort, "other machine");
}

/// Four ranks on two hosts, filled one after the other. Each exchanges with the one that is two away, which takes 100 µs, and then with the next
/// one, which takes 10 µs.
fn partners() -> String {
    let mut text = "host a = 0,1\nhost b = 2,3\n".to_owned();
    for step in 0..40 {
        let begin = step * 120;
        for rank in 0..4 {
            let (far, near) = ((rank + 2) % 4, rank ^ 1);
            text += &format!("{rank} {begin} {} Sendrecv to={far} from={far} bytes=8\n", begin + 100);
            text += &format!("{rank} {} {} Sendrecv to={near} from={near} bytes=8\n", begin + 100, begin + 110);
        }
    }
    text
}

#[test]
fn ranks_on_other_hosts_are_simulated() {
    let run = ingested(&partners());
    let placed = |nodes: &[u32]| {
        let places = Places { nodes: nodes.to_vec(), count: 2, ..Places::default() };
        let places = Some(Ok(Arc::new(places)));
        vec![Change::Placement(Placement { places, ..Placement::given("by-node", nodes.to_vec()) })]
    };
    let questions = [placed(&[0, 0, 1, 1]), placed(&[0, 1, 0, 1]), placed(&[0, 0, 0, 0]), placed(&[0, 1, 1, 0])];
    let (reproduction, answers) = of(&run, Some(&questions));
    assert_near(reproduction.time.error(), 0.0, 0.02);
    let gains: Vec<f64> = answers.iter().map(|answer| answer.as_ref().unwrap().gain).collect();
    // 100 + 10 µs in either order of two hosts; all on one: 10 + 10 µs; both partners on the other host: 100 + 100 µs.
    for (gain, expected) in gains.iter().zip([0.0, 0.0, 90.0 / 120.0, -90.0 / 120.0]) {
        assert_near(*gain, expected, 0.03);
    }
    let answer = answers[2].as_ref().unwrap();
    assert_eq!((answer.change.as_str(), answer.effort), ("placement=by-node", "rank file"));
    let why =
        |change: Placement| of(&run, Some(&[vec![Change::Placement(change)]])).1.remove(0).unwrap_err().to_string();
    assert_eq!(why(Placement::named("best")), "placement=best: nodes of ranks are not known here");
    let refused = Placement { places: Some(Err("too far".to_owned())), ..Placement::named("best") };
    assert_eq!(why(refused), "placement=best: too far");
    let Change::Placement(short) = placed(&[0, 1]).remove(0) else { panic!() };
    assert_eq!(why(short), "placement=by-node: the order has 2 ranks, the run 4");
}

/// With a latency for each hop, messages between hosts that are farther apart take longer, under other changes as well.
#[test]
fn distant_hosts_are_farther_away() {
    let run = ingested(&partners());
    let nodes = [0u32, 0, 1, 1];
    let placed = |ns: f64, more: &str| {
        let far = vec![Far::default(), Far { measured: None, later_ns: ns }];
        let distances = Arc::new(Distances { far, class_of: vec![0, 1, 1, 0] });
        let places = Places { nodes: nodes.to_vec(), count: 2, distances, ..Places::default() };
        let places = Some(Ok(Arc::new(places)));
        let mut all = parse(more).unwrap();
        all.push(Change::Placement(Placement { places, ..Placement::given("far", nodes.to_vec()) }));
        all
    };
    let same = "latency=1x";
    let questions =
        [placed(0.0, same), placed(60_000.0, same), placed(-50_000.0, same), placed(60_000.0, "latency=2x")];
    let (_, answers) = of(&run, Some(&questions));
    let gains: Vec<f64> = answers.iter().map(|answer| answer.as_ref().unwrap().gain).collect();
    // 100 + 10 µs of 120; the last: twice 160 + 10.
    for (gain, expected) in gains.iter().zip([0.0, -60.0 / 120.0, 50.0 / 120.0, -220.0 / 120.0]) {
        assert_near(*gain, expected, 0.15);
    }
    assert!(gains[3] < gains[1]);
}

#[test]
fn of_gains_that_are_alike_the_easiest_is_first() {
    let answer = |change: &str, gain: f64, effort: &'static str| Answer {
        change: change.to_owned(),
        predicted_ns: 0,
        gain,
        low: gain,
        high: gain,
        effort,
        how: String::new(),
    };
    let mut answers = vec![
        answer("a", 0.1, "one variable"),
        answer("b", 0.335, "decomposition"),
        answer("c", 0.33, "one call site"),
        answer("d", 0.34, "other machine"),
        answer("e", -0.2, "one variable"),
    ];
    order(&mut answers);
    assert_eq!(answers.iter().map(|answer| answer.change.as_str()).collect::<String>(), "cbdae");
}

/// In each step rank 0 computes `late_ns` longer than rank 1, which then waits for it.
fn waiting(steps: u64, late_ns: u64, calls: impl Fn(u64, u64) -> String) -> String {
    let step = |at: u64| {
        let begin = at * (late_ns + 1_000);
        calls(begin, begin + late_ns)
    };
    std::iter::once("window 1 = comm 1\n".to_owned()).chain((0..steps).map(step)).collect()
}

#[test]
fn probes_and_epochs_wait_for_other_ranks() {
    let probe = |begin: u64, late: u64| {
        format!(
            "1 {} {} Probe from=0 tag=1\n1 {} {} Recv from=0 bytes=8 tag=1\n0 {late} {} Send to=1 bytes=8 tag=1\n0 {} {} Barrier\n1 {} {} Barrier\n",
            begin + 100,
            late + 10,
            late + 20,
            late + 30,
            late + 5,
            late + 50,
            late + 60,
            late + 45,
            late + 60,
        )
    };
    let post = |begin: u64, late: u64| {
        format!(
            "1 {} {} Win_start window=1\n1 {} {} Put window=1 target=0 bytes=8\n1 {} {} Win_complete window=1\n\
             0 {late} {} Win_post window=1\n0 {} {} Win_wait window=1\n0 {} {} Barrier\n1 {} {} Barrier\n",
            begin + 100,
            late + 5,
            late + 6,
            late + 8,
            late + 9,
            late + 12,
            late + 2,
            late + 3,
            late + 14,
            late + 50,
            late + 60,
            late + 45,
            late + 60,
        )
    };
    for (kind, text) in [("late_sender", waiting(50, 10_000, probe)), ("wait_in_epoch", waiting(50, 10_000, post))] {
        let (reproduction, answers) = asked(&text, &["rank:0=2x faster"]);
        assert_near(reproduction.time.error(), 0.0, 0.02);
        let waits = reproduction.waits.iter().find(|row| row.what == kind).unwrap();
        assert_near(waits.error(), 0.0, 0.05);
        assert!(waits.recorded_ns > 50 * 9_000, "{kind}: {}", waits.recorded_ns);
        // Nearly all of the time rank 0 computes.
        assert_near(answers[0].as_ref().unwrap().gain, 0.5, 0.02);
    }
}

#[test]
fn only_the_barrier_of_a_line_is_left_out() {
    // Each rank is late by turns to a barrier, which a reduction of the same line follows.
    let mut text = String::new();
    for step in 0..40u64 {
        let begin = step * 1_000;
        for rank in 0..2 {
            let late = if step % 2 == rank { 500 } else { 900 };
            let enter = begin + late;
            text += &format!(
                "{rank} {enter} {} Barrier site=1\n{rank} {} {} Allreduce bytes=8 site=1\n",
                begin + 905,
                begin + 906,
                begin + 912,
            );
        }
    }
    let (_, answers) = asked(&text, &["site:1=none", "MPI_Barrier=none"]);
    let gains = answers.iter().map(|answer| answer.as_ref().unwrap().gain);
    let gains: Vec<f64> = gains.collect();
    assert_near(gains[0], gains[1], 1e-9);
    assert!(gains[0] < 0.02, "{gains:?}");
}

#[test]
fn an_access_waits_for_its_target_unless_there_is_progress() {
    let mut text = "window 1 = comm 1\n".to_owned();
    for step in 0..50u64 {
        let at = 1000 + step * 1000;
        let (lock, done, both) = (at + 100, at + 605, at + 900);
        text += &format!(
            "0 {lock} {} Win_lock window=1 target=1\n0 {} {done} Win_unlock window=1 target=1\n\
             0 {both} {} Barrier\n1 {} {} Barrier\n",
            at + 602,
            at + 603,
            both + 10,
            at + 600,
            both + 10,
        );
    }
    let (reproduction, answers) = asked(&text, &["progress=always", "rank:1=2x faster"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    let waits = reproduction.waits.iter().find(|row| row.what == "rma_wait_for_progress").unwrap();
    assert_near(waits.error(), 0.0, 0.05);
    // In each step of 1,000 µs rank 1 computes for 690 µs, rank 0 for 190 µs before and 295 µs after its access.
    assert_near(answers[0].as_ref().unwrap().gain, 0.3, 0.02);
    assert_near(answers[1].as_ref().unwrap().gain, 1.0 - 0.001 * (345.0 + 3.0 + 295.0 + 10.0), 0.02);
}

#[test]
fn a_sender_without_room_waits_for_its_receiver() {
    let (mut text, mut now) = (String::new(), 0);
    let received = |at: u64| 1000 * (at + 1);
    for at in 0..60u64 {
        let start = now + 100;
        now = at.checked_sub(20).map_or(0, |taken| received(taken) + 5).max(start + 2);
        text += &format!("0 {start} {now} Send to=1 tag=1 bytes=8 site=1\n");
        text += &format!("1 {} {} Recv from=0 tag=1 bytes=8 site=2\n", received(at), received(at) + 3);
    }
    let (reproduction, answers) = asked(&text, &["rank:1=5x faster"]);
    assert_near(reproduction.time.error(), 0.0, 0.02);
    let waits = reproduction.waits.iter().find(|row| row.what == "late_receiver").unwrap();
    assert_near(waits.error(), 0.0, 0.02);
    assert_near(answers[0].as_ref().unwrap().gain, 0.8, 0.03);
}

/// Two ranks on two hosts that exchange messages of 1 MB in every step, each of which takes 2,400 µs alone; over a connection whose answers come after
/// its data: each rank begins an exchange in the middle of the other one's.
fn exchange_in_turn() -> String {
    let mut text = "host a = 0\nhost b = 1\n".to_owned();
    for step in 0..30 {
        let at = 10_000 + step * 9_600;
        for (rank, begin, end) in [(0, at, at + 2_400), (0, at + 2_450, at + 9_550)] {
            text += &format!("{rank} {begin} {end} Sendrecv to=1 from=1 bytes=1000000 site=4\n");
        }
        for (rank, begin, end) in [(1, at - 2_350, at + 4_750), (1, at + 4_800, at + 7_200)] {
            text += &format!("{rank} {begin} {end} Sendrecv to=0 from=0 bytes=1000000 site=4\n");
        }
    }
    text
}

#[test]
fn answers_that_queue_are_found_and_replayed() {
    let run = ingested(&exchange_in_turn());
    let (translator, sections, fit) = fitted(&run);
    let ways = fit.hindrances();
    assert!(ways[0].answers_queue && ways.len() == 4, "{ways:?}");
    let equally = fit.network([None, None], &translator.kinds, Hindrance::default());
    let networks = ways.iter().map(|way| fit.network([None, None], &translator.kinds, *way)).collect();
    let known = known(&run, &translator);
    let replayed = |network: &Network| {
        let mut model = Model::new(known, network, &[]);
        sections.iter().for_each(|section| model.add(section));
        model.finish().0
    };
    let (before, after) = (replayed(&equally), replayed(&closest(known, networks, &sections)));
    // Each rank waits for half of the time for a rank that has not come.
    assert!(before.error_of_waits() > 0.5, "{before:?}");
    assert!(after.time.error().abs() < 0.02 && after.error_of_waits() < 0.1, "{after:?}");
    assert!(after.notes[0].contains("answers"), "{:?}", after.notes);
}

/// Rank 0 of one host sends 50 messages in a row to rank 1 of another one, one every 2 µs. A message that is alone takes 1 ms, and the port 10 µs for
/// each. Rank 1 receives them one by one, or all in one call; `lone` sends one more in each step, which is alone.
fn rows_of_messages(in_one_call: bool, lone: bool) -> String {
    let mut text = "host a = 0\nhost b = 1\n".to_owned();
    for step in 0..40u64 {
        let at = 10_000 + step * 4_000;
        let there = |message: u64| at + 1_000 + 10 * message;
        if lone {
            text += &format!("0 {} {} Send to=1 tag=2 bytes=8 site=9\n", at - 1_500, at - 1_499);
            text += &format!("1 {} {} Recv from=0 tag=2 bytes=8 site=8\n", at - 1_600, at - 500);
        }
        for message in 0..50 {
            let sent = at + 2 * message;
            text += &format!("0 {sent} {} Send to=1 tag=1 bytes=8 site=1\n", sent + 1);
            match in_one_call {
                true => {
                    let posted = at - 400 + message;
                    text += &format!("1 {posted} {posted} Irecv from=0 tag=1 bytes=8 request={} site=2\n", message + 1);
                }
                false => {
                    let begin = if message == 0 { at - 100 } else { there(message - 1) };
                    text += &format!("1 {begin} {} Recv from=0 tag=1 bytes=8 site=2\n", there(message));
                }
            }
        }
        if in_one_call {
            let requests: Vec<String> = (1..=50).map(|message| message.to_string()).collect();
            text += &format!("1 {} {} Waitall requests={} site=3\n", at - 100, there(49), requests.join(","));
        }
    }
    text
}

#[test]
fn messages_in_a_row_tell_latency_from_what_each_of_them_takes() {
    for (in_one_call, lone) in [(false, false), (false, true), (true, true)] {
        let run = ingested(&rows_of_messages(in_one_call, lone));
        let (_, _, network) = translated(&run);
        let far = &network.links[1];
        assert_near(far.port_ns_per_message, 10_000.0, 300.0);
        assert_near(far.transit.at(8), 1e6, 20_000.0);
        assert_eq!(network.links[0].port_ns_per_message, 0.0, "no message passes a port within a host");
        let (reproduction, answers) = asked(&rows_of_messages(in_one_call, lone), &["site:1=aggregated"]);
        assert_near(reproduction.time.error(), 0.0, 0.01);
        assert!(reproduction.notes[0].contains("occupies the network"), "{:?}", reproduction.notes);
        // One message is there 10 µs × 49 earlier, less the time in which the sends followed each other.
        let gain_ns = answers[0].as_ref().unwrap().gain * reproduction.time.replayed_ns as f64;
        assert!(gain_ns > 300_000.0, "{gain_ns}");
    }
}

#[test]
fn rows_that_tell_nothing_of_the_latency_leave_it_as_it_was() {
    let run = ingested(&rows_of_messages(true, false));
    let (_, _, fit) = fitted(&run);
    let (_, _, network) = translated(&run);
    assert_eq!(network.links[1].port_ns_per_message, 0.0);
    assert!(network.links[1].transit.at(8) > 1.3e6, "of the last one");
    assert!(fit.note().is_some());
    let (_, _, alone) = fitted(&ingested(&exchange_in_turn()));
    assert_eq!(alone.note(), None, "no messages in a row");
}

#[test]
fn calls_without_costs_in_the_model_may_take_longer_over_another_network() {
    // Accesses to a window of the other rank take a third of the time.
    let mut text = "window 1 = comm 1\n".to_owned();
    for begin in (0..50).map(|step| step * 300) {
        for rank in 0..2 {
            text += &format!("{rank} {begin} {} Win_lock window=1 target={}\n", begin + 1, 1 - rank);
            text += &format!("{rank} {} {} Win_unlock window=1 target={}\n", begin + 1, begin + 100, 1 - rank);
        }
    }
    let (_, answers) = asked(&text, &["bandwidth=0.1x", "bandwidth=10x", "balance=perfect"]);
    let [slower, faster, balanced] = [0, 1, 2].map(|at| answers[at].as_ref().unwrap());
    assert!(slower.low < -2.5 && slower.high > slower.gain, "{slower:?}");
    assert!(faster.high > 0.29 && faster.low > -0.4, "{faster:?}");
    assert!(balanced.high - balanced.low < 0.1, "{balanced:?}");
}

#[test]
fn operations_on_files_take_as_long_as_they_took_after_the_last_member() {
    // Rank 1 computes for 100 µs longer; writing takes 10 or 190 µs, and every fourth time, rank 0 does not wait.
    let mut text = String::new();
    let mut begin = 0;
    for step in 0..40 {
        let (last, takes) = (begin + 200, if step % 2 == 0 { 10 } else { 190 });
        let end = last + takes;
        let first_end = if step % 4 == 3 { begin + 110 } else { end };
        text += &format!("0 {} {first_end} File_write_at_all bytes=100\n", begin + 100);
        text += &format!("1 {last} {end} File_write_at_all bytes=100\n");
        for (rank, from) in [(0, first_end), (1, end)] {
            text += &format!("{rank} {from} {} Barrier\n", end + 1);
        }
        begin = end + 1;
    }
    let (reproduction, answers) = asked(&text, &["rank:1=2x faster"]);
    let of = |rows: &[crate::Row], what: &str| rows.iter().find(|row| row.what == what).map(crate::Row::error);
    assert_eq!(of(&reproduction.functions, "MPI_File_write_at_all"), Some(0.0));
    assert_near(reproduction.time.error(), 0.0, 0.01);
    // Then both ranks come at once.
    assert_near(answers[0].as_ref().unwrap().gain, 40.0 * 100.0 / f64::from(begin), 0.01);
}
