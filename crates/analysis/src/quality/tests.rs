//! Tiny runs, computed by hand. Times in the texts are µs.

use mpiscope_ingest::testing::ingested;
use mpiscope_store::{Batch, Dimensions, Message};
use proptest::prelude::*;

use crate::explanation::{Finding, Value};
use crate::{Explainer, Explanation};

fn explained(text: &str) -> Explanation {
    explained_on(text, |_| {})
}

/// On a machine that `known` describes.
fn explained_on(text: &str, known: impl Fn(&mut Dimensions)) -> Explanation {
    let mut run = ingested(text);
    known(&mut run.dimensions);
    let mut explainer = Explainer::new(&run.dimensions);
    run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}

/// The only finding of this id.
fn only<'a>(found: &'a Explanation, id: &str) -> &'a Finding {
    let all: Vec<&Finding> = found.findings.iter().filter(|f| f.id == id).collect();
    let [one] = all[..] else { panic!("{id}: {:?}", found.findings) };
    assert!(crate::rule(id).is_some());
    assert!(!one.title.is_empty() && !one.text.is_empty() && !one.advice.is_empty() && !one.evidence.is_empty());
    assert!(one.cost_ns <= found.scope.rank_time_ns);
    one
}

/// No rule of this part says anything; those of others may.
fn silent(found: &Explanation) {
    let own = |f: &&Finding| super::rules().any(|rule| rule.id == f.id);
    assert_eq!(found.findings.iter().filter(own).collect::<Vec<_>>(), Vec::<&Finding>::new());
}

/// Lines `0..n`, each made by `line` and starting `step` µs after the one before.
fn repeated(n: u64, step: u64, line: impl Fn(u64, u64) -> String) -> String {
    (0..n).map(|i| line(i, 100 + i * step)).collect()
}

#[test]
fn nothing_at_all() {
    silent(&explained("0 0 1 Barrier"));
    let run = ingested("0 0 1 Barrier");
    silent(&Explainer::new(&run.dimensions).finish(&run.dimensions, &run.facts));
}

#[test]
fn speed_of_pure_transfers_only() {
    // 1 µs + 1 ns for each byte. The last receive comes late: the send of 100 bytes is over, that of 4000 waits.
    let mut text = String::new();
    for (k, bytes) in [1000, 2000, 4000, 8000].into_iter().cycle().take(40).enumerate() {
        let (at, ns) = (100 * k, 1000 + bytes);
        text += &format!("1 {at} {} Recv from=0 bytes={bytes}\n", (at + 20) as f64 + f64::from(ns) / 1000.0);
        text += &format!("0 {} {} Send to=1 bytes={bytes}\n", at + 20, at + 21);
    }
    text += "0 5000 5001 Send to=1 bytes=100\n1 5100 5101 Recv from=0 bytes=100\n";
    for at in (5200..6200).step_by(200) {
        text += &format!("0 {at} {} Send to=1 bytes=4000\n", at + 101);
        text += &format!("1 {} {} Recv from=0 bytes=4000\n", at + 100, at + 102);
    }
    let found = explained(&text);
    let row = found.speed.iter().find(|r| r.class == "point-to-point same node").expect("a row");
    assert_eq!((row.function, row.messages), ("MPI_Send", 40));
    let [line] = row.segments[..] else { panic!("{:?}", row.segments) };
    assert!((line.latency_ns - 1000.0).abs() < 1.0, "{line:?}");
    assert!((line.bandwidth_bytes_per_s.unwrap_or(0.0) / 1e9 - 1.0).abs() < 0.01, "{line:?}");
    assert_eq!((line.from_bytes, line.to_bytes, line.points), (1000, 8000, 4));
    assert_eq!((row.eager_limit_bytes, row.rendezvous_from_bytes), (Some(100), Some(4000)));
    assert_eq!(row.eager_confidence, Some(1.0));
}

#[test]
fn a_collective_waits_and_moves() {
    let found = explained(
        "0 0 30 Allreduce bytes=8000
         1 10 32 Allreduce bytes=8000
         2 20 30 Allreduce bytes=8000
         0 40 41 Bcast bytes=600 root=0
         1 35 45 Bcast bytes=600 root=0
         2 44 46 Bcast bytes=600 root=0",
    );
    let row = |f: &str| found.collectives.iter().find(|r| r.function == f).expect("a row").clone();
    let all = row("MPI_Allreduce");
    assert_eq!((all.count, all.ranks, all.bytes), (1, 3, 24_000));
    // Waiting 20 + 10 + 0, moving 10 + 12 + 10, 12 from the last entry to the last return.
    assert_eq!((all.wait_ns, all.transfer_ns, all.elapsed_ns), (30_000, 32_000, 12_000));
    assert_eq!(all.bandwidth_bytes_per_s, Some(2e9));
    // Only rank 1 comes before the root.
    let bcast = row("MPI_Bcast");
    assert_eq!((bcast.wait_ns, bcast.transfer_ns), (5_000, 1_000 + 5_000 + 2_000));
}

#[test]
fn a_slow_place_of_a_fast_operation() {
    let operations = |site: u32, us: u64| {
        move |_: u64, at: u64| {
            (0..2).map(|r| format!("{r} {at} {} Allreduce bytes=65536 site={site}\n", at + us)).collect::<String>()
        }
    };
    let fast = repeated(10, 1000, operations(1, 20));
    let slow = repeated(10, 1000, |i, at| operations(2, 200)(i, at + 20_000));
    let found = explained(&(fast.clone() + &slow));
    let slow = only(&found, "slow_collective");
    // 2 ranks × 10 × 180 µs more than the best.
    assert!(slow.cost_ns.abs_diff(3_600_000) < 10_000, "{}", slow.cost_ns);
    assert_eq!(slow.ranks, [0, 1]);
    assert!(!slow.proof.is_empty());
    silent(&explained(&fast));
}

#[test]
fn operations_are_compared_with_copies_of_the_machine() {
    // 2 ranks move 131072 bytes in 20 µs: each 3.2768 GB/s.
    let operation = |_: u64, at: u64| {
        (0..2).map(|r| format!("{r} {at} {} Allreduce bytes=65536 site=1\n", at + 20)).collect::<String>()
    };
    let fast = repeated(10, 1000, operation);
    let measured = |d: &mut Dimensions| d.ranks.iter_mut().for_each(|r| r.copy_bytes_per_s = Some(8_192_000_000));
    let share = |found: &Explanation| found.collectives[0].copy_share;
    let bytes = explained(&fast).collectives[0].bytes;
    let wanted = bytes as f64 / 10.0 / 20e-6 / 2.0 / 8_192_000_000.0;
    let found = share(&explained_on(&fast, measured)).expect("a share");
    assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    assert_eq!(share(&explained(&fast)), None);
    // Between hosts it is the network that counts.
    let two_hosts = |d: &mut Dimensions| {
        measured(d);
        d.ranks[1].host = "other".into();
    };
    assert_eq!(share(&explained_on(&fast, two_hosts)), None);
}

#[test]
fn what_costs_in_all_iterations() {
    // In each of 100 turns 20 small messages follow each other.
    let turn = |_: u64, at: u64| {
        let sends = (0..20).map(|i| format!("0 {} {} Send to=1 bytes=8 tag={i} site=1\n", at + 2 * i, at + 2 * i + 1));
        let receives = (0..20)
            .map(|i| format!("1 {} {} Recv from=0 bytes=8 tag={i} site=2\n", at + 100 + 2 * i, at + 100 + 2 * i + 1));
        let both = (0..2).map(|r| format!("{r} {} {} Barrier site=3\n", at + 200, at + 300));
        sends.chain(receives).chain(both).collect::<String>()
    };
    let found = explained(&repeated(100, 500, turn));
    let main = found.iterations.as_ref().expect("a loop");
    let count = main.count;
    let of_quality = found.findings.iter().filter(|f| super::rules().any(|rule| rule.id == f.id));
    for finding in of_quality {
        assert_eq!(finding.iterations, Some(vec![(0, count - 1)]), "{}", finding.id);
    }
    assert!(found.findings.iter().any(|f| f.id == "small_messages"), "{:?}", found.findings);
}

#[test]
fn transfer_in_the_wait() {
    let text = |wait: u64| {
        repeated(10, 1000, |_, at| {
            (0..2)
                .map(|r| {
                    let other = 1 - r;
                    format!(
                        "{r} {at} {} Irecv from={other} bytes=1000000 request=1\n\
                         {r} {} {} Isend to={other} bytes=1000000 request=2\n\
                         {r} {} {} Waitall requests=1,2\n",
                        at + 1,
                        at + 1,
                        at + 2,
                        at + 402,
                        at + 402 + wait,
                    )
                })
                .collect()
        })
    };
    let found = explained(&format!("host a = 0\nhost b = 1\n{}", text(300)));
    let finding = only(&found, "no_overlap");
    // Each Waitall completes two messages, 300 µs in all.
    assert_eq!((finding.cost_ns, &finding.ranks[..]), (2 * 10 * 300_000, &[0, 1][..]));
    let receives = found.overlap.iter().find(|o| o.function == "MPI_Irecv").expect("a row");
    assert_eq!((receives.count, receives.wait_ns, receives.away_ns), (20, 20 * 150_000, 20 * 401_000));
    assert!(found.caveats.iter().any(|c| c.contains("non-blocking operations")), "{:?}", found.caveats);
    silent(&explained(&format!("host a = 0\nhost b = 1\n{}", text(3))));
    // On one host a core copies the data, at this moment or another.
    silent(&explained(&text(300)));
}

#[test]
fn waiting_for_a_late_sender_is_no_missed_overlap() {
    // Rank 0 sends late: rank 1 waits 500 µs for it, and the transfer takes 4 µs.
    let found = explained(&repeated(10, 1000, |_, at| {
        format!(
            "1 {at} {} Irecv from=0 bytes=100000 request=1\n0 {} {} Send to=1 bytes=100000\n1 {} {} Wait requests=1\n",
            at + 1,
            at + 600,
            at + 604,
            at + 100,
            at + 604
        )
    }));
    silent(&found);
}

#[test]
fn receives_search_a_long_queue() {
    // 20 messages lie there; taking the last that was sent searches longest.
    let batch = |reversed: bool| {
        repeated(20, 2000, |_, at| {
            let sends = (0..20).map(|k| format!("0 {} {} Send to=1 tag={k} bytes=2000\n", at + 2 * k, at + 2 * k + 1));
            let mut clock = at + 100;
            let receives = (0..20).map(|k| {
                let (tag, us) = if reversed { (19 - k, 20 - k) } else { (k, 1) };
                clock += us;
                format!("1 {} {clock} Recv from=0 tag={tag} bytes=2000\n", clock - us)
            });
            sends.chain(receives).collect()
        })
    };
    let found = explained(&batch(true));
    let finding = only(&found, "unexpected_messages");
    // Σ (1..20) − 20 × the quickest tenth (1 to 3 µs, from samples), 20 times.
    assert!((3_000_000..=3_800_000).contains(&finding.cost_ns), "{}", finding.cost_ns);
    assert_eq!(finding.ranks, [1]);
    assert_eq!(finding.evidence["out_of_order_messages"], Value::Int(380));
    let queue = &found.queues[1];
    assert_eq!((queue.unexpected_max, queue.unexpected, queue.out_of_order), (20, 400, 380));
    assert_eq!(queue.kept_bytes_max, 20 * 2000);
    silent(&explained(&batch(false)));
}

#[test]
fn depths_of_queues() {
    let found = explained(
        "1 0 1 Irecv from=0 tag=1 bytes=8 request=1
         1 1 2 Irecv from=0 tag=2 bytes=8 request=2
         0 5 6 Isend to=1 tag=2 bytes=8 request=1
         0 7 8 Isend to=1 tag=1 bytes=8 request=2
         0 9 20 Waitall requests=1,2
         1 9 20 Waitall requests=1,2",
    );
    let [a, b] = &found.queues[..] else { panic!("{:?}", found.queues) };
    assert_eq!((a.sends_max, a.posted_max), (2, 0));
    assert_eq!((b.posted_max, b.unexpected_max, b.out_of_order), (2, 0, 1));
}

#[test]
fn many_small_messages_in_a_row() {
    let rows = |bytes: u64, answer: bool| {
        repeated(3000, 4, |i, at| {
            // Rank 1 works longer, so that rank 0 never waits.
            let answer = match answer {
                true => format!(
                    "1 {} {} Send to=0 bytes=8 site=9\n0 {} {} Recv from=1 bytes=8 site=9\n",
                    at + 2,
                    at + 3,
                    at + 1,
                    at + 3
                ),
                false => String::new(),
            };
            let tag = i % 3;
            format!(
                "0 {at} {} Send to=1 tag={tag} bytes={bytes}\n1 {at} {} Recv from=0 tag={tag} bytes={bytes}\n{answer}",
                at + 1,
                at + 1
            )
        })
    };
    let found = explained(&rows(8, false));
    let finding = only(&found, "small_messages");
    assert_eq!(finding.evidence["calls"], Value::Int(6000));
    assert_eq!(finding.evidence["rows"], Value::Int(1));
    assert!(finding.title.contains("MPI_Send") && finding.title.contains("MPI_Recv"), "{}", finding.title);
    // 2999 of 3000 calls of 1 µs on each side.
    assert!(finding.cost_ns.abs_diff(5_998_000) <= 2, "{}", finding.cost_ns);
    silent(&explained(&rows(4096, false)));
    silent(&explained(&rows(8, true)));
}

#[test]
fn polls_in_a_loop() {
    let polls = |us: u64| {
        repeated(10, 1000, |_, at| format!("0 {at} {} Iprobe from=1 tag=1 calls=100 site=3\n", at + us))
            + "1 0 11000 Barrier\n0 10990 11000 Barrier\n"
    };
    let found = explained(&polls(500));
    let finding = only(&found, "polling");
    assert_eq!((finding.cost_ns, &finding.ranks[..]), (5_000_000, &[0][..]));
    assert_eq!(finding.evidence["calls"], Value::Int(1000));
    silent(&explained(&polls(5)));
}

#[test]
fn barriers_beside_what_synchronises() {
    let text = |gap: u64, with_send: bool| {
        repeated(20, 2000, |_, at| {
            let mut lines = String::new();
            for r in 0..2u64 {
                lines += &format!("{r} {} {} Barrier site=4\n", at + 100 * r, at + 110);
                if with_send {
                    lines += &format!("{r} {} {} Comm_size\n", at + 111, at + 112);
                }
                lines += &format!("{r} {} {} Allreduce bytes=8 site=5\n", at + 113 + gap, at + 120 + gap);
            }
            lines
        })
    };
    let found = explained(&text(0, false));
    let finding = only(&found, "redundant_barrier");
    // 10 µs on both ranks, 20 times; the wait of 100 µs would move.
    assert_eq!(finding.cost_ns, 2 * 20 * 10_000);
    assert_eq!(finding.evidence["redundant"], Value::Int(20));
    silent(&explained(&text(500, false)));
    silent(&explained(&text(0, true)));
}

#[test]
fn a_barrier_after_an_allreduce() {
    let found = explained(&repeated(40, 2000, |_, at| {
        (0..2)
            .map(|r| {
                format!("{r} {at} {} Allreduce bytes=8 site=5\n{r} {} {} Barrier site=4\n", at + 9, at + 10, at + 40)
            })
            .collect()
    }));
    assert_eq!(only(&found, "redundant_barrier").cost_ns, 2 * 40 * 30_000);
}

#[test]
fn questions_in_a_hot_loop() {
    let asked = |n: u64| repeated(n, 4, |_, at| format!("0 {at} {} Comm_rank site=7\n", at + 1));
    let found = explained(&asked(3000));
    let finding = only(&found, "needless_calls");
    assert_eq!((finding.cost_ns, &finding.ranks[..]), (3_000_000, &[0][..]));
    assert_eq!(finding.evidence["calls"], Value::Int(3000));
    assert!(finding.title.contains("3,000 times"), "{}", finding.title);
    silent(&explained(&asked(900)));
}

#[test]
fn small_collective_operations_in_a_row() {
    // In each of 40 turns ten operations, of 3 µs after the last one has come; rank 0 comes 20 µs later to the first.
    let text = |bytes: u64, apart_us: u64, between: &str, functions: [&str; 2]| {
        repeated(40, 200, |_, at| {
            let one = |i: u64, rank: u64| {
                let begin = at + (3 + apart_us) * i;
                let come = if i == 0 { begin - 20 * rank } else { begin };
                let after =
                    if between.is_empty() { String::new() } else { format!("{rank} {0} {0} {between}\n", begin + 3) };
                let function = functions[i as usize % 2];
                format!("{rank} {come} {} {function} bytes={bytes} root=0 site=4\n{after}", begin + 3)
            };
            (0..10).flat_map(|i| (0..2).map(move |rank| one(i, rank))).collect()
        })
    };
    for function in ["Allreduce", "Bcast", "Alltoall"] {
        let found = explained(&text(8, 1, "", [function; 2]));
        let finding = only(&found, "small_collectives");
        // Waiting for rank 0 is not part of it.
        assert_eq!(finding.cost_ns, 2 * 40 * 9 * 3_000, "{function}");
        assert_eq!(
            (finding.evidence["calls"].clone(), finding.evidence["rows"].clone()),
            (Value::Int(800), Value::Int(80))
        );
        assert!(finding.text.starts_with("800 calls in 80 sequences of 10 on average"), "{}", finding.text);
        assert!(finding.is_bound && finding.ranks == [0, 1]);
    }
    let is_found = |text: String| explained(&text).findings.iter().any(|f| f.id == "small_collectives");
    assert!(!is_found(text(4096, 1, "", ["Allreduce"; 2])), "data, not latency");
    assert!(!is_found(text(8, 3, "", ["Allreduce"; 2])), "computing that may need the result");
    assert!(!is_found(text(8, 1, "Comm_rank", ["Allreduce"; 2])), "other calls between them");
    assert!(!is_found(text(8, 1, "", ["Allreduce", "Bcast"])), "operations of two kinds");
    assert!(!is_found(text(0, 1, "", ["Barrier"; 2])), "no data");
}

#[test]
fn a_loop_that_waits_for_a_time_needs_it() {
    let text = |until: u64| {
        let step = |at: u64| {
            format!(
                "0 {} {} Wtime site=1 calls=5000 inside=450\n0 {} {} Barrier\n",
                at,
                at + until,
                at + 990,
                at + 1_000
            )
        };
        let other = |at: u64| format!("1 {} {} Barrier\n", at + 980, at + 1_000);
        (0..20).map(|at| step(1_000 * at) + &other(1_000 * at)).collect::<String>()
    };
    let is_needless = |text: &str| explained(text).findings.iter().any(|f| f.id == "needless_calls");
    assert!(!is_needless(&text(700)));
    // It computes between them: then it asks more often than it needs to.
    assert!(is_needless(&text(985).replace("inside=450", "inside=200")));
}

#[test]
fn communicators_of_a_loop() {
    // Rank 1 enters 100 µs later; from then on creating one takes 50 µs, and freeing it 10.
    let created = |n: u64, name: &'static str| {
        repeated(n, 1000, move |_, at| {
            let ends = |rank: u64, at: u64, name: &str, us: u64| {
                format!("{rank} {} {} {name} site=7\n", at + 100 * rank, at + 100 + us)
            };
            [
                ends(0, at, name, 50),
                ends(1, at, name, 50),
                ends(0, at + 200, "Comm_free", 10),
                ends(1, at + 200, "Comm_free", 10),
            ]
            .concat()
        })
    };
    let found = explained(&created(101, "Comm_dup"));
    let finding = only(&found, "recreated_objects");
    assert_eq!((finding.ranks.len(), finding.evidence["created_again"].clone()), (2, Value::Int(200)));
    // The first one has to be created.
    assert_eq!(finding.cost_ns, 2 * 100 * (50_000 + 10_000));
    assert!(finding.text.starts_with("MPI_Comm_dup at text+0x70 is called 202 times"), "{}", finding.text);
    assert!(explained(&created(8, "Comm_dup")).findings.iter().all(|f| f.id != "recreated_objects"));
    // All are created first, and freed at the end.
    let apart =
        repeated(50, 1000, |_, at| format!("0 {at} {0} Comm_split site=7\n1 {at} {0} Comm_split site=7\n", at + 500))
            + &repeated(50, 100, |_, at| {
                let at = at + 60_000;
                format!("0 {at} {0} Comm_free site=8\n1 {at} {0} Comm_free site=8\n", at + 50)
            });
    assert!(explained(&apart).findings.iter().all(|f| f.id != "recreated_objects"));
}

#[test]
fn one_rank_sends_everything() {
    let text = |hot: bool| {
        repeated(20, 2000, |i, at| {
            (1..4)
                .map(|k| {
                    let (from, to) = if hot { (0, k) } else { ((i + k) % 4, (i + k + 1) % 4) };
                    let at = at + 300 * k;
                    format!(
                        "{to} {} {} Recv from={from} bytes=1000000\n{from} {at} {} Send to={to} bytes=1000000\n",
                        at - 5,
                        at + 200,
                        at + 200
                    )
                })
                .collect()
        })
    };
    let found = explained(&text(true));
    let finding = only(&found, "hot_sender");
    // 60 sends of 200 µs, less the mean of four ranks.
    assert_eq!(finding.cost_ns, 60 * 200_000 * 3 / 4);
    assert_eq!((&finding.ranks[..], &finding.cause_ranks[..]), (&[0][..], &[0][..]));
    silent(&explained(&text(false)));
}

#[test]
fn a_datatype_with_gaps_against_contiguous_bytes() {
    let contiguous = |k: u64, at: u64, us: u64| {
        format!(
            "1 {} {} Recv from=0 bytes=100000\n0 {at} {} Send to=1 bytes=100000 site={k}\n",
            at - 5,
            at + us,
            at + us
        )
    };
    let text = repeated(20, 2000, |_, at| contiguous(1, at, 20) + &contiguous(2, at + 500, 400));
    let mut run = ingested(&text);
    // The text has no datatypes: what is sent at site 2 gets one with gaps.
    let datatype = mpiscope_store::DatatypeRow { created_by: 1, size_bytes: 8, extent_bytes: 32, ..Default::default() };
    let slow =
        run.batches[0].messages.iter().map(|m| m.send).find(|s| s.end_ns - s.start_ns > 300_000).expect("a send");
    let site = run.facts[0][slow.facts as usize].site;
    run.facts[0].iter_mut().filter(|f| f.site == site && f.bytes_sent > 0).for_each(|f| f.datatype = 9);
    let explain = |run: &mpiscope_ingest::testing::Ingested| {
        let mut explainer = Explainer::new(&run.dimensions);
        run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
        explainer.finish(&run.dimensions, &run.facts)
    };
    silent(&explain(&run));
    run.dimensions.datatypes[0].insert(9, datatype);
    let found = explain(&run);
    let finding = only(&found, "packed_datatype");
    // 380 µs more on both ranks, 20 times; a twentieth of what 100 KB take elsewhere.
    assert_eq!(finding.cost_ns, 2 * 20 * 380_000);
    assert_eq!((finding.confidence, &finding.evidence["ratio"]), (crate::Confidence::Medium, &Value::Float(20.0)));
}

#[test]
fn costs_and_text_for_every_rule() {
    for rule in super::rules() {
        assert!(rule.threshold.len() > 20 && rule.formula.len() > 40 && rule.doubt.len() > 20, "{}", rule.id);
    }
}

/// A call of three ranks at some time; receives may find nothing, collectives may lack members.
fn any_line() -> impl Strategy<Value = (u64, String)> {
    (0u64..3, 0u64..5000, 0u64..300, 0usize..9, 0u64..3, 0u64..20_000, 1u64..4).prop_map(
        |(rank, start, length, what, peer, bytes, request)| {
            let call = match what {
                0 => format!("Send to={peer} bytes={bytes}"),
                1 => format!("Recv from={peer} bytes={bytes}"),
                2 => format!("Isend to={peer} bytes={bytes} request={request}"),
                3 => format!("Irecv from=any tag=any bytes={bytes} request={request}"),
                4 => format!("Waitall requests=1,2,3 status={peer}:0:{bytes}"),
                5 => "Barrier".to_owned(),
                6 => format!("Reduce root={peer} bytes={bytes}"),
                7 => format!("Iprobe from={peer} tag=0 calls={}", length + 1),
                _ => format!("Sendrecv to={peer} from={peer} bytes={bytes}"),
            };
            (start + length, format!("{rank} {start} {} {call}\n", start + length))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_run_is_explained(mut lines in proptest::collection::vec(any_line(), 1..120)) {
        lines.sort();
        let found = explained(&lines.into_iter().map(|l| l.1).collect::<String>());
        for f in &found.findings {
            prop_assert!(f.share <= 1.0 && f.proof.len() <= 16 && !f.evidence.is_empty());
        }
        for c in &found.collectives {
            prop_assert!(c.elapsed_ns <= c.transfer_ns || c.function == "MPI_Reduce");
        }
        for q in &found.queues {
            prop_assert!(q.unexpected <= q.messages && q.unexpected_max <= q.messages);
        }
    }

    /// Rows whose times make no sense, as a damaged file may have them.
    #[test]
    fn any_times(times in proptest::collection::vec(any::<[u64; 8]>(), 1..40), bytes in any::<u64>()) {
        let run = ingested("0 0 10 Isend to=1 bytes=8 request=1\n0 10 11 Wait requests=1\n1 0 10 Recv from=0 bytes=8");
        let known = run.batches[0].messages[0];
        let message = |t: &[u64; 8]| {
            let mut m = Message { bytes, ..known };
            (m.send.start_ns, m.send.end_ns, m.send.done_start_ns, m.send.done_end_ns) = (t[0], t[1], t[2], t[3]);
            (m.receive.start_ns, m.receive.end_ns) = (t[4], t[5]);
            (m.receive.done_start_ns, m.receive.done_end_ns) = (t[6], t[7]);
            m
        };
        let messages = times.iter().map(message).collect();
        let mut explainer = Explainer::new(&run.dimensions);
        explainer.add_batch(&run.dimensions, &run.facts, &Batch { messages, is_last: true, ..Batch::default() });
        explainer.finish(&run.dimensions, &run.facts);
    }
}
