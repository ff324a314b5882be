//! Programs at random: right ones never give a certain finding, whatever is read first; wrong ones give the same
//! findings however their events are interleaved.

use std::collections::BTreeSet;

use mpiscope_judge::testing::{Line, Scenario};
use mpiscope_judge::{Confidence, Finding, Judge, Settings};
use proptest::prelude::*;

/// One step that several ranks take together. Taken one after the other in this order, nobody ever waits for ever.
#[derive(Clone, Debug)]
enum Step {
    /// From, to, data, how it is sent and received.
    Message(u32, u32, usize, usize, usize),
    /// Two sends to receives of any source, posted before; which of them was first.
    Pair(u32, bool, usize),
    Exchange(u32, u32, usize, usize),
    Collective(usize, u32, usize),
    /// Non-blocking one, completed at the end.
    Later(usize, u32, usize),
}

const DATA: [&str; 5] = ["int:1", "double:2", "mixed:3", "char:7", "int:0"];
const BLOCKING: [&str; 9] = [
    "Barrier",
    "Bcast root=R D",
    "Allreduce MPI_SUM D",
    "Reduce root=R MPI_SUM D",
    "Allgather D recv=D",
    "Gather root=R D recv=D",
    "Scatter root=R send=D recv=D",
    "Alltoall D recv=D",
    "Comm_dup agreed=R",
];
const SENDS: [&str; 4] = ["Send", "Ssend", "Bsend", "Isend"];
const RECEIVES: [&str; 5] = ["Recv", "Recv any", "Irecv", "Probe", "Recv any tag"];

fn step(ranks: u32) -> impl Strategy<Value = Step> {
    let data = 0..DATA.len();
    prop_oneof![
        6 => (0..ranks, 1..ranks, data.clone(), 0..SENDS.len(), 0..RECEIVES.len())
            .prop_map(move |(a, b, d, s, r)| Step::Message(a, (a + b) % ranks, d, s, r)),
        2 => (0..ranks, any::<bool>(), data.clone()).prop_map(|(to, first, data)| Step::Pair(to, first, data)),
        1 => (0..ranks, 1..ranks, data.clone(), data.clone())
            .prop_map(move |(a, b, d, e)| Step::Exchange(a, (a + b) % ranks, d, e)),
        2 => (0..BLOCKING.len(), 0..ranks, data.clone()).prop_map(|(what, root, d)| Step::Collective(what, root, d)),
        1 => (0..BLOCKING.len() - 1, 0..ranks, data).prop_map(|(what, root, d)| Step::Later(what, root, d)),
    ]
}

fn program() -> impl Strategy<Value = (u32, Vec<Step>)> {
    (3u32..6).prop_flat_map(|ranks| (Just(ranks), proptest::collection::vec(step(ranks), 1..40)))
}

/// Each kind of data has a tag: with one for all a receive of any source may get another kind.
fn tag_of(data: usize) -> usize {
    data + 1
}

/// As text. One of the steps may be spoiled: other data on one side.
fn text(ranks: u32, steps: &[Step], spoiled: Option<usize>) -> String {
    let mut out = String::from("type mixed = int:1 double:1\n");
    let mut op = 0u64;
    let mut later: Vec<Vec<u64>> = vec![Vec::new(); ranks as usize];
    let mut line = |text: String| out += &(text + "\n");
    for (at, step) in steps.iter().enumerate() {
        let other = |data: usize| if spoiled == Some(at) { DATA[(data + 1) % DATA.len()] } else { DATA[data] };
        op += 10;
        match *step {
            Step::Message(from, to, data, send, receive) => {
                let (sent, taken, tag) = (DATA[data], other(data), tag_of(data));
                match SENDS[send] {
                    "Isend" => {
                        line(format!("{from} Isend to={to} tag={tag} {sent} op={op}"));
                        later[from as usize].push(op);
                    }
                    name => line(format!("{from} {name} to={to} tag={tag} {sent}")),
                }
                match RECEIVES[receive] {
                    "Recv" => line(format!("{to} Recv from={from} tag={tag} {taken}")),
                    "Recv any" => line(format!("{to} Recv from=any tag={tag} {taken} status={from}:{tag}")),
                    "Recv any tag" => line(format!("{to} Recv from={from} tag=any {taken} status={from}:{tag}")),
                    "Probe" => {
                        line(format!("{to} Probe from=any tag={tag} status={from}:{tag}"));
                        line(format!("{to} Recv from={from} tag={tag} {taken}"));
                    }
                    _ => {
                        line(format!("{to} Irecv from=any tag={tag} {taken} op={} status={from}:{tag}", op + 1));
                        line(format!("{to} Wait ops={}", op + 1));
                    }
                }
            }
            Step::Pair(to, first, data) => {
                let tag = tag_of(data);
                let (x, y) = ((to + 1) % ranks, (to + 2) % ranks);
                let (one, two) = if first { (x, y) } else { (y, x) };
                line(format!("{to} Irecv from=any tag={tag} {} op={} status={one}:{tag}", DATA[data], op + 1));
                line(format!("{to} Irecv from=any tag={tag} {} op={} status={two}:{tag}", other(data), op + 2));
                line(format!("{x} Send to={to} tag={tag} {}", DATA[data]));
                line(format!("{y} Send to={to} tag={tag} {}", DATA[data]));
                line(format!("{to} Waitall ops={},{}", op + 2, op + 1));
            }
            Step::Exchange(a, b, d, e) => {
                let (there, back) = (tag_of(d), tag_of(e));
                let (d, e) = (DATA[d], DATA[e]);
                line(format!("{a} Sendrecv to={b} tag={there} {d} from={b} rtag={back} recv={e}"));
                line(format!("{b} Sendrecv to={a} tag={back} {e} from={a} rtag={there} recv={d}"));
            }
            Step::Collective(what, root, data) => {
                for rank in 0..ranks {
                    let data = if rank == ranks - 1 { other(data) } else { DATA[data] };
                    line(format!(
                        "{rank} {}",
                        BLOCKING[what]
                            .replace('R', &root.to_string())
                            .replace('D', data)
                            .replace(&format!("{root}educe"), "Reduce")
                    ));
                }
            }
            Step::Later(what, root, data) => {
                for rank in 0..ranks {
                    let data = if rank == ranks - 1 { other(data) } else { DATA[data] };
                    let call = BLOCKING[what].to_owned();
                    let (name, rest) = call.split_once(' ').unwrap_or((&call, ""));
                    let rest = rest
                        .replace("root=R", &format!("root={root}"))
                        .replace(" D", &format!(" {data}"))
                        .replace("=D", &format!("={data}"));
                    let rest = if rest == "D" { data.to_owned() } else { rest };
                    let rest = rest.strip_prefix("D ").map_or(rest.clone(), |r| format!("{data} {r}"));
                    line(format!("{rank} I{} {rest} op={op}", name.to_lowercase()));
                    later[rank as usize].push(op);
                }
            }
        }
    }
    for (rank, ops) in later.iter().enumerate().filter(|(_, ops)| !ops.is_empty()) {
        let ops: Vec<String> = ops.iter().map(u64::to_string).collect();
        line(format!("{rank} Waitall ops={}", ops.join(",")));
    }
    (0..ranks).for_each(|rank| line(format!("{rank} Finalize")));
    line("finish".into());
    out
}

/// Every kind of step is found when it is spoiled, or the properties below say nothing.
#[test]
fn spoiled_steps_are_found() {
    let messages = (0..SENDS.len()).flat_map(|s| (0..RECEIVES.len()).map(move |r| Step::Message(0, 1, 1, s, r)));
    let collectives = (1..BLOCKING.len() - 1).map(|what| Step::Collective(what, 0, 1));
    let later = (1..BLOCKING.len() - 1).map(|what| Step::Later(what, 2, 1));
    for step in messages.chain(collectives).chain(later).chain([Step::Pair(0, true, 1), Step::Pair(2, false, 1)]) {
        let steps = [Step::Exchange(0, 1, 0, 1), step];
        for (spoiled, is_found) in [(None, false), (Some(1), true)] {
            let text = text(3, &steps, spoiled);
            let found = Scenario::parse(&text).judged().findings();
            assert_eq!(!wrong(&found).is_empty(), is_found, "{text}\n{found:#?}");
        }
    }
}

fn begun(scenario: &Scenario) -> Judge {
    let mut judge = Judge::new(Settings::default());
    scenario.definitions.iter().for_each(|(rank, definition)| judge.define(*rank, definition));
    judge
}

/// All that is wrong, by rule and place.
fn wrong(found: &[Finding]) -> BTreeSet<(&'static str, u64, u64)> {
    found.iter().filter(|f| f.confidence == Confidence::Certain).map(|f| (f.id, f.key, f.count)).collect()
}

/// The same events, in another order of the ranks.
fn shuffled(scenario: &Scenario, choices: &[u8]) -> Judge {
    let mut judge = begun(scenario);
    let mut streams: Vec<std::collections::VecDeque<&Line>> = vec![Default::default(); scenario.size as usize];
    for line in &scenario.lines {
        if let Line::Event(rank, _) = line {
            streams[*rank as usize].push_back(line);
        }
    }
    let mut at = 0usize;
    while streams.iter().any(|s| !s.is_empty()) {
        let choice = choices[at % choices.len()] as usize;
        at += 1;
        let mut rank = (choice >> 3) % scenario.size as usize;
        while streams[rank].is_empty() {
            rank = (rank + 1) % scenario.size as usize;
        }
        let stream = &mut streams[rank];
        for _ in 0..=(choice & 7) * 2 {
            if let Some(Line::Event(rank, event)) = stream.pop_front() {
                judge.feed(*rank, event);
            }
        }
    }
    judge.report_at_end();
    judge
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever is read first.
    #[test]
    fn right_programs((ranks, steps) in program(), choices in proptest::collection::vec(any::<u8>(), 1..60)) {
        let text = text(ranks, &steps, None);
        let scenario = Scenario::parse(&text);
        let mut judge = shuffled(&scenario, &choices);
        let found = judge.findings();
        prop_assert!(wrong(&found).is_empty(), "{text}\n{found:#?}");
        prop_assert_eq!(judge.outstanding(), 0, "{}", text);
    }

    /// As it runs, with long standstills anywhere.
    #[test]
    fn right_programs_are_never_stuck((ranks, steps) in program(), stops in proptest::collection::vec(any::<bool>(), 1..50)) {
        let text = text(ranks, &steps, None);
        let scenario = Scenario::parse(&text);
        let mut judge = begun(&scenario);
        let mut now = 0;
        for (at, line) in scenario.lines.iter().enumerate() {
            if let Line::Event(rank, event) = line {
                judge.feed(*rank, event);
            }
            if stops[at % stops.len()] {
                now += 1_000_000_000;
                judge.standstill(now);
                judge.standstill(now + 900_000_000);
            }
        }
        judge.report_at_end();
        let found = judge.findings();
        prop_assert!(wrong(&found).is_empty(), "{text}\n{found:#?}");
    }

    /// Wrong ones are wrong in the same way.
    #[test]
    fn order_of_reading((ranks, steps) in program(), which in any::<prop::sample::Index>(), choices in proptest::collection::vec(any::<u8>(), 1..60)) {
        let spoiled = which.index(steps.len());
        let text = text(ranks, &steps, Some(spoiled));
        let scenario = Scenario::parse(&text);
        let usual = scenario.judged().findings();
        let mut judge = shuffled(&scenario, &choices);
        prop_assert_eq!(wrong(&usual), wrong(&judge.findings()), "{}", text);
    }

    /// Events that make no sense are no reason to fall over.
    #[test]
    fn anything_at_all(words in proptest::collection::vec((0u32..5, proptest::collection::vec(0u64..6, 8..24), 1u64..20), 1..60)) {
        use mpiscope_trace::check::words::decode;
        let scenario = Scenario::parse("window 1\nfile 1 = a\ncart 5 = 2x2\n3 Barrier");
        let mut judge = begun(&scenario);
        for (rank, mut words, kind) in words {
            words[0] = words.len() as u64 | kind << 16 | words[0] << 48;
            words[2] |= 1 << 32;
            if let Some(event) = decode(&words) {
                judge.feed(rank, &event);
            }
        }
        judge.standstill(1);
        judge.standstill(2_000_000_000);
        judge.report_at_end();
        judge.findings();
    }
}
