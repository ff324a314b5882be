//! Runs written down as text, for tests of everything that explains them (feature `testing`).
//!
//! A line is a call, in order of return on each rank:
//!
//! ```text
//! # rank  start   end  call       arguments
//!   0        0     10  Send       to=1 tag=3 bytes=80
//!   1        5     25  Recv       from=0 tag=3 bytes=80 region=solve site=2
//!   0       30     31  Isend      to=1 tag=4 bytes=8 request=1
//!   1       30     31  Irecv      from=any tag=any bytes=8 request=1
//!   1       31     45  Wait       requests=1 status=0:4:8
//!   0       45     50  Waitall    requests=1,2
//!   0       60     90  Allreduce  bytes=8
//!   1       80     90  Allreduce  bytes=8
//!   0       95     99  Bcast      root=0 bytes=100 comm=2
//!   0      100    150  region     region=solve
//! ```
//!
//! Times are µs. `comm=1` (the default) is `MPI_COMM_WORLD`; others are defined by `comm 2 = 0,1,3` before the first
//! call. `graph 2 = 2;0;0,1` makes it a distributed graph: which of its members send to each of them. `window=1` needs `window 1 = comm 1`. `group=1,2` are the ranks of `MPI_COMM_WORLD` that a `Win_post` or `Win_start` names,
//! `group=none` is an empty group; without `group` the recording does not contain the group. `calls=7` makes a run of unsuccessful polls, and
//! `inside=3` is the time in all of these calls. A call that ends at `-` has not returned: its rank does not come to
//! `MPI_Finalize`, and its recording ends with the text.
//!
//! A site is one place, unless its callers are said: `site 9 = 9,2,1` is the place 9, called from 2, called from 1.
//!
//! All ranks are on one host, unless it is said where they are, and how wrong the clocks there are:
//!
//! ```text
//! host a = 0
//! host b = 1,2 ahead=1000000 drift=50 rounds=3 error=2
//! ```
//!
//! The first is the reference. The clock of `b` is ahead by so many µs when the run begins, and goes faster by 50 millionths;
//! three rounds, at the beginning, in the middle and at the end, have measured it, with an error of at most 2 µs (and really
//! half of that, by turns ahead and behind). `rounds=0`: nobody has.

use std::collections::BTreeMap;

use mpiscope_abi::role::{Role, makes_request, role};
use mpiscope_abi::spec::{Flow, kind};
use mpiscope_run::{Diagnostic, Resolver, Run};
use mpiscope_store::{Batch, CallInfo, Dimensions};
use mpiscope_trace::Shape;
use mpiscope_trace::annotation::REGION;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::layout::{InFlight, state};
use mpiscope_trace::shape::flag;
use mpiscope_trace::testing::{Builder, Folded};
use mpiscope_trace::writer::{Completed, Extra};

use crate::Ingest;

/// Everything that a text describes.
pub struct Ingested {
    /// What ids stand for.
    pub dimensions: Dimensions,
    /// Facts of each rank.
    pub facts: Vec<Vec<CallInfo>>,
    /// Rows; one batch unless the text is long.
    pub batches: Vec<Batch>,
    /// What stood in the way.
    pub problems: Vec<Diagnostic>,
}

/// Reads a text, makes rank files of it and ingests them. Panics where the text makes no sense.
pub fn ingested(text: &str) -> Ingested {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(text, folder.path());
    ingested_run(folder.path()).expect("a run")
}

/// Ingests rank files of any bytes ([`Folded`], one after the other); what comes of it, if a run can be made of them.
/// `folder` is emptied.
pub fn ingested_bytes(files: &[&[u8]], folder: &std::path::Path) -> Option<Ingested> {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    std::fs::write(folder.join("run.json"), r#"{"format":1}"#).expect("run.json");
    for (at, bytes) in files.iter().enumerate() {
        Folded(bytes).unfold(&ranks.join(format!("h.{at}.rank"))).expect("a rank file");
    }
    let found = ingested_run(folder);
    for entry in std::fs::read_dir(&ranks).expect("a folder").flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
    found
}

/// Ingests the run in a folder; nothing if there is none.
pub fn ingested_run(folder: &std::path::Path) -> Option<Ingested> {
    let run = Run::open(folder, &Default::default()).ok()?;
    // No look-up of symbols: damaged files name any file of the machine.
    let resolver = Resolver::looking_in(Vec::new());
    let mut ingest = Ingest::new(&run, &resolver).ok()?;
    let mut batches = Vec::new();
    while let Some(batch) = ingest.next_batch().ok()? {
        batches.push(batch);
    }
    let problems = ingest.problems().to_vec();
    Some(Ingested { dimensions: ingest.dimensions().clone(), facts: ingest.call_info().to_vec(), batches, problems })
}

/// Makes a run of a text.
pub fn write(text: &str, run: &std::path::Path) {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let (definitions, calls): (Vec<&str>, Vec<&str>) = lines
        .into_iter()
        .partition(|l| ["comm ", "graph ", "window ", "host ", "site "].iter().any(|word| l.starts_with(word)));
    let calls: Vec<Line> = calls.iter().map(|l| Line::parse(l)).collect();
    let size = calls.iter().map(|c| c.rank).max().map_or(1, |m| m + 1);
    let (graphs, windows) = Default::default();
    let mut comms = Comms { members: BTreeMap::from([(1, (0..size).collect())]), graphs, windows };
    let (hosts, definitions): (Vec<&str>, Vec<&str>) = definitions.into_iter().partition(|l| l.starts_with("host "));
    let hosts: Vec<Host> = hosts.into_iter().map(Host::parse).collect();
    let mut sites: BTreeMap<u32, Vec<u64>> = (1..64).map(|site| (site, vec![address_of(site)])).collect();
    for definition in definitions {
        let (name, value) =
            definition.split_once('=').expect("comm N = ranks, graph N = sources, window N = comm M, site N = sites");
        let id: u32 = name.split_whitespace().nth(1).expect("a number").parse().expect("a number");
        if name.starts_with("site") {
            let frames = value.split(',').map(|site| address_of(site.trim().parse().expect("a site")));
            sites.insert(id, frames.collect());
        } else if name.starts_with("comm") {
            comms.members.insert(id + 1, ranks(value));
        } else if name.starts_with("graph") {
            comms.graphs.insert(id + 1, value.split(';').map(ranks).collect());
        } else {
            comms.windows.insert(id, value.trim().trim_start_matches("comm").trim().parse().expect("a number"));
        }
    }
    std::fs::create_dir_all(run.join("ranks")).expect("a folder");
    std::fs::write(run.join("run.json"), r#"{"format":1,"run_id":"1","program":["./text"]}"#).expect("run.json");
    let last_ns = calls.iter().map(|c| c.end_ns).max().unwrap_or(0);
    if let Some(reference) = hosts.first() {
        std::fs::create_dir_all(run.join("clocks")).expect("a folder");
        for host in &hosts {
            let text = host.measured(reference, last_ns);
            std::fs::write(run.join(format!("clocks/{}.jsonl", host.name)), text).expect("rounds");
        }
    }
    let mut by_rank: Vec<Vec<&Line>> = (0..size).map(|_| Vec::new()).collect();
    for call in &calls {
        by_rank[call.rank as usize].push(call);
    }
    for (rank, mine) in (0..size).zip(&by_rank) {
        let alone = Host::default();
        let host = hosts.iter().find(|host| host.ranks.contains(&rank)).unwrap_or(&alone);
        let bytes = file(rank, size, mine, &comms, &sites, host).bytes();
        let place = run.join(format!("ranks/{}.{}.rank", host.name, 1000 + rank));
        write_sparse(&place, &bytes).expect("a rank file");
    }
}

/// Without the zeros, as the collector leaves them out: a rank file is mostly room.
fn write_sparse(place: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt;
    const BLOCK: usize = 4096;
    let file = std::fs::File::create(place)?;
    file.set_len(bytes.len() as u64)?;
    for (at, block) in bytes.chunks(BLOCK).enumerate() {
        if block.iter().any(|&byte| byte != 0) {
            file.write_all_at(block, (at * BLOCK) as u64)?;
        }
    }
    Ok(())
}

/// Where ranks are, and what its clock says.
struct Host {
    name: String,
    ranks: Vec<i32>,
    ahead_us: i64,
    drift: f64,
    rounds: u64,
    error_us: u64,
}

impl Default for Host {
    fn default() -> Host {
        Host { name: "h".into(), ranks: Vec::new(), ahead_us: 0, drift: 0.0, rounds: 3, error_us: 0 }
    }
}

impl Host {
    fn parse(line: &str) -> Host {
        let (name, rest) = line.trim_start_matches("host ").split_once('=').expect("host NAME = ranks");
        let mut words = rest.split_whitespace();
        let ranks = words.next().expect("ranks").split(',').map(|r| r.parse().expect("a rank")).collect();
        let mut host = Host { name: name.trim().into(), ranks, ..Host::default() };
        for (key, value) in words.map(|w| w.split_once('=').expect("key=value")) {
            let number: f64 = value.parse().expect("a number");
            match key {
                "ahead" => host.ahead_us = number as i64,
                "drift" => host.drift = number * 1e-6,
                "rounds" => host.rounds = number as u64,
                "error" => host.error_us = number as u64,
                _ => panic!("ahead, drift, rounds or error: {line}"),
            }
        }
        host
    }

    /// What its clock says at a moment of the text.
    fn clock_ns(&self, ns: u64) -> u64 {
        let ahead = self.ahead_us * 1000 + (ns as f64 * self.drift).round() as i64;
        (ORIGIN_NS + ns).checked_add_signed(ahead).unwrap_or_else(|| panic!("{}: before the clock's 0", self.name))
    }

    /// What rounds have measured, as in `clocks/HOST.jsonl`.
    fn measured(&self, reference: &Host, last_ns: u64) -> String {
        let (name, of, at) = (&self.name, &reference.name, self.clock_ns(0));
        let mut text = format!(
            r#"{{"format":1,"host":"{name}","boot_id":"{name}","clock":"CLOCK_MONOTONIC","reference":"{of}","monotonic_ns":{at},"realtime_ns":{ORIGIN_NS}}}"#
        );
        // Rounds that are too close to each other count as one.
        let last_ns = last_ns.max(1_000_000_000);
        let rounds = if name == of { 0 } else { self.rounds };
        for round in 0..rounds {
            let ns = last_ns * round / rounds.saturating_sub(1).max(1);
            let at_ns = self.clock_ns(ns);
            let wrong = self.error_us as i64 * 500 * if round % 2 == 0 { 1 } else { -1 };
            let offset_ns = reference.clock_ns(ns) as i64 - at_ns as i64 + wrong;
            let rtt_ns = self.error_us * 2000;
            text +=
                &format!("\n{{\"when\":\"during\",\"at_ns\":{at_ns},\"offset_ns\":{offset_ns},\"rtt_ns\":{rtt_ns}}}");
        }
        text + "\n"
    }
}

/// When the time of a text begins, ns.
const ORIGIN_NS: u64 = 1_000_000_000;

/// Where a call of a site returns to.
fn address_of(site: u32) -> u64 {
    0x1000 + 16 * u64::from(site)
}

/// In the text 1 is `MPI_COMM_WORLD`, others are made; in a rank file 2 is `MPI_COMM_SELF`.
fn comm_id(number: u32) -> u32 {
    if number <= 1 { 1 } else { number + 1 }
}

/// Its handle in a program.
fn handle(comm: u32) -> u64 {
    0x4400_0000 + u64::from(comm)
}

/// By id.
struct Comms {
    members: BTreeMap<u32, Vec<i32>>,
    /// Of graphs, by member: those that send to it.
    graphs: BTreeMap<u32, Vec<Vec<i32>>>,
    /// The communicators of windows.
    windows: BTreeMap<u32, u32>,
}

fn ranks(text: &str) -> Vec<i32> {
    text.split(',').map(str::trim).filter(|rank| !rank.is_empty()).map(|rank| rank.parse().expect("a rank")).collect()
}

fn file(rank: i32, size: i32, calls: &[&Line], comms: &Comms, sites: &BTreeMap<u32, Vec<u64>>, host: &Host) -> Builder {
    let mut file = Builder::new(rank, size);
    let last_ns = host.clock_ns(calls.iter().map(|c| c.end_ns).max().unwrap_or(0));
    let first_ns = host.clock_ns(0);
    let header = &mut file.header;
    for (at, anchor) in header.anchors.iter_mut().enumerate() {
        anchor.ticks = if at == 2 { last_ns.max(first_ns + 1) } else { first_ns };
        anchor.monotonic_ns = anchor.ticks;
        anchor.realtime_ns = 1_700_000_000_000_000_000 + ORIGIN_NS;
    }
    (header.init_start, header.init_end) = (first_ns, first_ns);
    (header.finalize_start, header.finalize_end) = (last_ns, last_ns);
    file.info("host", &host.name);
    for (&id, members) in comms.members.iter().filter(|(_, m)| m.contains(&rank)) {
        let own = members.iter().position(|&m| m == rank).unwrap_or(0);
        let graph = comms.graphs.get(&id);
        let sources = graph.map(|of| of[own].clone()).unwrap_or_default();
        let is_source = |of: &Vec<i32>| of.contains(&(own as i32));
        let destinations: Vec<i32> =
            graph.map_or(Vec::new(), |of| (0..).zip(of).filter(|(_, of)| is_source(of)).map(|(to, _)| to).collect());
        file.define(Definition::Comm(Comm {
            id,
            rank: own as i32,
            topology: if graph.is_some() { 3 } else { 0 },
            indegree: sources.len() as u32,
            outdegree: destinations.len() as u32,
            sources: runs(&sources),
            destinations: runs(&destinations),
            size: members.len() as i32,
            membership: members.iter().fold(7, |h, &m| h * 31 + m as u64),
            ordinal: id,
            group: runs(members),
            handle: handle(id),
            ..Comm::default()
        }));
    }
    for (&id, &comm) in &comms.windows {
        file.define(Definition::Window { id, comm: comm_id(comm), created_by: 1, size: 1 << 20, disp_unit: 1 });
    }
    let mut regions: BTreeMap<&str, u32> = BTreeMap::new();
    for name in calls.iter().filter_map(|c| c.arguments.get("region")) {
        let next = regions.len() as u32 + 1;
        if let std::collections::btree_map::Entry::Vacant(free) = regions.entry(name) {
            free.insert(next);
            file.define(Definition::Region { id: next, parent: 0, source: 0, name: name.clone() });
        }
    }
    file.define(Definition::Module {
        id: 1,
        base: 0x1000,
        start: 0x1000,
        end: 0x9000,
        build_id: vec![1],
        path: "/nowhere/text".into(),
    });
    let mut depth = 0;
    for (&id, frames) in sites {
        depth = depth.max(frames.len() as u32);
        file.define(Definition::Site { id, frames: frames.clone() });
    }
    file.header.stack_depth = depth;
    let mut groups: BTreeMap<&str, u32> = BTreeMap::new();
    for text in calls.iter().filter_map(|c| c.arguments.get("group")) {
        let next = groups.len() as u32 + 1;
        if let std::collections::btree_map::Entry::Vacant(free) = groups.entry(text) {
            free.insert(next);
            let ranks: Vec<i32> = match text.as_str() {
                "none" => Vec::new(),
                list => list.split(',').map(|r| r.parse().expect("group=1,2")).collect(),
            };
            file.define(Definition::Group { id: next, members: runs(&ranks) });
        }
    }
    let ids = Ids { regions, groups };
    if calls.iter().any(|call| call.is_open) {
        file.header.state = state::INITIALISED;
        (file.header.finalize_start, file.header.finalize_end) = (0, 0);
    }
    for call in calls {
        if call.is_open {
            file.threads[0].enter(call.in_flight(host));
            continue;
        }
        call.record(&mut file, &comms.members, &ids, host);
    }
    file
}

/// Ids of what a rank's calls name by text.
struct Ids<'a> {
    regions: BTreeMap<&'a str, u32>,
    groups: BTreeMap<&'a str, u32>,
}

struct Line {
    rank: i32,
    start_ns: u64,
    end_ns: u64,
    /// Had not returned.
    is_open: bool,
    call: String,
    arguments: BTreeMap<String, String>,
}

impl Line {
    fn parse(line: &str) -> Line {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_else(|| panic!("too short: {line}"));
        let us = |text: &str| (text.parse::<f64>().unwrap_or_else(|_| panic!("no time: {line}")) * 1000.0) as u64;
        let (rank, start_ns) = (next().parse().expect("a rank"), us(next()));
        let end = next();
        let is_open = end == "-";
        let (end_ns, call) = (if is_open { start_ns } else { us(end) }, next().to_owned());
        let pair = |w: &str| {
            let (key, value) = w.split_once('=').unwrap_or_else(|| panic!("key=value: {line}"));
            (key.to_owned(), value.to_owned())
        };
        Line { rank, start_ns, end_ns, is_open, call, arguments: words.map(pair).collect() }
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        let value = self.arguments.get(key)?;
        Some(value.parse().unwrap_or_else(|_| panic!("{key}={value}: not a number")))
    }

    /// A rank or a tag; any of them is what MPICH says (−2, −1).
    fn or_any(&self, key: &str, any: i32) -> Option<i32> {
        if self.arguments.get(key).is_some_and(|v| v == "any") { Some(any) } else { self.number(key) }
    }

    /// What the collector notes at entry: the arguments at their places in C.
    fn in_flight(&self, host: &Host) -> InFlight {
        let function = mpiscope_abi::by_name(&format!("MPI_{}", self.call))
            .unwrap_or_else(|| panic!("no such function: MPI_{}", self.call));
        let spec = mpiscope_abi::function(function).expect("a function");
        let requests: Vec<u32> = self
            .arguments
            .get("requests")
            .map_or(Vec::new(), |list| list.split(',').map(|r| r.parse().expect("requests=1,2")).collect());
        let mut call = InFlight {
            function,
            start: host.clock_ns(self.start_ns),
            requests: requests.len() as u32,
            request: requests.first().copied().unwrap_or(0),
            ..InFlight::default()
        };
        let (to, from) = (self.or_any("to", -1), self.or_any("from", -2));
        let tag = self.or_any("tag", -1).unwrap_or(0);
        for step in mpiscope_abi::steps(spec) {
            let word = match step.kind {
                kind::COMM => handle(comm_id(self.number("comm").unwrap_or(1))),
                kind::PEER => to.or(from).unwrap_or(0) as u32 as u64,
                kind::PEER2 => from.unwrap_or(0) as u32 as u64,
                kind::TAG => tag as u32 as u64,
                kind::TAG2 => self.or_any("tag2", -1).unwrap_or(tag) as u32 as u64,
                kind::ROOT => self.number("root").unwrap_or(0),
                _ => continue,
            };
            if let Some(place) = call.words.get_mut(usize::from(step.c)) {
                *place = word;
            }
        }
        call
    }

    fn record(&self, file: &mut Builder, comms: &BTreeMap<u32, Vec<i32>>, ids: &Ids<'_>, host: &Host) {
        let region = self.arguments.get("region").map_or(0, |name| ids.regions[name.as_str()]);
        let start = host.clock_ns(self.start_ns);
        let duration = host.clock_ns(self.end_ns) - start;
        if self.call == "region" {
            let shape = file.threads[0].shape(Shape { function: REGION, region, ..Shape::default() });
            file.threads[0].event(shape, start, duration, &Extra::NONE);
            return;
        }
        let function = mpiscope_abi::by_name(&format!("MPI_{}", self.call))
            .unwrap_or_else(|| panic!("no such function: MPI_{}", self.call));
        let comm = comm_id(self.number("comm").unwrap_or(1));
        let members = &comms[&comm];
        let world = |rank: i32| usize::try_from(rank).ok().and_then(|r| members.get(r)).copied();
        let bytes: u64 = self.number("bytes").unwrap_or(0);
        let flow = mpiscope_abi::function(function).map_or(Flow::None, |f| f.flow);
        let mut shape = Shape { function, comm, site: self.number("site").unwrap_or(1), region, ..Shape::default() };
        let (to, from) = (self.or_any("to", -1), self.or_any("from", -2));
        let tag = self.or_any("tag", -1).or(to.or(from).map(|_| 0));
        match (to, from) {
            (Some(to), Some(from)) => {
                (shape.peer, shape.peer2) = (to, from);
                (shape.tag, shape.tag2) = (tag.unwrap_or(0), self.or_any("tag2", -1).or(tag).unwrap_or(0));
                (shape.bytes_out, shape.bytes_in) = (bytes, self.number("bytes2").unwrap_or(bytes));
                shape.world_peer2 = world(from).unwrap_or(shape.world_peer2);
            }
            (Some(to), None) => (shape.peer, shape.tag, shape.bytes_out) = (to, tag.unwrap_or(0), bytes),
            (None, Some(from)) => (shape.peer, shape.tag, shape.bytes_in) = (from, tag.unwrap_or(0), bytes),
            (None, None) => {
                let takes = !matches!(flow, Flow::Send | Flow::None);
                (shape.bytes_out, shape.bytes_in) = (bytes, if takes { bytes } else { 0 });
            }
        }
        shape.world_peer = world(shape.peer).unwrap_or(shape.world_peer);
        shape.root = self.number("root").unwrap_or(shape.root);
        shape.window = self.number("window").unwrap_or(0);
        shape.group = self.arguments.get("group").map_or(0, |text| ids.groups[text.as_str()]);
        if let Some(target) = self.number("target") {
            (shape.peer, shape.bytes_out) = (target, bytes);
            shape.world_peer = world(target).unwrap_or(shape.world_peer);
        }
        // status=SOURCE:TAG:BYTES of a blocking call stands in the shape, of a completion in the record.
        let status = self.arguments.get("status").map(|text| {
            let parts: Vec<i64> = text.split(':').map(|p| p.parse().expect("status=source:tag:bytes")).collect();
            (parts[0] as i32, parts[1] as i32, parts[2] as u64)
        });
        let requests: Vec<u32> = self
            .arguments
            .get("requests")
            .map_or(Vec::new(), |list| list.split(',').map(|r| r.parse().expect("requests=1,2")).collect());
        let completes = matches!(role(function), Role::Complete | Role::Start);
        if let (Some((source, tag, bytes)), false) = (status, completes) {
            (shape.res_source, shape.res_tag, shape.res_bytes) = (source, tag, bytes);
            shape.flags |= flag::HAS_RESULT;
            shape.bytes_in = bytes;
            let actual = world(source).unwrap_or(shape.world_peer);
            *(if from.is_some() && to.is_some() { &mut shape.world_peer2 } else { &mut shape.world_peer }) = actual;
        }
        let done: Vec<Completed> = requests
            .iter()
            .map(|&request| match status {
                Some((source, tag, bytes)) => Completed { request, has_status: true, source, tag, bytes },
                None => Completed { request, ..Completed::default() },
            })
            .collect();
        let mut extra = Extra { requests: &done, ..Extra::NONE };
        if !requests.is_empty() {
            shape.flags |= flag::REQUESTS;
        }
        if makes_request(function) {
            shape.flags |= flag::REQUEST;
            extra.request = self.number("request").unwrap_or_else(|| panic!("{} needs request=N", self.call));
        }
        let inside = self.number::<u64>("inside").map_or(duration, |us| us * 1000);
        let polls = self.number::<u64>("calls").map(|calls| [calls, inside]);
        if let Some(values) = &polls {
            shape.flags |= flag::POLL;
            extra.inline = values;
        }
        let index = file.threads[0].shape(shape);
        file.threads[0].event(index, start, duration, &extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_store::{End, RankId, flags};

    #[test]
    fn the_text_of_the_documentation() {
        let found = ingested(
            "comm 2 = 0,1
             0   0  10 Send to=1 tag=3 bytes=80
             1   5  25 Recv from=0 tag=3 bytes=80 region=solve site=2
             0  30  31 Isend to=1 tag=4 bytes=8 request=1
             1  30  31 Irecv from=any tag=any bytes=8 request=1
             1  31  45 Wait requests=1 status=0:4:8
             0  45  50 Waitall requests=1,2
             0  60  90 Allreduce bytes=8
             1  80  90 Allreduce bytes=8
             0  95  99 Bcast root=0 bytes=100 comm=2
             1  95  99 Bcast root=0 bytes=100 comm=2
             0 100 150 region region=solve
             0 160 170 Iprobe from=1 tag=9 calls=7",
        );
        let [batch] = &found.batches[..] else { panic!("{} batches", found.batches.len()) };
        assert_eq!(batch.lone, []);
        let [a, b] = &batch.messages[..] else { panic!("{:?}", batch.messages) };
        assert_eq!((a.sender, a.receiver, a.tag, a.bytes), (RankId(0), RankId(1), 3, 80));
        assert_eq!((a.send.start_ns, a.receive.done_end_ns), (0, 25_000));
        assert_eq!((b.tag, b.receive.start_ns, b.receive.done_start_ns), (4, 30_000, 31_000));
        assert_eq!(b.flags & flags::ANY_SOURCE, flags::ANY_SOURCE);
        assert_eq!(b.send.done_row, 2);
        let members: Vec<usize> = batch.collectives.iter().map(|c| c.members.len()).collect();
        assert_eq!(members, [2, 2]);
        assert_eq!(batch.collectives[1].root, RankId(0));
        assert_eq!(batch.ranks[0].regions[0].end_ns, 150_000);
        assert_eq!(batch.ranks[0].calls.last().map(|c| c.calls), Some(7));
        assert_eq!(found.dimensions.region(batch.ranks[0].regions[0].region), "solve");
    }

    #[test]
    fn what_never_happened_is_alone() {
        let found = ingested("0 0 1 Isend to=1 tag=1 bytes=8 request=1\n1 0 1 Barrier");
        let batch = &found.batches[0];
        assert_eq!((batch.lone.len(), batch.lone[0].end.done_row), (1, End::NEVER));
        assert_eq!((batch.collectives.len(), batch.collectives[0].missing), (1, 1));
    }
}
