//! Time in MPI that is not waiting and that no other finding covers.

use std::collections::BTreeMap;

use mpiscope_model::{Outcome, Tape};
use mpiscope_store::{CallInfo, Dimensions};
use mpiscope_units::{bytes, counted, percent, time};

use super::accesses::Accesses;
use crate::explanation::{Confidence, Explanation, Finding, Relations, Rule, Value, WaitKind, share_of};

/// Share of the rank time from which such time is a finding: any program spends less than this in MPI.
const LEAST: f64 = 0.15;
/// At most this many places are named.
const NAMED: usize = 4;
/// Places with less of the time than this are not named.
const LEAST_OF_PLACE: f64 = 0.01;
/// Calls that move less than this on average can be fewer and larger ones, bytes.
pub(super) const SMALL_BYTES: u64 = 4096;
/// In calls that move at least this on average, latency hardly counts: the data are the reason, however slowly they move, bytes.
const LARGE_BYTES: u64 = 64 << 10;
/// If copying the data takes at least this share of the time, the data are the reason; the same for the network between hosts.
const MOSTLY: f64 = 0.5;
/// Calls on files.
const FILES: &str = "MPI_File_";
/// So many calls are many, …
const MANY_CALLS: u64 = 1000;
/// … and short if their mean time is at most this, which is about what the fastest messages within a host take, ns.
const SHORT_CALL_NS: u64 = 1_000;
/// The rule of this file.
pub(crate) const RULE: Rule = Rule {
    id: "unexplained_mpi_time",
    what: "Much time in MPI is not waiting for another rank, and no other finding explains it.",
    formula: "Time in MPI other than waiting − all such time at the call sites that findings about time inside calls name. The \
              bytes of all calls divided by the measured copy speed of a core give the time for copying each byte once. Time is \
              also counted as moving data where all sides of non-blocking operations are in the calls that complete them. The \
              network is the reason where calls that need messages or ranks of other hosts take most of such time; files are where calls \
              on files do, and small accesses to windows where at least 1000 of them move less than 4 KiB on average and take, with \
              synchronising, most of it. Data are also the reason, at a lower speed, where calls that move \
              data move 64 KiB or more on average. If none of these is the reason, and at least 1000 calls take at most 1 µs each, their number is.",
    threshold: "15 % of the rank time",
    doubt: "A rank without a core inside a call looks the same, and so does a rank that waits for another one which forwards \
            data inside a collective operation.",
    saving: "Not stated: no change is known that could be replayed.",
    relations: Relations::LATE,
};

/// Reports where the time is spent, and what can and cannot be the reason.
pub(crate) fn find(
    facts: &[Vec<CallInfo>],
    dimensions: &Dimensions,
    (tape, recorded): (&Tape, &Outcome),
    explanation: &mut Explanation,
) {
    let known_ns = explained_ns(explanation).saturating_add(inner_waits_ns(recorded, explanation));
    let rest_ns = explanation.time.communicating_ns.saturating_sub(known_ns);
    let scope = &explanation.scope;
    if rest_ns == 0 || rest_ns < share_of(scope, LEAST) {
        return;
    }
    let share = rest_ns as f64 / scope.rank_time_ns.max(1) as f64;
    let moving = || facts.iter().flatten().filter(|f| data_of(f) > 0);
    let moved = moving().map(data_of).fold(0, u64::saturating_add);
    let copy_speed = dimensions.ranks.first().and_then(|r| r.copy_bytes_per_s).filter(|&speed| speed > 0);
    let copy_ns = copy_speed.map(|speed| (moved as f64 / speed as f64 * 1e9) as u64);
    let is_most = |ns: u64| ns as f64 >= MOSTLY * rest_ns as f64;
    let transfer_ns: u64 = explanation.overlap.iter().map(|row| row.missed_ns).sum();
    let is_transfer = is_most(transfer_ns);
    let is_data = is_transfer || copy_ns.is_some_and(is_most);
    let is_worth_it = |ns: u64| ns as f64 >= LEAST_OF_PLACE * rest_ns as f64;
    let places: Vec<_> = explanation.places.iter().filter(|p| is_worth_it(p.communicating_ns)).take(NAMED).collect();
    let named: Vec<String> = places
        .iter()
        .map(|p| {
            let site = p.site.as_deref().map_or_else(String::new, |site| format!(" at {site}"));
            format!(
                "{}{site}: {}, {} per call",
                p.function,
                time(p.communicating_ns),
                mean(p.communicating_ns, p.calls)
            )
        })
        .collect();
    let data = match copy_ns {
        Some(ns) => format!(
            "All calls together send and receive {}; a core copies this amount in {} ({}).",
            bytes(moved),
            time(ns),
            if ns > rest_ns {
                "longer than this".into()
            } else {
                format!("{} of this time", percent(ns as f64 / rest_ns as f64))
            }
        ),
        None => format!(
            "All calls together send and receive {}. How fast a core copies was not measured in this run.",
            bytes(moved)
        ),
    };
    let transfer = match is_transfer {
        true => format!(
            " For {} of this time, all sides of non-blocking operations are in the calls that complete them: the data are \
             transferred there, and not during the computation before.",
            time(transfer_ns)
        ),
        false => String::new(),
    };
    let between_hosts = BetweenHosts::of(tape);
    let files = Calls::of(explanation, |function| function.starts_with(FILES));
    let all = Calls::of(explanation, |_| true);
    let mean_of = |calls: &mut dyn Iterator<Item = &CallInfo>| {
        let (bytes, calls) =
            calls.fold((0u64, 0u64), |(bytes, calls), f| (bytes.saturating_add(data_of(f)), calls + f.calls));
        bytes / calls.max(1)
    };
    let accesses = Accesses::of(facts, explanation);
    let reason = if is_most(files.ns) {
        Reason::Files
    } else if accesses.count >= MANY_CALLS && accesses.are_small() && is_most(accesses.ns) {
        Reason::SmallAccesses
    } else if is_data {
        Reason::Data
    } else if between_hosts.share >= MOSTLY {
        Reason::Network
    } else if mean_of(&mut moving()) >= LARGE_BYTES {
        Reason::SlowData
    } else if all.calls >= MANY_CALLS && all.ns / all.calls <= SHORT_CALL_NS {
        Reason::ShortCalls
    } else {
        Reason::Unknown
    };
    let is_meant = |f: &&CallInfo| reason != Reason::Files || mpiscope_abi::name(f.function).starts_with(FILES);
    let mean_bytes = mean_of(&mut moving().filter(is_meant));
    let calls = match reason {
        Reason::Network => between_hosts.text(),
        Reason::SmallAccesses => accesses.text(),
        Reason::ShortCalls => format!(
            "There are {} of {} each, mostly the cost of the call itself; those that move data move {} each. ",
            counted(all.calls, "call(s)"),
            mean(all.ns, all.calls),
            bytes(mean_bytes)
        ),
        _ => String::new(),
    };
    let finding = Finding {
        title: format!(
            "{} ({} of the rank time) in MPI are not waiting: {}",
            time(rest_ns),
            percent(share),
            reason.text()
        ),
        text: format!("Most of this time is in {}. {calls}{data}{transfer}", named.join("; ")),
        advice: reason.advice(mean_bytes, &accesses, dimensions),
        cost_ns: rest_ns,
        share,
        confidence: if reason == Reason::Unknown { Confidence::Low } else { Confidence::Medium },
        sites: places.iter().filter_map(|p| p.site.clone()).collect(),
        evidence: BTreeMap::from([
            ("inside_ns", Value::Int(explanation.time.communicating_ns)),
            ("bytes", Value::Int(moved)),
            ("copy_ns", copy_ns.map_or(Value::Text("unknown".into()), Value::Int)),
            ("transfer_ns", Value::Int(transfer_ns)),
            ("between_hosts", Value::Float(between_hosts.share)),
        ]),
        ..Finding::of(&RULE)
    };
    explanation.findings.push(finding);
}

/// Bytes that all calls with these facts send and receive.
pub(super) fn data_of(f: &CallInfo) -> u64 {
    f.bytes_sent.saturating_add(f.bytes_received).saturating_mul(f.calls)
}

/// Why the time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Files,
    SmallAccesses,
    Data,
    SlowData,
    Network,
    ShortCalls,
    Unknown,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::Files => "reading and writing files",
            Reason::SmallAccesses => "many small accesses to windows",
            Reason::Data => "moving data",
            Reason::SlowData => "moving data, more slowly than a core copies them",
            Reason::Network => "the network between hosts",
            Reason::ShortCalls => "many short calls",
            Reason::Unknown => "the reason is unknown",
        }
    }

    fn advice(self, mean_bytes: u64, accesses: &Accesses, dimensions: &Dimensions) -> String {
        match self {
            Reason::SmallAccesses => accesses.advice(),
            Reason::Files if mean_bytes < SMALL_BYTES => format!(
                "Collect the data in memory, and read or write them in fewer and larger calls (the mean call moves {}); where the parts of \
                 different ranks lie next to each other, in collective ones (MPI_File_write_at_all).",
                bytes(mean_bytes)
            ),
            Reason::Files => "Read and write less often, or only what is needed. Compare with what the file system can do, and with \
                              collective calls (MPI_File_write_at_all), which combine the parts of different ranks."
                .to_owned(),
            Reason::Data => advice_to_move_less(mean_bytes, dimensions),
            Reason::SlowData => format!(
                "{} The MPI may be faster with another algorithm or protocol: mpiscope bench measures what this machine reaches with each.",
                advice_to_move_less(mean_bytes, dimensions)
            ),
            Reason::Network => {
                "Send fewer and larger messages between hosts, compute while they are on their way, and put ranks that exchange most \
                 on one host (mpiscope place RUN). What the network could do: mpiscope bench, on the same hosts."
                    .to_owned()
            }
            Reason::ShortCalls => "Communicate less often, and more at once: put several values into one message or operation, and compute \
                                   more between exchanges (for example with a halo of two layers, exchanged every second step)."
                .to_owned(),
            Reason::Unknown => {
                "Possible reasons are the protocol, contention, missing progress, or ranks without a core. Compare with a run that has \
                 one rank fewer than cores (mpiscope diff), and see SPEED OF MESSAGES in mpiscope report --full."
                    .to_owned()
            }
        }
    }
}

/// Calls, and their time that is not waiting.
struct Calls {
    calls: u64,
    ns: u64,
}

impl Calls {
    fn of(explanation: &Explanation, is_such: impl Fn(&str) -> bool) -> Calls {
        let such = explanation.places.iter().filter(|place| is_such(place.function));
        such.fold(Calls { calls: 0, ns: 0 }, |all, place| Calls {
            calls: all.calls + place.calls,
            ns: all.ns + place.communicating_ns,
        })
    }
}

/// What helps where the data themselves take the time: it depends on how much a call moves, and between which hosts.
fn advice_to_move_less(mean_bytes: u64, dimensions: &Dimensions) -> String {
    let mean = bytes(mean_bytes);
    let mut text = format!("Move less data: only what changed, or a smaller datatype (the mean call moves {mean})");
    if mean_bytes < SMALL_BYTES {
        text += "; combine small messages and operations";
    }
    let mut hosts = dimensions.ranks.iter().map(|rank| &rank.host);
    let first = hosts.next();
    if hosts.any(|host| Some(host) != first) {
        text += "; put ranks that exchange much data on one host (mpiscope place RUN)";
    }
    text + "."
}

/// Calls that need messages or ranks of other hosts.
struct BetweenHosts {
    calls: u64,
    /// Of the time of all calls that is not waiting.
    share: f64,
    /// Half of them take less, ns.
    half_ns: u64,
}

impl BetweenHosts {
    fn of(tape: &Tape) -> BetweenHosts {
        let (mut far, mut all_ns) = (Vec::new(), 0u64);
        tape.each_own(|own| {
            all_ns += own.ns;
            if own.is_far {
                far.push(own.ns);
            }
        });
        far.sort_unstable();
        let share = far.iter().sum::<u64>() as f64 / all_ns.max(1) as f64;
        let half_ns = far.get(far.len() / 2).copied().unwrap_or(0);
        // The tape may have only parts of the run.
        BetweenHosts { calls: (far.len() as f64 / tape.share_of_calls().max(1e-9)) as u64, share, half_ns }
    }

    fn text(&self) -> String {
        format!(
            "{} of the time in calls that is not waiting is in {} that need messages or ranks of other hosts; half of these take {} or more \
             after what they need was sent. ",
            percent(self.share),
            counted(self.calls, "call(s)"),
            time(self.half_ns)
        )
    }
}

/// What other findings cover: all time at the places that they name, or their cost.
fn explained_ns(explanation: &Explanation) -> u64 {
    let others = || explanation.findings.iter().filter(|f| f.relations.explains_time_in_calls);
    let is_named = |site: &String| others().any(|f| f.sites.contains(site));
    let there = explanation.places.iter().filter(|p| p.site.as_ref().is_some_and(is_named));
    let at_places: u64 = there.map(|p| p.communicating_ns).sum();
    at_places.max(others().map(|f| f.cost_ns).sum())
}

/// Waits of ranks that forward data inside a collective operation: the replay has them, the list of waits does not.
fn inner_waits_ns(recorded: &Outcome, explanation: &Explanation) -> u64 {
    use WaitKind::{EarlyReduce, LateBroadcast, WaitAtBarrier, WaitAtNxn};
    let scope = &explanation.scope;
    // The tape may have only parts of the run.
    let part = scope.end_ns.saturating_sub(scope.start_ns) as f64 / recorded.recorded_ns.max(1) as f64;
    let missing = |kind: &WaitKind| {
        let known_ns: u64 = explanation.waits.iter().filter(|w| w.id == kind.id()).map(|w| w.wait_ns).sum();
        ((recorded.waits_ns[*kind as usize] as f64 * part) as u64).saturating_sub(known_ns)
    };
    [WaitAtBarrier, WaitAtNxn, EarlyReduce, LateBroadcast].iter().map(missing).sum()
}

fn mean(ns: u64, calls: u64) -> String {
    time(ns / calls.max(1))
}

#[cfg(test)]
mod tests {
    use mpiscope_ingest::testing::ingested;

    use super::*;

    #[test]
    fn advice_is_about_this_run() {
        let one = ingested("0 0 1 Barrier\n1 0 1 Barrier").dimensions;
        let two = ingested("host a = 0\nhost b = 1\n0 0 1 Barrier\n1 0 1 Barrier").dimensions;
        let large = advice_to_move_less(1 << 20, &one);
        assert!(large.contains("1.00 MiB") && !large.contains("host") && !large.contains("combine"), "{large}");
        let small = advice_to_move_less(100, &two);
        assert!(small.contains("one host") && small.contains("combine"), "{small}");
    }
}
