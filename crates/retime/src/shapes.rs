//! The shapes of a copy: statistics that fit the records that were written, and shapes of calls that the recorded run did not have.

use std::collections::BTreeMap;

use mpiscope_trace::Shape;
use mpiscope_trace::annotation::is_annotation;
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::{NONE, flag, inline};
use mpiscope_trace::varint::unzigzag;
use mpiscope_trace::writer::ahead;
use rustc_hash::FxHashMap;

use crate::rank_copy::{Carries, End};

/// Sums over records of a shape, in ticks of the file they are from.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    calls: u64,
    ticks: u64,
    most: u64,
    least: Option<u64>,
}

impl Sums {
    fn add(&mut self, calls: u64, ticks: u64) {
        let each = ticks / calls.max(1);
        self.calls += calls;
        self.ticks += ticks;
        self.most = self.most.max(each);
        self.least = Some(self.least.map_or(each, |least| least.min(each)));
    }

    fn join(&mut self, other: &Sums) {
        self.calls += other.calls;
        self.ticks += other.ticks;
    }
}

/// Shapes of one thread.
pub(crate) struct Shapes {
    /// Those of the recorded run, then new ones.
    shapes: Vec<Shape>,
    recorded: usize,
    read: Vec<Sums>,
    written: Vec<Sums>,
    /// Requests of a list, by shape: readers add them to the sums in the file.
    listed: Vec<u64>,
    /// Non-blocking twins, by shape.
    twins: FxHashMap<u32, u32>,
    /// Waits that were added: by site, region and number of requests.
    waits: FxHashMap<(u32, u32, u64), u32>,
    /// Calls with other messages: by the recorded shape with the values in the record.
    carrying: FxHashMap<(u32, Vec<u64>, Carries), u32>,
    /// Calls that complete another number of requests: by the recorded shape and this number, with what each completes.
    completing: FxHashMap<(u32, u64), u32>,
    capacity: usize,
}

/// The function that begins what this one does.
fn non_blocking(function: u32) -> Option<u32> {
    let name = mpiscope_abi::name(function);
    let of = |large: &str| {
        let twin = match name.trim_end_matches("_c") {
            "MPI_Send" => "MPI_Isend",
            "MPI_Ssend" => "MPI_Issend",
            "MPI_Recv" => "MPI_Irecv",
            _ => return None,
        };
        mpiscope_abi::by_name(&format!("{twin}{large}"))
    };
    of(if name.ends_with("_c") { "_c" } else { "" })
}

impl Shapes {
    pub fn new(view: &ThreadView, listed: impl Fn(usize) -> u64, capacity: usize) -> Shapes {
        let count = view.shapes.len();
        Shapes {
            shapes: view.shapes.clone(),
            recorded: count,
            read: vec![Sums::default(); count],
            written: vec![Sums::default(); count],
            listed: (0..count).map(listed).collect(),
            twins: FxHashMap::default(),
            waits: FxHashMap::default(),
            carrying: FxHashMap::default(),
            completing: FxHashMap::default(),
            capacity,
        }
    }

    pub fn flags(&self, shape: u32) -> u32 {
        self.shapes.get(shape as usize).map_or(0, |shape| shape.flags)
    }

    pub fn is_annotation(&self, shape: u32) -> bool {
        self.shapes.get(shape as usize).is_some_and(|shape| is_annotation(shape.function))
    }

    pub fn shape(&self, shape: u32) -> Shape {
        self.shapes.get(shape as usize).copied().unwrap_or_default()
    }

    /// Notes a record of the recorded run.
    pub fn was_read(&mut self, shape: u32, calls: u64, ticks: u64) {
        if let Some(sums) = self.read.get_mut(shape as usize) {
            sums.add(calls, ticks);
        }
    }

    /// Notes a record of the copy.
    pub fn was_written(&mut self, shape: u32, calls: u64, ns: u64) {
        if let Some(sums) = self.written.get_mut(shape as usize) {
            sums.add(calls, ns);
        }
    }

    fn add(&mut self, shape: Shape) -> Option<u32> {
        if self.shapes.len() >= self.capacity {
            return None;
        }
        self.shapes.push(shape);
        self.written.push(Sums::default());
        Some(self.shapes.len() as u32 - 1)
    }

    /// The shape of records with requests of the call after them.
    pub fn ahead(&mut self) -> Option<u32> {
        let known = self.shapes.iter().position(|shape| shape.flags & flag::AHEAD != 0);
        known.map(|at| at as u32).or_else(|| self.add(ahead()))
    }

    /// The non-blocking twin of a shape, if its function has one.
    pub fn twin(&mut self, of: u32) -> Option<u32> {
        if let Some(&twin) = self.twins.get(&of) {
            return Some(twin);
        }
        let shape = self.shape(of);
        let function = non_blocking(shape.function)?;
        let flags = shape.flags | flag::REQUEST;
        let twin = self.add(Shape { function, flags, ..shape })?;
        self.twins.insert(of, twin);
        Some(twin)
    }

    /// The shape of an `MPI_Waitall` for so many requests, where the program makes another call.
    pub fn wait(&mut self, at: &Shape, requests: u64) -> Option<u32> {
        let key = (at.site, at.region, requests);
        if let Some(&wait) = self.waits.get(&key) {
            return Some(wait);
        }
        let flags = flag::REQUESTS | (at.flags & flag::FORTRAN);
        let (site, region) = (at.site, at.region);
        let function = mpiscope_abi::by_name("MPI_Waitall")?;
        let shape = Shape { function, flags, site, region, count: requests, ..Shape::default() };
        let wait = self.add(shape)?;
        self.waits.insert(key, wait);
        Some(wait)
    }

    /// The shape of a call with other messages than those of the recorded one, whose record has these values; `byte` is the id of
    /// `MPI_BYTE`.
    pub fn carrying(&mut self, (of, values): (u32, &[u64]), carries: Carries, byte: u32) -> Option<u32> {
        let key = (of, values.to_vec(), carries);
        if let Some(&shape) = self.carrying.get(&key) {
            return Some(shape);
        }
        let mut shape = spelled_out(self.shape(of), values);
        let has_second = shape.datatype2 != 0;
        if let Some(End { bytes, world_rank, is_joined }) = carries.out {
            (shape.bytes_out, shape.world_peer) = (bytes, world_rank);
            if is_joined {
                (shape.count, shape.datatype) = (bytes, byte);
            }
        }
        if let Some(End { bytes, world_rank, is_joined }) = carries.into {
            shape.bytes_in = bytes;
            let is_second = carries.out.is_some();
            *(if is_second { &mut shape.world_peer2 } else { &mut shape.world_peer }) = world_rank;
            if is_joined {
                match has_second {
                    true => (shape.count2, shape.datatype2) = (bytes, byte),
                    false => (shape.count, shape.datatype) = (bytes, byte),
                }
                shape.res_bytes = if shape.flags & flag::HAS_RESULT != 0 { bytes } else { shape.res_bytes };
            }
        }
        let shape = self.add(shape)?;
        self.carrying.insert(key, shape);
        Some(shape)
    }

    /// The shape of a call that completes `requests` of the `recorded` ones.
    pub fn completing(&mut self, of: u32, recorded: u64, requests: u64) -> Option<u32> {
        let key = (of, requests);
        if let Some(&shape) = self.completing.get(&key) {
            return Some(shape);
        }
        let mut shape = self.shape(of);
        shape.flags = shape.flags & !flag::REQUEST_LIST | flag::REQUESTS;
        shape.request_list = 0;
        shape.count = shape.count.saturating_sub(recorded - requests);
        let shape = self.add(shape)?;
        self.completing.insert(key, shape);
        Some(shape)
    }

    /// The shapes with statistics of the copy; `ns` converts a duration of the recorded run. Calls of which its ring has no record
    /// stay as they were.
    pub fn finish(mut self, ns: impl Fn(u64) -> u64) -> Vec<Shape> {
        self.shapes.iter_mut().take(self.recorded).for_each(|shape| to_ns(shape, &ns));
        for sums in &mut self.read {
            (sums.ticks, sums.most, sums.least) = (ns(sums.ticks), ns(sums.most), sums.least.map(&ns));
        }
        let groups = self.groups();
        let mut splits = self.splits_of_twins(&groups);
        let recorded = self.shapes[..self.recorded].to_vec();
        for (at, shape) in self.shapes.iter_mut().enumerate() {
            let (was, is) = (self.read.get(at).copied().unwrap_or_default(), self.written[at]);
            if is_split(shape) {
                if let Some([was, is]) = groups.get(&key(shape)).filter(|[was, _]| was.calls > 0) {
                    scale(shape, is, was);
                }
                continue;
            }
            let listed = self.listed.get(at).copied().unwrap_or(0);
            shape.sum_requests = shape.sum_requests.saturating_sub(shape.calls.saturating_mul(listed));
            if at < self.recorded {
                count(shape, &was, &is);
            } else {
                (shape.calls, shape.ticks, shape.max_ticks) = (is.calls, is.ticks, is.most);
                shape.min_ticks = is.least.unwrap_or(u64::MAX);
            }
        }
        for (&of, &twin) in &self.twins {
            let (from, calls) = (recorded[of as usize], self.written[twin as usize].calls);
            let to = &mut self.shapes[twin as usize];
            to.sum_bytes_out = scaled(from.sum_bytes_out, calls, from.calls);
            to.sum_bytes_in = scaled(from.sum_bytes_in, calls, from.calls);
        }
        for &of in self.carrying.values() {
            let shape = &mut self.shapes[of as usize];
            // All of its calls move as much.
            (shape.sum_bytes_out, shape.sum_bytes_in) = (0, 0);
        }
        for (&(_, requests), &of) in &self.completing {
            let shape = &mut self.shapes[of as usize];
            shape.sum_requests = shape.calls.saturating_mul(requests);
        }
        for &wait in self.waits.values() {
            let shape = &mut self.shapes[wait as usize];
            shape.sum_requests = shape.calls.saturating_mul(shape.count);
        }
        splits.truncate(self.capacity.saturating_sub(self.shapes.len()));
        self.shapes.extend(splits);
        self.shapes
    }

    /// Sums of calls with their arguments in each record, before and after. The split of their statistics by size and peer has no
    /// records of its own: it is scaled as these are.
    fn groups(&self) -> BTreeMap<Key, [Sums; 2]> {
        let mut groups: BTreeMap<Key, [Sums; 2]> = BTreeMap::new();
        for (at, shape) in self.shapes[..self.recorded].iter().enumerate().filter(|(_, shape)| is_inline(shape)) {
            let [was, is] = groups.entry(key(shape)).or_default();
            was.join(&self.read[at]);
            is.join(&self.written[at]);
        }
        groups
    }

    /// The same split for calls that became non-blocking.
    fn splits_of_twins(&self, groups: &BTreeMap<Key, [Sums; 2]>) -> Vec<Shape> {
        let mut of_twins: BTreeMap<Key, (u32, Sums)> = BTreeMap::new();
        for (&of, &twin) in &self.twins {
            let [from, to] = [of, twin].map(|at| &self.shapes[at as usize]);
            if is_inline(from) {
                of_twins
                    .entry(key(from))
                    .or_insert((to.function, Sums::default()))
                    .1
                    .join(&self.written[twin as usize]);
            }
        }
        let split = |shape: &Shape| {
            let (function, is) = of_twins.get(&key(shape))?;
            let mut split = Shape { function: *function, ..*shape };
            scale(&mut split, is, &groups.get(&key(shape))?[0]);
            Some(split)
        };
        self.shapes[..self.recorded].iter().filter(|shape| is_split(shape)).filter_map(split).collect()
    }
}

/// A shape without values in the record, from one whose record has these.
fn spelled_out(shape: Shape, values: &[u64]) -> Shape {
    let mut values = values.iter().copied();
    let mut next = |bit: u32| if shape.inline_mask & bit != 0 { values.next() } else { None };
    let signed = |value: Option<u64>, else_: i32| value.map_or(else_, |value| unzigzag(value) as i32);
    let mut spelled = Shape { flags: shape.flags & !flag::INLINE, inline_mask: 0, ..shape };
    spelled.count = next(inline::COUNT).unwrap_or(shape.count);
    spelled.count2 = next(inline::COUNT2).unwrap_or(shape.count2);
    spelled.peer = signed(next(inline::PEER), shape.peer);
    spelled.peer2 = signed(next(inline::PEER2), shape.peer2);
    spelled.tag = signed(next(inline::TAG), shape.tag);
    spelled.tag2 = signed(next(inline::TAG2), shape.tag2);
    if shape.inline_mask & inline::RESULT != 0 {
        // Relative to what was posted.
        let posted = if spelled.peer2 != NONE { [spelled.peer2, spelled.tag2] } else { [spelled.peer, spelled.tag] };
        let [source, tag] = posted.map(|posted| {
            let base = if posted == NONE { 0 } else { posted };
            base.wrapping_add(values.next().map_or(0, unzigzag) as i32)
        });
        (spelled.res_source, spelled.res_tag) = (source, tag);
        spelled.res_bytes = values.next().unwrap_or(0);
    }
    if shape.inline_mask & inline::BYTES != 0 {
        (spelled.bytes_out, spelled.bytes_in) = (values.next().unwrap_or(0), values.next().unwrap_or(0));
    }
    spelled
}

/// Function, site and region.
type Key = (u32, u32, u32);

fn key(shape: &Shape) -> Key {
    (shape.function, shape.site, shape.region)
}

fn is_split(shape: &Shape) -> bool {
    shape.flags & flag::SUMMARY_ONLY != 0
}

fn is_inline(shape: &Shape) -> bool {
    shape.flags & flag::INLINE != 0
}

/// Times of a shape, from ticks to ns.
fn to_ns(shape: &mut Shape, ns: &impl Fn(u64) -> u64) {
    let time = |ticks: u64| if ticks == u64::MAX { u64::MAX } else { ns(ticks) };
    (shape.ticks, shape.max_ticks, shape.min_ticks) = (time(shape.ticks), time(shape.max_ticks), time(shape.min_ticks));
}

/// Puts the calls of the copy in the place of those that were read.
fn count(shape: &mut Shape, was: &Sums, is: &Sums) {
    if was.calls == 0 {
        return;
    }
    let unread = (shape.calls.saturating_sub(was.calls), shape.ticks.saturating_sub(was.ticks));
    let (least, most) = if unread.0 == 0 { (u64::MAX, 0) } else { (shape.min_ticks, shape.max_ticks) };
    keep(shape, unread.0 + is.calls, shape.calls);
    (shape.calls, shape.ticks) = (unread.0 + is.calls, unread.1 + is.ticks);
    (shape.min_ticks, shape.max_ticks) = (least.min(is.least.unwrap_or(u64::MAX)), most.max(is.most));
}

/// Scales a split of calls as all of them together.
fn scale(shape: &mut Shape, is: &Sums, was: &Sums) {
    // The mean of a call changes by this much.
    let time = |ns: u64| scaled(scaled(ns, is.ticks, was.ticks), was.calls, is.calls);
    (shape.max_ticks, shape.ticks) = (time(shape.max_ticks), scaled(shape.ticks, is.ticks, was.ticks));
    shape.min_ticks = if shape.min_ticks == u64::MAX { u64::MAX } else { time(shape.min_ticks) };
    keep(shape, is.calls, was.calls);
    shape.calls = scaled(shape.calls, is.calls, was.calls);
}

/// Leaves a share of what a shape's calls moved.
fn keep(shape: &mut Shape, of: u64, all: u64) {
    for sum in [&mut shape.sum_requests, &mut shape.sum_bytes_out, &mut shape.sum_bytes_in] {
        *sum = if of == all { *sum } else { scaled(*sum, of, all) };
    }
}

fn scaled(value: u64, of: u64, all: u64) -> u64 {
    (u128::from(value) * u128::from(of) / u128::from(all.max(1))).min(u128::from(u64::MAX)) as u64
}
