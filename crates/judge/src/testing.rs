//! Scenarios written down as text, for tests (feature `testing`).
//!
//! A line is a call of a rank, in the order in which the judge reads them:
//!
//! ```text
//! comm 3 = 0,1,2                     # beside 1, the world, and 2, oneself
//! inter 4 = 0,1 | 2,3
//! cart 5 = 2x2 periodic              # all ranks, row by row
//! graph 6 = 3: 0>1 1>0 1>2           # of three ranks: who sends to whom
//! type pair = int:1 double:1         # blocks, one after the other
//! type column = int:1 repeat=4 stride=16
//! window 1 size=64 unit=4            # on the world; with `dynamic` for memory that is attached,
//!                                    # with `unlike` for a byte and a unit more on each rank
//! file 1 = out.dat                   # on the world, or `file 2 = out.dat self`
//! 0 Comm_spawn root=0                # worlds and what they share: [`worlds`]
//! 0 Send to=1 tag=3 int:4
//! 1 Recv from=any tag=any int:4 status=0:3
//! 0 Isend to=1 tag=4 int:1 op=1
//! 1 Recv from=0 tag=4 int:4 exact      # promised to be as long as what comes
//! 1 Recv from=0 tag=0 int:1 wrong      # its arguments; the finding is another event
//! 0 Waitall ops=1,2
//! 0 complete op=1 status=1:4
//! 0 drop op=1                       # cancelled; freed
//! 0 Allreduce MPI_SUM int:1
//! 1 Scatterv root=0 send=int:2,3 recv=int:2
//! 0 Sendrecv to=1 tag=0 int:1 from=1 rtag=0 recv=int:1 status=1:0
//! 0 memory address=8192 bytes=64     # of window 1; attached, detached, shared
//! 0 Put target=1 disp=0 int:1 from=8192 content=1,2,3,4
//! 0 stored pieces=0,4 content=9,9,9,9
//! 0 changed address=8192 bytes=4      # what an access reads
//! 0 touched loads at=0 bytes=4 site=7   # stores; active; target=1
//! 0 Isend to=1 tag=4 int:8 op=2 partitions=4
//! 0 ready op=2 partitions=3
//! 0 kept                             # its memory, for what it stores while others may lock
//! 0 promised same_op                 # in the window's info
//! 0 written by=Ibcast                # its send buffer; the instruction's site=7
//! 0 attach bytes=100                 # a buffer for Bsend
//! 0 Buffer_detach flush              # waits until its buffer is empty; MPI_Buffer_iflush with op=1
//! 0 Pack int:2 address=64 content=1,2,3 # or Unpack: at an address of the packed buffer
//! 0 Get_count received=int asked=float bytes=8   # of a status
//! 0 opened identity=7                # file 1; `opened append`
//! 0 seek to=16                       # of its shared pointer; `seek by=-4`, or `seek` to its end
//! 0 view begin=4 column:1
//! 0 ordered                          # File_sync; close, atomic
//! 0 File_write_at offset=0 bytes=16
//! 0 poll ops=1 at=0
//! polled 0 at=700ms                  # it has asked a million times; with `seldom` a thousand times
//! standstill 100ms
//! ended 1 killed
//! endless 0                          # its loops of questions end with an answer only
//! multiple 0 helped                  # MPI_THREAD_MULTIPLE; threads that have not called MPI may
//! 0 Comm_create_group group=0,2 names=7    # of a group, with a tag
//! 0 found status=2:5 from=any tag=any      # by MPI_Iprobe
//! 0 generalized op=3                 # a request; with `complete` its end
//! asleep 0                           # its threads that are in no call
//! alike 0                            # what it receives decides nothing
//! finish
//! ```
//!
//! A call returns before the next line of its rank, or with `return`. A wait that returns completes its operations. Data is
//! `TYPE:COUNT`, or `TYPE:COUNT,COUNT` for a list. A line is a call site, unless it says `site=7`. `Finalize` is the end of a
//! rank's communication. The ranks are those that the text names. A text that does not say `finish` ends with it if all ranks
//! have called `Finalize`, and with a
//! standstill of two seconds if not and there is none in it.

mod worlds;

use std::collections::BTreeMap;

use mpiscope_abi::role::{self, Mode, Role};
use mpiscope_trace::check::event::{
    Body, Data, Event, Head, Part, access, assertion, epoch, flag, memory, mode, need, order, seek, touch,
};
use mpiscope_trace::check::rule;
use mpiscope_trace::defs::{Comm, Definition, TypeBlock, TypeMap, runs};

use crate::{Beyond, Ended, Finding, Introduction, Judge, Settings};

/// Basic datatypes by their short names: id, name and size.
const BASIC: [(&str, u32, &str, u64); 9] = [
    ("int", 1, "MPI_INT", 4),
    ("double", 2, "MPI_DOUBLE", 8),
    ("char", 3, "MPI_CHAR", 1),
    ("byte", 4, "MPI_BYTE", 1),
    ("float", 5, "MPI_FLOAT", 4),
    ("integer", 6, "MPI_INTEGER", 4),
    ("packed", 7, "MPI_PACKED", 1),
    ("long", 8, "MPI_LONG", 8),
    ("uint", 9, "MPI_UNSIGNED", 4),
];

const OPS: [&str; 4] = ["MPI_SUM", "MPI_MAX", "MPI_NO_OP", "own"];

/// What is to be taken, in its order.
#[derive(Clone, Debug)]
pub enum Line {
    /// An event of a rank.
    Event(u32, Box<Event>),
    /// State of a ring: questions in vain, and when the latest was.
    Polled(u32, u64, u64),
    /// A moment at which all was read, ns.
    Standstill(u64),
    /// A process has ended.
    Ended(u32, Ended),
    /// A process has `MPI_THREAD_MULTIPLE`, and perhaps threads that have not called MPI.
    Multiple(u32, bool),
    /// Loops of a process that ask cannot give up.
    Endless(u32),
    /// Threads of a process that are in no call sleep.
    Asleep(u32),
    /// What a process receives decides nothing.
    Alike(u32),
    /// Everything has ended.
    Finish,
}

/// A process whose ticks are nanoseconds.
const PLAIN: Introduction = Introduction {
    world: 0,
    rank: 0,
    size: 0,
    is_spawned: false,
    ticks_per_s: 1_000_000_000,
    zero_ticks: 0,
    zero_ns: 0,
    multiple: false,
};

/// What the reader knows.
#[derive(Default)]
struct Known {
    helpers: Vec<u32>,
    endless: Vec<u32>,
    asleep: Vec<u32>,
    alike: Vec<u32>,
}

impl Beyond for Known {
    fn may_help(&mut self, process: u32) -> bool {
        self.helpers.contains(&process)
    }

    fn may_give_up(&mut self, process: u32, _: u32) -> bool {
        !self.endless.contains(&process)
    }

    fn is_asleep(&mut self, process: u32, _: u8) -> bool {
        self.asleep.contains(&process)
    }

    fn is_alike(&mut self, process: u32, _: &[(u32, u64)], _: &[u32], _: u32) -> bool {
        self.alike.contains(&process)
    }
}

/// A scenario.
pub struct Scenario {
    /// Processes of other worlds.
    pub introductions: Vec<(u32, Introduction)>,
    /// What all ranks define.
    pub definitions: Vec<(u32, Definition)>,
    /// What happens.
    pub lines: Vec<Line>,
    /// Ranks.
    pub size: u32,
}

impl Scenario {
    /// Reads a text; panics where it makes no sense.
    pub fn parse(text: &str) -> Scenario {
        Parser::default().parse(text)
    }

    /// A judge that has seen it all.
    pub fn judged(&self) -> Judge {
        self.judged_with(Settings { world_size: self.size, ..Settings::default() })
    }

    /// The same with settings.
    pub fn judged_with(&self, settings: Settings) -> Judge {
        let mut judge = Judge::new(settings);
        for &(process, who) in &self.introductions {
            judge.introduce(process, who);
        }
        for (rank, definition) in &self.definitions {
            judge.define(*rank, definition);
        }
        let mut known = Known::default();
        for line in &self.lines {
            match line {
                Line::Multiple(rank, may_help) => {
                    let who = Introduction { rank: *rank as i32, ..PLAIN };
                    judge.introduce(*rank, Introduction { multiple: true, ..who });
                    known.helpers.extend(may_help.then_some(*rank));
                }
                Line::Asleep(rank) => known.asleep.push(*rank),
                Line::Alike(rank) => known.alike.push(*rank),
                Line::Endless(rank) => known.endless.push(*rank),
                Line::Event(rank, event) => judge.feed(*rank, event),
                Line::Polled(rank, polls, at) => judge.poll_state(*rank, 0, *polls, *at),
                Line::Standstill(now) => {
                    judge.standstill_unless(*now, &mut known);
                }
                Line::Ended(rank, how) => judge.process_ended(*rank, *how),
                Line::Finish => judge.report_at_end_with(&mut known),
            }
        }
        judge
    }
}

/// What is found in a scenario.
pub fn judged(text: &str) -> Vec<Finding> {
    Scenario::parse(text).judged().findings()
}

/// Ids of what is found, in order and each once.
pub fn ids(text: &str) -> Vec<&'static str> {
    let mut ids: Vec<&str> = judged(text).iter().map(|f| f.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Its groups and, on a grid, dimensions.
type Groups = (Vec<i32>, Vec<i32>, Vec<(u32, bool)>);
/// Status, and operations that are complete then.
type Returning = (Option<(i32, i32)>, Vec<u64>);

#[derive(Default)]
struct Parser {
    comms: BTreeMap<u32, Groups>,
    worlds: worlds::Worlds,
    /// Edges of graphs.
    graphs: BTreeMap<u32, Vec<(i32, i32)>>,
    types: BTreeMap<String, u32>,
    type_lines: Vec<(u32, String)>,
    /// Bytes, unit, dynamic.
    windows: BTreeMap<u32, (u64, i64, bool)>,
    /// Those of which each rank has a byte more than the one before, and a unit.
    unlike: Vec<u32>,
    /// Name, and whether each rank has one of its own.
    files: BTreeMap<u32, (String, bool)>,
    lines: Vec<Line>,
    size: u32,
    /// Calls that have not returned: what their return says, and the operations that it completes.
    open: BTreeMap<u32, Returning>,
    statuses: BTreeMap<(u32, u64), (i32, i32)>,
    clock: u64,
    hidden: u64,
}

impl Parser {
    fn parse(mut self, text: &str) -> Scenario {
        let lines: Vec<String> = text.lines().map(|l| l.split('#').next().unwrap_or("").trim().to_owned()).collect();
        for line in lines.iter().filter(|l| !l.is_empty()) {
            let first = line.split_whitespace().next().unwrap_or("");
            if let Ok(rank) = first.parse::<u32>() {
                self.size = self.size.max(rank + 1);
            }
        }
        let mut finished = false;
        for (number, line) in lines.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
            finished |= line == "finish";
            self.line(number as u32 + 1, line);
        }
        if !finished {
            let ranks: Vec<u32> = (0..self.size).collect();
            let is_over = |judge: &Self, rank: u32| {
                judge.lines.iter().any(|l| matches!(l, Line::Event(r, e) if *r == rank && e.body == Body::End))
            };
            if ranks.iter().all(|&rank| is_over(&self, rank)) {
                self.lines.push(Line::Finish);
            } else if !lines.iter().any(|l| l.starts_with("standstill")) {
                self.lines.extend([Line::Standstill(1), Line::Standstill(2_000_000_000)]);
            }
        }
        let definitions = self.definitions();
        Scenario { introductions: self.worlds.introductions(), definitions, lines: self.lines, size: self.size }
    }

    fn definitions(&self) -> Vec<(u32, Definition)> {
        let mut out = Vec::new();
        for rank in 0..self.size {
            let world = self.worlds.members_of(rank, self.size);
            let own = world.iter().position(|&process| process == rank as i32).unwrap_or(0) as i32;
            let whole: Vec<i32> = (0..world.len() as i32).collect();
            let mut add = |definition: Definition| out.push((rank, definition));
            add(Definition::Comm(Comm {
                id: 1,
                rank: own,
                size: world.len() as i32,
                group: runs(&whole),
                ..Comm::default()
            }));
            add(Definition::Comm(Comm { id: 2, size: 1, rank: 0, group: runs(&[own]), ..Comm::default() }));
            for (&id, (first, second, dims)) in &self.comms {
                let me = rank as i32;
                let (group, remote) = if second.contains(&me) { (second, first) } else { (first, second) };
                let Some(place) = group.iter().position(|&r| r == me) else { continue };
                let mut coordinates = place as u32;
                let mut of: Vec<(u32, bool, u32)> = Vec::new();
                for &(extent, periodic) in dims.iter().rev() {
                    of.insert(0, (extent, periodic, coordinates % extent));
                    coordinates /= extent;
                }
                let edges = self.graphs.get(&id).map_or(&[][..], Vec::as_slice);
                let (created_by, parent) = self.worlds.origin(id, std::ptr::eq(group, first));
                let above = self.comms.get(&parent).filter(|_| parent > 2);
                let peers = above.map(|(one, two, _)| if two.is_empty() || two.contains(&me) { one } else { two });
                let named = |group: &[i32]| self.worlds.group(&world, group, peers.map(Vec::as_slice));
                let own = place as i32;
                let sources: Vec<i32> = edges.iter().filter(|e| e.1 == own).map(|e| e.0).collect();
                let destinations: Vec<i32> = edges.iter().filter(|e| e.0 == own).map(|e| e.1).collect();
                add(Definition::Comm(Comm {
                    id,
                    rank: place as i32,
                    size: group.len() as i32,
                    remote_size: remote.len() as i32,
                    membership: first
                        .iter()
                        .chain(second)
                        .fold(7, |h: u64, &m| h.wrapping_mul(31).wrapping_add((m as u64).wrapping_add(1))),
                    ordinal: id,
                    created_by,
                    parent,
                    group: named(group),
                    remote_group: named(remote),
                    topology: if edges.is_empty() { u32::from(!dims.is_empty()) } else { 3 },
                    dims: of,
                    sources: runs(&sources),
                    destinations: runs(&destinations),
                    ..Comm::default()
                }));
            }
            for (_, id, name, size) in BASIC {
                let (extent, name) = (size as i64, name.to_owned());
                add(Definition::Datatype { id, size, extent, combiner: 0, created_by: 0, name });
            }
            for (at, name) in OPS.iter().enumerate() {
                add(Definition::Op { id: at as u32 + 1, name: (*name).to_owned() });
            }
            for (id, line) in &self.type_lines {
                let (definition, map) = made(*id, line);
                add(definition);
                add(map);
            }
            for (&id, &(size, disp_unit, is_dynamic)) in &self.windows {
                let created_by = self::id(if is_dynamic { "Win_create_dynamic" } else { "Win_create" }).into();
                let more = if self.unlike.contains(&id) { rank } else { 0 };
                let (size, disp_unit) = (size + u64::from(more), disp_unit + i64::from(more));
                add(Definition::Window { id, comm: 1, created_by, size, disp_unit });
            }
            for (&id, (name, is_own)) in &self.files {
                let comm = if *is_own { 2 } else { 1 };
                add(Definition::File { id, comm, amode: 0, name: name.clone() });
            }
        }
        out
    }

    fn line(&mut self, number: u32, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let list = |text: &str| -> Vec<i32> {
            text.split(',').map(|r| r.trim().parse().unwrap_or_else(|_| panic!("ranks: {line}"))).collect()
        };
        let rest = || line.split_once('=').unwrap_or_else(|| panic!("=: {line}")).1;
        let own_number = || words[1].parse().unwrap_or(0);
        match words[0] {
            "comm" => {
                let members = list(self.worlds.made(own_number(), rest()));
                self.comms.insert(parsed(words[1]), (members, Vec::new(), Vec::new()));
            }
            "world" => self.worlds.line(own_number(), rest()),
            "inter" => {
                let (a, b) = self.worlds.made(own_number(), rest()).split_once('|').expect("two groups");
                self.comms.insert(parsed(words[1]), (list(a), list(b), Vec::new()));
            }
            "cart" => {
                let periodic = words.contains(&"periodic");
                let dims: Vec<(u32, bool)> = words[3].split('x').map(|n| (parsed(n), periodic)).collect();
                let all = (0..dims.iter().map(|d| d.0 as i32).product()).collect();
                self.comms.insert(parsed(words[1]), (all, Vec::new(), dims));
            }
            "graph" => {
                let (size, edges) = rest().split_once(':').expect("size: edges");
                let edge = |word: &str| {
                    let (from, to) = word.split_once('>').expect("from>to");
                    (parsed(from), parsed(to))
                };
                self.comms.insert(parsed(words[1]), ((0..parsed(size.trim())).collect(), Vec::new(), Vec::new()));
                self.graphs.insert(parsed(words[1]), edges.split_whitespace().map(edge).collect());
            }
            "type" => {
                let id = 20 + self.types.len() as u32;
                self.types.insert(words[1].to_owned(), id);
                self.type_lines.push((id, words[3..].join(" ")));
            }
            "window" => {
                let value = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)).map(parsed::<u64>);
                let (size, unit) = (value("size=").unwrap_or(1024), value("unit=").unwrap_or(1));
                self.windows.insert(parsed(words[1]), (size, unit as i64, words.contains(&"dynamic")));
                self.unlike.extend(words.contains(&"unlike").then(|| parsed::<u32>(words[1])));
            }
            "file" => {
                self.files.insert(parsed(words[1]), (words[3].to_owned(), words.contains(&"self")));
            }
            "standstill" => self.lines.push(Line::Standstill(moment(words[1]))),
            "polled" => {
                let at = words[2].strip_prefix("at=").expect("at=");
                let polls = if words.contains(&"seldom") { 1000 } else { 1_000_000 };
                self.lines.push(Line::Polled(parsed(words[1]), polls, moment(at)));
            }
            "ended" => {
                let how = if words.contains(&"killed") { Ended::Signal(9) } else { Ended::Exit(0) };
                self.lines.push(Line::Ended(parsed(words[1]), how));
            }
            "endless" => self.lines.push(Line::Endless(parsed(words[1]))),
            "alike" => self.lines.push(Line::Alike(parsed(words[1]))),
            "asleep" => self.lines.push(Line::Asleep(parsed(words[1]))),
            "finish" => self.lines.push(Line::Finish),
            "multiple" => self.lines.push(Line::Multiple(parsed(words[1]), words.contains(&"helped"))),
            rank => {
                let call = Call::parse(number, parsed(rank), &words[1..]);
                self.call(&call, line);
            }
        }
    }

    fn push(&mut self, call: &Call, function: u16, flags: u16, comm: u32, body: Body) {
        self.clock += 10;
        let at = call.number("at").unwrap_or(self.clock);
        let flags = flags | if call.has("wrong") { flag::WRONG } else { 0 };
        let head = Head { thread: call.number("thread").unwrap_or(0), function, flags, at, site: call.site, comm };
        self.lines.push(Line::Event(call.rank, Box::new(Event { head, body })));
    }

    fn returned(&mut self, call: &Call) {
        let Some((status, ops)) = self.open.remove(&call.rank) else { return };
        self.push(call, 0, 0, 0, Body::Return { code: 0, status, bytes: 0 });
        for op in ops {
            let status = self.statuses.get(&(call.rank, op)).copied();
            self.push(call, 0, 0, 0, Body::Complete { op, status, bytes: 0, cancelled: false });
        }
    }

    fn call(&mut self, call: &Call, line: &str) {
        // A run of polls goes on in the same call site.
        self.returned(call);
        let comm: u32 = call.number("comm").unwrap_or(1);
        let op: u64 = call.number("op").unwrap_or(0);
        match call.name.as_str() {
            "return" => return,
            "complete" => {
                let body = Body::Complete { op, status: call.status(), bytes: 0, cancelled: call.has("cancelled") };
                return self.push(call, 0, 0, comm, body);
            }
            "drop" => {
                let body = Body::Drop { op, freed: call.has("freed") };
                return self.push(call, id("Request_free"), 0, comm, body);
            }
            "found" => {
                let (source, tag) = call.status().expect("status=");
                let function = id("Iprobe");
                let body = Body::Found { source, tag, message: call.number("message").unwrap_or(0) };
                return self.push(call, function, call.any(), comm, body);
            }
            "poll" => {
                let probe = call.get("from").map(|_| (call.rank_of("from"), call.rank_of("tag")));
                let need = if call.has("any") { need::ANY } else { need::ALL };
                let window = call.number("window");
                let (need, ops) = window.map_or((need, call.list("ops")), |window| (need::EXPOSURE, vec![window]));
                let function = match () {
                    () if probe.is_some() => "Iprobe",
                    () if window.is_some() => "Win_test",
                    () => "Testall",
                };
                return self.push(call, id(function), 0, comm, Body::Poll { ops, need, probe });
            }
            "memory" => {
                let what = match () {
                    () if call.has("attached") => memory::ATTACHED,
                    () if call.has("detached") => memory::DETACHED,
                    () if call.has("shared") => memory::SHARED,
                    () => memory::WHOLE,
                };
                let (window, bytes) = (call.number("window").unwrap_or(1), call.number("bytes").unwrap_or(0));
                let address = call.number("address").expect("address=");
                return self.push(call, 0, 0, 0, Body::Memory { window, what, address, bytes });
            }
            "stored" => {
                let all: Vec<u64> = call.list("pieces");
                let pieces = all.chunks(2).map(|piece| (piece[0], piece[1])).collect();
                let (window, content) = (call.number("window").unwrap_or(1), call.list("content"));
                return self.push(call, id("Win_fence"), 0, 0, Body::Stored { window, pieces, content });
            }
            "changed" => {
                let (address, bytes) = (call.number("address").expect("address="), call.number("bytes").unwrap_or(4));
                let (changed, first, origin) = (bytes, 0, call.number("origin").unwrap_or(9));
                let body = Body::Changed { address, bytes, changed, first, origin, text: "MPI_Put".into() };
                return self.push(call, id("Win_fence"), flag::MORE, 0, body);
            }
            "written" => {
                let text = format!("MPI_{}", call.get("by").expect("by="));
                let (rule, values) = (rule::SEND_WRITTEN, [4, 0, call.number("site").unwrap_or(0)]);
                let body = Body::Finding { rule, argument: u8::MAX, withheld: false, origin: 9, values, text };
                return self.push(call, id("Wait"), 0, 0, body);
            }
            "generalized" => {
                let (op, is_complete) = (call.number("op").expect("op="), call.has("complete"));
                let function = id(if is_complete { "Grequest_complete" } else { "Grequest_start" });
                return self.push(call, function, 0, 0, Body::Generalized { op, is_complete });
            }
            "touched" => {
                let (at, bytes) = (call.number("at").expect("at="), call.number("bytes").unwrap_or(4));
                let (window, site) = (call.number("window").unwrap_or(1), call.number("site").unwrap_or(9));
                let target = call.number("target").unwrap_or(call.rank as i32);
                let bits = [("loads", touch::LOADS), ("stores", touch::STORES), ("active", touch::ACTIVE)];
                let how = bits.iter().filter(|(word, _)| call.has(word)).fold(0, |all, (_, bit)| all | bit);
                let body = Body::Loaded { window, target, how, at, bytes, site };
                return self.push(call, id("Win_fence"), 0, 0, body);
            }
            "ready" => {
                let (op, n) = (call.number("op").expect("op="), call.number::<u64>("partitions").expect("partitions="));
                return self.push(call, id("Pready_range"), 0, 0, Body::Ready { op, partitions: (0, n - 1) });
            }
            "kept" => {
                let window = call.number("window").unwrap_or(1);
                let body = Body::Epoch { window, what: epoch::KEPT, assertion: 0, targets: Vec::new() };
                return self.push(call, 0, 0, 0, body);
            }
            "promised" => {
                let window = call.number("window").unwrap_or(1);
                let all = [
                    ("same_op", assertion::SAME_OP),
                    ("same_size", assertion::SAME_SIZE),
                    ("same_unit", assertion::SAME_UNIT),
                ];
                let assertion = all.iter().filter(|(word, _)| call.has(word)).map(|(_, bit)| bit).sum();
                let body = Body::Epoch { window, what: epoch::PROMISED, assertion, targets: Vec::new() };
                return self.push(call, 0, 0, 0, body);
            }
            "attach" => {
                let body = Body::Attached { bytes: call.number("bytes").expect("bytes="), overhead: 0 };
                return self.push(call, id("Buffer_attach"), 0, call.number("comm").unwrap_or(0), body);
            }
            "opened" => {
                let (file, identity) = (call.number("file").unwrap_or(1), call.number("identity").unwrap_or(0));
                let appends = call.has("append");
                return self.push(call, id("File_open"), 0, comm, Body::Opened { file, identity, appends });
            }
            "seek" => {
                let (set, by, end) = (call.number("to"), call.number("by"), (seek::END, 0));
                let from = |whence: u64| move |bytes: i64| (whence, bytes);
                let (whence, by) = set.map(from(seek::SET)).or(by.map(from(seek::CURRENT))).unwrap_or(end);
                let file = call.number("file").unwrap_or(1);
                return self.push(call, id("File_seek_shared"), 0, comm, Body::Seek { file, whence, by });
            }
            "view" => {
                let pieces = call.data(self).datatype;
                let (file, begin) = (call.number("file").unwrap_or(1), call.number("begin").unwrap_or(0));
                return self.push(call, id("File_set_view"), 0, comm, Body::View { file, begin, pieces, unit: 1 });
            }
            "ordered" => {
                let what = match () {
                    () if call.has("close") => order::CLOSE,
                    () if call.has("atomic") => order::ATOMIC,
                    () => order::SYNC,
                };
                let file = call.number("file").unwrap_or(1);
                return self.push(call, id("File_sync"), 0, comm, Body::Ordered { file, what });
            }
            // Of all processes together or not.
            name if name.starts_with("File_") && call.get("bytes").is_some() => {
                let writes = name.contains("write");
                let (file, offset) = (call.number("file").unwrap_or(1), call.number("offset"));
                let bytes = call.number("bytes").expect("bytes=");
                return self.push(call, id(name), 0, comm, Body::File { file, offset, bytes, writes });
            }
            "Finalize" => return self.push(call, id("Finalize"), flag::BLOCKING, 0, Body::End),
            _ => {}
        }
        let function = id(&call.name);
        let blocks = !role::makes_request(function.into()) && !call.has("local");
        let mut flags = if blocks { flag::BLOCKING } else { 0 };
        if call.has("inplace") {
            flags |= flag::IN_PLACE;
        }
        if call.has("nobody") {
            flags |= flag::PROC_NULL;
        }
        if call.has("exact") {
            flags |= flag::EXACT;
        }
        if call.has("persistent") {
            flags |= flag::PERSISTENT;
        }
        self.hidden += 1;
        let op = if op == 0 { 1 << 32 | self.hidden } else { op };
        let mut completes = Vec::new();
        let tag = || call.rank_of("tag");
        if let (false, Some(status)) = (blocks, call.status()) {
            self.statuses.insert((call.rank, op), status);
        }
        match role::role(function.into()) {
            Role::Send(how) => {
                let body = self.send(call, op, how);
                self.push(call, function, flags, comm, body);
            }
            Role::Receive => {
                let data = call.data(self);
                let body = Body::Receive { op, source: call.rank_of("from"), tag: tag(), data };
                self.push(call, function, flags, comm, body);
            }
            Role::SendReceive => {
                let body = self.send(call, op, Mode::Standard);
                self.push(call, function, flags | flag::MORE, comm, body);
                let data = call.part("recv", self).data;
                let tag = call.rank_of("rtag");
                let body = Body::Receive { op: op + (1 << 40), source: call.rank_of("from"), tag, data };
                self.push(call, function, flags, comm, body);
            }
            Role::Probe | Role::MatchedProbe => {
                let message = call.number("message").unwrap_or(0);
                self.push(
                    call,
                    function,
                    flags,
                    comm,
                    Body::Probe { source: call.rank_of("from"), tag: tag(), message },
                );
                if let Some((source, tag)) = call.status() {
                    self.push(call, function, call.any(), comm, Body::Found { source, tag, message });
                }
            }
            Role::MatchedReceive => {
                let (data, message) = (call.data(self), call.number("message").expect("message="));
                self.push(call, function, flags, comm, Body::ReceiveMatched { op, message, data });
            }
            Role::Complete => {
                let is_any = call.name.ends_with("any") || call.name.ends_with("some");
                let ops: Vec<u64> = call.list("ops");
                let need = if is_any { need::ANY } else { need::ALL };
                completes = match call.get("done") {
                    Some("") => Vec::new(),
                    Some(_) => call.list("done"),
                    None => ops.clone(),
                };
                self.push(call, function, flags, 0, Body::Wait { need, ops });
            }
            Role::Epoch(_) | Role::Collective(role::Pattern::Fence) => {
                let what = match call.name.as_str() {
                    "Win_fence" => epoch::FENCE,
                    "Win_start" => epoch::START,
                    "Win_complete" => epoch::COMPLETE,
                    "Win_post" => epoch::POST,
                    "Win_wait" => epoch::WAIT,
                    "Win_lock" if call.has("exclusive") => epoch::LOCK_EXCLUSIVE,
                    "Win_lock" => epoch::LOCK_SHARED,
                    "Win_unlock" => epoch::UNLOCK,
                    "Win_lock_all" => epoch::LOCK_ALL,
                    "Win_unlock_all" => epoch::UNLOCK_ALL,
                    name if name.starts_with("Win_flush_local") => epoch::FLUSH_LOCAL,
                    _ => epoch::FLUSH,
                };
                let targets = call.list("targets");
                let window = call.number("window").unwrap_or(1);
                let assertion = call.number("assert").unwrap_or(0);
                self.push(call, function, flags, comm, Body::Epoch { window, what, assertion, targets });
            }
            Role::Access => {
                let what = match call.name.as_str() {
                    "Put" | "Rput" => access::PUT,
                    "Get" | "Rget" => access::GET,
                    _ => access::ACCUMULATE,
                };
                let data = call.data(self);
                let body = Body::Access {
                    window: call.number("window").unwrap_or(1),
                    what,
                    op: if blocks { 0 } else { op },
                    target: call.number("target").expect("target="),
                    reduction: call.reduction(),
                    origin: Data { address: call.number("from").unwrap_or(data.address), ..data },
                    result: if call.has("fetch") { data } else { Data::default() },
                    at_target: Data { address: call.number("disp").unwrap_or(0), ..data },
                    content: call.list("content"),
                };
                return self.push(call, function, 0, comm, body);
            }
            Role::Local if matches!(call.name.as_str(), "Pack" | "Unpack") => {
                let data = call.data(self);
                let (packs, content) = (call.name == "Pack", call.list("content"));
                let bytes = call.number("bytes").expect("bytes=");
                return self.push(call, function, 0, comm, Body::Packed { packs, bytes, data, content });
            }
            Role::Local if call.has("asked") => {
                let [received, asked] =
                    ["received", "asked"].map(|key| self.type_id(call.get(key).expect("a datatype")));
                let bytes = call.number("bytes").expect("bytes=");
                let body = Body::Counted { received, asked, bytes, site: 7 };
                return self.push(call, function, 0, 0, body);
            }
            Role::Local if call.has("flush") => {
                let comm = call.number("comm").unwrap_or(0);
                self.push(call, function, flags, comm, Body::Flush { op });
            }
            // Nothing that others could notice: the rank computes.
            Role::Local if !call.has("agreed") && !call.has("group") => {
                return self.push(call, function, 0, 0, Body::Begin { threads: Vec::new() });
            }
            _ => {
                let send = if call.get("send").is_some() { call.part("send", self) } else { call.part("", self) };
                let receive = call.part("recv", self);
                // What is not the same everywhere stands in the counts.
                let list = |key: &str, part: Part| match call.get(key) {
                    Some(_) => Part::new(part.data, call.list(key), part.datatypes().to_vec()),
                    None => part,
                };
                let (send, receive) = (list("names", send), list("group", receive));
                let body = Body::Collective {
                    op: if blocks { 0 } else { op },
                    root: call.get("root").map(|r| match r {
                        "root" => -1,
                        "null" => -2,
                        rank => parsed(rank),
                    }),
                    reduction: call.reduction(),
                    send,
                    receive,
                    agreed: call.list("agreed"),
                };
                self.push(call, function, flags, comm, body);
            }
        }
        if blocks {
            self.open.insert(call.rank, (call.status(), completes));
        }
        assert!(!line.is_empty());
    }

    fn send(&self, call: &Call, op: u64, how: Mode) -> Body {
        let mode = match how {
            Mode::Standard => mode::STANDARD,
            Mode::Buffered => mode::BUFFERED,
            Mode::Synchronous => mode::SYNCHRONOUS,
            Mode::Ready => mode::READY,
        };
        let dest = call.number("to").unwrap_or(-1);
        let (tag, partitions) = (call.number("tag").unwrap_or(0), call.number("partitions").unwrap_or(0));
        Body::Send { op, mode, partitions, dest, tag, data: call.data(self) }
    }

    fn type_id(&self, name: &str) -> u32 {
        let basic = BASIC.iter().find(|b| b.0 == name).map(|b| b.1);
        basic.or(self.types.get(name).copied()).unwrap_or_else(|| panic!("no datatype {name}"))
    }
}

/// A datatype of blocks one after the other: `int:1 double:2 gap:4 repeat=3 stride=32`.
fn made(id: u32, line: &str) -> (Definition, Definition) {
    let mut blocks = Vec::new();
    let (mut at, mut size, mut repeat, mut stride) = (0i64, 0u64, 1u64, None);
    for word in line.split_whitespace() {
        if let Some(n) = word.strip_prefix("repeat=") {
            repeat = parsed(n);
        } else if let Some(n) = word.strip_prefix("stride=") {
            stride = Some(parsed::<i64>(n));
        } else {
            let (name, count) = word.split_once(':').expect("TYPE:COUNT");
            let count: u64 = parsed(count);
            if let Some(&(_, datatype, _, bytes)) = BASIC.iter().find(|b| b.0 == name) {
                blocks.push(TypeBlock { displacement_bytes: at, count, datatype });
                size += bytes * count;
                at += (bytes * count) as i64;
            } else {
                at += count as i64;
            }
        }
    }
    let stride_bytes = stride.unwrap_or(at);
    let extent = stride_bytes * (repeat as i64 - 1) + at;
    let map = TypeMap { blocks, repeat, stride_bytes, cut: false };
    let definition =
        Definition::Datatype { id, size: size * repeat, extent, combiner: 1, created_by: 1, name: String::new() };
    (definition, Definition::TypeMap { id, map })
}

struct Call {
    rank: u32,
    name: String,
    words: BTreeMap<String, String>,
    site: u32,
}

impl Call {
    fn parse(line: u32, rank: u32, words: &[&str]) -> Call {
        let name = words[0].to_owned();
        let words: BTreeMap<String, String> = words[1..]
            .iter()
            .map(|word| match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), value.to_owned()),
                None if word.contains(':') => (String::new(), (*word).to_owned()),
                None => ((*word).to_owned(), String::new()),
            })
            .collect();
        let mut call = Call { rank, name, words, site: line };
        call.site = call.number("site").unwrap_or(line);
        call
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.words.get(key).map(String::as_str)
    }

    fn has(&self, key: &str) -> bool {
        self.words.contains_key(key)
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        let text = self.get(key)?;
        if key == "at" {
            return moment(text).to_string().parse().ok();
        }
        Some(text.parse().unwrap_or_else(|_| panic!("{key}={text}")))
    }

    fn rank_of(&self, key: &str) -> Option<i32> {
        match self.get(key) {
            Some("any") => None,
            Some(text) => Some(parsed(text)),
            None => Some(0),
        }
    }

    fn list<T: std::str::FromStr>(&self, key: &str) -> Vec<T> {
        let text = self.get(key).unwrap_or("");
        text.split(',').filter(|t| !t.is_empty()).map(|t| parsed(t)).collect()
    }

    fn status(&self) -> Option<(i32, i32)> {
        let (source, tag) = self.get("status")?.split_once(':')?;
        Some((parsed(source), parsed(tag)))
    }

    /// Flags of what a probe that asked for any has found.
    fn any(&self) -> u16 {
        let flag = |key: &str, flag: u16| if self.get(key) == Some("any") { flag } else { 0 };
        flag("from", flag::ANY_SOURCE) | flag("tag", flag::ANY_TAG)
    }

    fn reduction(&self) -> u32 {
        OPS.iter().position(|op| self.has(op)).map_or(0, |at| at as u32 + 1)
    }

    fn data(&self, parser: &Parser) -> Data {
        self.part("", parser).data
    }

    /// `int:4`, `int:1,2,3`, or `int,double:1,2` for a datatype each.
    fn part(&self, key: &str, parser: &Parser) -> Part {
        let Some(text) = self.get(key) else { return Part::default() };
        let (name, counts) = text.split_once(':').unwrap_or_else(|| panic!("TYPE:COUNT: {text}"));
        let types: Vec<u32> = name.split(',').map(|n| parser.type_id(n)).collect();
        let counts: Vec<u64> = counts.split(',').map(parsed).collect();
        let address = self.number("address").unwrap_or(4096);
        let data = Data { address, count: counts.iter().sum(), datatype: types[0] };
        Part::new(
            data,
            if counts.len() > 1 { counts } else { Vec::new() },
            if types.len() > 1 { types } else { Vec::new() },
        )
    }
}

fn id(name: &str) -> u16 {
    mpiscope_abi::by_name(&format!("MPI_{name}")).unwrap_or_else(|| panic!("no such function: MPI_{name}")) as u16
}

fn parsed<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

fn moment(text: &str) -> u64 {
    match text.strip_suffix("ms") {
        Some(n) => parsed::<u64>(n) * 1_000_000,
        None => parsed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_to_events() {
        let scenario = Scenario::parse("0 Send to=1 tag=3 int:4\n1 Recv from=any tag=any int:4 status=0:3\n0 Finalize");
        let Line::Event(0, event) = &scenario.lines[0] else { panic!() };
        let data = Data { address: 4096, count: 4, datatype: 1 };
        assert!(matches!(event.body, Body::Send { dest: 1, tag: 3, data: d, .. } if d == data));
        assert_eq!(event.head.flags, flag::BLOCKING);
        assert!(matches!(&scenario.lines[2], Line::Event(0, e) if matches!(e.body, Body::Return { .. })));
        assert_eq!(scenario.size, 2);
        let Definition::Comm(comm) = &scenario.definitions[0].1 else { panic!() };
        assert_eq!(comm.size, 2);
    }
}
