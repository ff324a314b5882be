//! Definitions: the meaning of ids in shapes and records.
//!
//! An append-only log. Each entry is `length: u32` (of the whole entry, a multiple of 8),
//! `kind: u32` and a payload of varints and byte strings; `Header::defs_len` commits it.
//! Unknown kinds are skipped, so kinds can be added without a new version.

use crate::varint;

/// What an entry defines. Numbers are part of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are named after what they are
pub enum Definition {
    /// A fact about the process: `host`, `program`, `command`, `cwd`, `mpi_library`, `cpus`, …
    Info { key: String, value: String },
    /// An object mapped into the process.
    Module { id: u32, base: u64, start: u64, end: u64, build_id: Vec<u8>, path: String },
    /// A call site: return addresses, innermost first.
    Site { id: u32, frames: Vec<u64> },
    /// A communicator.
    Comm(Comm),
    /// `MPI_Comm_set_name`.
    CommName { id: u32, name: String },
    /// A datatype. `size` in bytes; `combiner` as the MPI numbers it, −1 unknown.
    Datatype { id: u32, size: u64, extent: i64, combiner: i32, created_by: u32, name: String },
    /// A reduction operation.
    Op { id: u32, name: String },
    /// An RMA window; `comm` is the id of its communicator.
    Window { id: u32, comm: u32, created_by: u32, size: u64, disp_unit: i64 },
    /// An open file.
    File { id: u32, comm: u32, amode: i32, name: String },
    /// A function that could not be intercepted or that the table does not know.
    NotIntercepted { name: String, why: String },
    /// Requests that are repeatedly completed or started together.
    RequestList { id: u32, requests: Vec<u32> },
    /// The messages of the persistent requests that one call starts, see `Shape::messages`.
    Messages { id: u32, messages: Vec<Message> },
    /// How a datatype was constructed, in addition to its [`Definition::Datatype`].
    Layout { id: u32, layout: Layout },
    /// A region of the program: `name` inside `parent` (0: at the top). `source` as in
    /// [`crate::annotation::source`].
    Region { id: u32, parent: u32, source: u32, name: String },
    /// Name and unit of a marker or value; a value that is text has no unit.
    Label { id: u32, name: String, unit: String },
    /// A piece of Python that called MPI, see [`crate::python`]: file and qualified name.
    PythonCode { id: u32, file: String, function: String },
    /// `mpiscope_snapshot` or `mpiscope_clear`: the statistics of the process at that moment.
    Section(Section),
    /// Processes of a group argument, as runs of world ranks in the order of the group; −1 for processes outside
    /// `MPI_COMM_WORLD`.
    Group { id: u32, members: Vec<Run> },
    /// The elements of which a datatype of a checked process is made, in order.
    TypeMap { id: u32, map: TypeMap },
    /// A kind that this reader does not know.
    Unknown { kind: u32 },
}

/// The statistics of a process at one moment, cumulative since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its region; empty for the whole process.
    pub name: String,
    /// Whether statistics of this region begin here (`mpiscope_clear`); otherwise they are reported as they are here.
    pub clear: bool,
    /// When, ticks.
    pub at: u64,
    /// Totals.
    pub rows: Vec<SectionRow>,
}

/// Calls of one function in one region (regions inside it not included).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionRow {
    /// Function id.
    pub function: u32,
    /// Region; 0 if none.
    pub region: u32,
    /// Calls.
    pub calls: u64,
    /// Total duration, ticks.
    pub ticks: u64,
    /// Payload sent.
    pub bytes_out: u64,
    /// Payload received.
    pub bytes_in: u64,
}

/// A communicator as one process sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comm {
    /// Local id; 1 is `MPI_COMM_WORLD`, 2 `MPI_COMM_SELF`.
    pub id: u32,
    /// Function that created it; 0 for predefined ones.
    pub created_by: u32,
    /// Id of the communicator from which it was made; 0 if none.
    pub parent: u32,
    /// Handle in C, which names the communicator of a call in flight.
    pub handle: u64,
    /// This process's rank in it.
    pub rank: i32,
    /// Size of the (local) group.
    pub size: i32,
    /// Size of the remote group; 0 for an intracommunicator.
    pub remote_size: i32,
    /// Equal on all members, different for different sets of members.
    pub membership: u64,
    /// How many communicators with the same members were made before this one. Together with
    /// `membership` it names the communicator across ranks, since members create
    /// communicators over the same group in the same order (MPI-5.0 §7.4.2).
    pub ordinal: u32,
    /// World ranks of the local group, run-length encoded.
    pub group: Vec<Run>,
    /// World ranks of the remote group.
    pub remote_group: Vec<Run>,
    /// 0 none, 1 Cartesian, 2 graph, 3 distributed graph.
    pub topology: u32,
    /// Cartesian dimensions: (extent, periodic, this rank's coordinate).
    pub dims: Vec<(u32, bool, u32)>,
    /// Neighbours that send to this process (graph topologies; 2·dimensions for Cartesian).
    pub indegree: u32,
    /// Neighbours to which it sends.
    pub outdegree: u32,
    /// Of graphs: ranks that send to this process, in their order; empty if there are too many.
    pub sources: Vec<Run>,
    /// Ranks to which it sends.
    pub destinations: Vec<Run>,
}

/// Messages to one process, or from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// World rank of the destination, or [`crate::shape::NONE`].
    pub to: i32,
    /// World rank of the source, or [`crate::shape::NONE`].
    pub from: i32,
    /// Payload sent.
    pub bytes_out: u64,
    /// Payload received.
    pub bytes_in: u64,
}

/// Arguments and result of a datatype constructor, in bytes. Arguments that it does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layout {
    /// Id of the datatype from which it was made; 0 for several or none.
    pub parent: u32,
    /// Lower bound.
    pub lower_bound: i64,
    /// First byte of data.
    pub true_lower_bound: i64,
    /// From the first byte of data to the last.
    pub true_extent: i64,
    /// Number of blocks.
    pub count: u64,
    /// Elements of the parent type in each block, if all are equal.
    pub block_length: u64,
    /// Distance from the start of a block to that of the next, if all are equal.
    pub stride_bytes: i64,
}

/// The elements of a datatype in the order in which they are sent: its type signature and its layout (MPI-5.0 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeMap {
    /// Blocks: `count` elements of `datatype`, the first `displacement_bytes` from the beginning.
    pub blocks: Vec<TypeBlock>,
    /// All of these blocks, one after the other, this many times (at least once) …
    pub repeat: u64,
    /// … and this far apart, bytes.
    pub stride_bytes: i64,
    /// There are too many blocks, or the constructor is unknown: neither signature nor layout are known.
    pub cut: bool,
}

/// See [`TypeMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeBlock {
    /// Where it begins.
    pub displacement_bytes: i64,
    /// Number of elements, each one extent of `datatype` after the previous.
    pub count: u64,
    /// Id of their datatype.
    pub datatype: u32,
}

/// `count` world ranks from `start` in steps of `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// First world rank; −1 for processes outside `MPI_COMM_WORLD`, or [`elsewhere`].
    pub start: i32,
    /// Step.
    pub stride: i32,
    /// Length.
    pub count: u32,
}

/// Longest list of neighbours that is kept; longer ones are left out.
pub const MOST_NEIGHBORS: usize = 1024;

impl Run {
    /// The world rank at a position.
    pub fn rank(&self, at: u32) -> i32 {
        self.start.wrapping_add((at as i32).wrapping_mul(self.stride))
    }

    /// All world ranks, one by one.
    pub fn ranks(self) -> impl Iterator<Item = i32> {
        (0..self.count).map(move |at| self.rank(at))
    }
}

/// World rank of `rank` in a run-length encoded group.
pub fn world_rank(group: &[Run], rank: i32) -> Option<i32> {
    let mut left = u32::try_from(rank).ok()?;
    for run in group {
        if left < run.count {
            return Some(run.rank(left));
        }
        left -= run.count;
    }
    None
}

/// A process outside `MPI_COMM_WORLD` that is in the communicator which [`Comm::parent`] names: its position there, in the remote
/// group if that is an intercommunicator.
pub fn elsewhere(place: u32) -> i32 {
    i32::try_from(place).map_or(-1, |place| (-2i32).saturating_sub(place))
}

/// That position, if a rank stands for such a process.
pub fn place_elsewhere(rank: i32) -> Option<u32> {
    (rank <= -2).then(|| rank.unsigned_abs() - 2)
}

/// Run-length encodes a list of world ranks.
pub fn runs(ranks: &[i32]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for &rank in ranks {
        if let Some(run) = out.last_mut() {
            if run.count == 1 {
                run.stride = rank.wrapping_sub(run.start);
                run.count = 2;
                continue;
            }
            if rank == run.rank(run.count) {
                run.count += 1;
                continue;
            }
        }
        out.push(Run { start: rank, stride: 0, count: 1 });
    }
    out
}

mod kind {
    pub const INFO: u32 = 1;
    pub const MODULE: u32 = 2;
    pub const SITE: u32 = 3;
    pub const COMM: u32 = 4;
    pub const COMM_NAME: u32 = 5;
    pub const DATATYPE: u32 = 6;
    pub const OP: u32 = 7;
    pub const WINDOW: u32 = 8;
    pub const FILE: u32 = 9;
    pub const NOT_INTERCEPTED: u32 = 10;
    pub const REQUEST_LIST: u32 = 11;
    pub const REGION: u32 = 12;
    pub const LABEL: u32 = 13;
    pub const PYTHON_CODE: u32 = 14;
    pub const SECTION: u32 = 15;
    pub const MESSAGES: u32 = 20;
    pub const LAYOUT: u32 = 21;
    pub const GROUP: u32 = 22;
    pub const TYPE_MAP: u32 = 23;
}

/// Longest string kept.
const MAX_STRING: usize = 4096;

struct Out(Vec<u8>);

impl Out {
    fn u(&mut self, value: u64) -> &mut Self {
        let mut buffer = [0u8; 16];
        // SAFETY: sixteen bytes are enough for any varint.
        let n = unsafe { varint::write(buffer.as_mut_ptr(), value) };
        self.0.extend_from_slice(&buffer[..n]);
        self
    }
    fn i(&mut self, value: i64) -> &mut Self {
        self.u(varint::zigzag(value))
    }
    fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let value = &value[..value.len().min(MAX_STRING)];
        self.u(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }
    fn runs(&mut self, runs: &[Run]) -> &mut Self {
        self.u(runs.len() as u64);
        for run in runs {
            self.i(run.start.into()).i(run.stride.into()).u(run.count.into());
        }
        self
    }
}

/// One log entry, ready to be copied into the file.
pub fn encode(definition: &Definition) -> Vec<u8> {
    let mut out = Out(vec![0; 8]);
    let kind = match definition {
        Definition::Info { key, value } => {
            out.bytes(key.as_bytes()).bytes(value.as_bytes());
            kind::INFO
        }
        Definition::Module { id, base, start, end, build_id, path } => {
            out.u((*id).into()).u(*base).u(*start).u(*end).bytes(build_id).bytes(path.as_bytes());
            kind::MODULE
        }
        Definition::Site { id, frames } => {
            out.u((*id).into()).u(frames.len() as u64);
            for frame in frames {
                out.u(*frame);
            }
            kind::SITE
        }
        Definition::Comm(c) => {
            out.u(c.id.into()).u(c.created_by.into()).u(c.parent.into()).u(c.handle);
            out.i(c.rank.into()).i(c.size.into()).i(c.remote_size.into());
            out.u(c.membership).u(c.ordinal.into()).runs(&c.group).runs(&c.remote_group);
            out.u(c.topology.into()).u(c.dims.len() as u64);
            for (extent, periodic, coordinate) in &c.dims {
                out.u((*extent).into()).u((*periodic).into()).u((*coordinate).into());
            }
            out.u(c.indegree.into()).u(c.outdegree.into()).runs(&c.sources).runs(&c.destinations);
            kind::COMM
        }
        Definition::CommName { id, name } => {
            out.u((*id).into()).bytes(name.as_bytes());
            kind::COMM_NAME
        }
        Definition::Datatype { id, size, extent, combiner, created_by, name } => {
            out.u((*id).into()).u(*size).i(*extent).i((*combiner).into()).u((*created_by).into());
            out.bytes(name.as_bytes());
            kind::DATATYPE
        }
        Definition::Op { id, name } => {
            out.u((*id).into()).bytes(name.as_bytes());
            kind::OP
        }
        Definition::Window { id, comm, created_by, size, disp_unit } => {
            out.u((*id).into()).u((*comm).into()).u((*created_by).into()).u(*size).i(*disp_unit);
            kind::WINDOW
        }
        Definition::File { id, comm, amode, name } => {
            out.u((*id).into()).u((*comm).into()).i((*amode).into()).bytes(name.as_bytes());
            kind::FILE
        }
        Definition::NotIntercepted { name, why } => {
            out.bytes(name.as_bytes()).bytes(why.as_bytes());
            kind::NOT_INTERCEPTED
        }
        Definition::RequestList { id, requests } => {
            out.u((*id).into()).u(requests.len() as u64);
            for request in requests {
                out.u((*request).into());
            }
            kind::REQUEST_LIST
        }
        Definition::Messages { id, messages } => {
            out.u((*id).into()).u(messages.len() as u64);
            for m in messages {
                out.i(m.to.into()).i(m.from.into()).u(m.bytes_out).u(m.bytes_in);
            }
            kind::MESSAGES
        }
        Definition::Layout { id, layout: l } => {
            out.u((*id).into()).u(l.parent.into()).i(l.lower_bound).i(l.true_lower_bound).i(l.true_extent);
            out.u(l.count).u(l.block_length).i(l.stride_bytes);
            kind::LAYOUT
        }
        Definition::Group { id, members } => {
            out.u((*id).into()).runs(members);
            kind::GROUP
        }
        Definition::Region { id, parent, source, name } => {
            out.u((*id).into()).u((*parent).into()).u((*source).into()).bytes(name.as_bytes());
            kind::REGION
        }
        Definition::Label { id, name, unit } => {
            out.u((*id).into()).bytes(name.as_bytes()).bytes(unit.as_bytes());
            kind::LABEL
        }
        Definition::PythonCode { id, file, function } => {
            out.u((*id).into()).bytes(file.as_bytes()).bytes(function.as_bytes());
            kind::PYTHON_CODE
        }
        Definition::Section(section) => {
            out.bytes(section.name.as_bytes()).u(section.clear.into()).u(section.at).u(section.rows.len() as u64);
            for row in &section.rows {
                out.u(row.function.into())
                    .u(row.region.into())
                    .u(row.calls)
                    .u(row.ticks)
                    .u(row.bytes_out)
                    .u(row.bytes_in);
            }
            kind::SECTION
        }
        Definition::TypeMap { id, map } => {
            out.u((*id).into()).u(map.repeat).i(map.stride_bytes).u(map.cut.into()).u(map.blocks.len() as u64);
            for block in &map.blocks {
                out.i(block.displacement_bytes).u(block.count).u(block.datatype.into());
            }
            kind::TYPE_MAP
        }
        Definition::Unknown { kind } => *kind,
    };
    let mut bytes = out.0;
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..8].copy_from_slice(&kind.to_le_bytes());
    bytes
}

struct In<'a>(&'a [u8]);

impl In<'_> {
    fn u(&mut self) -> Option<u64> {
        let (value, n) = varint::read(self.0)?;
        self.0 = &self.0[n..];
        Some(value)
    }
    fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.u()?).ok()
    }
    fn i32(&mut self) -> Option<i32> {
        i32::try_from(varint::unzigzag(self.u()?)).ok()
    }
    fn i64(&mut self) -> Option<i64> {
        Some(varint::unzigzag(self.u()?))
    }
    fn bytes(&mut self) -> Option<Vec<u8>> {
        let n = usize::try_from(self.u()?).ok()?;
        let value = self.0.get(..n)?.to_vec();
        self.0 = &self.0[n..];
        Some(value)
    }
    fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
    /// Every element takes at least one byte, which bounds memory by the entry's length.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = usize::try_from(self.u()?).ok()?;
        if n > self.0.len() {
            return None;
        }
        (0..n).map(|_| item(self)).collect()
    }
    fn runs(&mut self) -> Option<Vec<Run>> {
        self.list(|s| Some(Run { start: s.i32()?, stride: s.i32()?, count: s.u32()? }))
    }
}

fn payload(number: u32, bytes: &[u8]) -> Option<Definition> {
    let mut s = In(bytes);
    Some(match number {
        kind::INFO => Definition::Info { key: s.text()?, value: s.text()? },
        kind::MODULE => Definition::Module {
            id: s.u32()?,
            base: s.u()?,
            start: s.u()?,
            end: s.u()?,
            build_id: s.bytes()?,
            path: s.text()?,
        },
        kind::SITE => Definition::Site { id: s.u32()?, frames: s.list(In::u)? },
        kind::COMM => Definition::Comm(Comm {
            id: s.u32()?,
            created_by: s.u32()?,
            parent: s.u32()?,
            handle: s.u()?,
            rank: s.i32()?,
            size: s.i32()?,
            remote_size: s.i32()?,
            membership: s.u()?,
            ordinal: s.u32()?,
            group: s.runs()?,
            remote_group: s.runs()?,
            topology: s.u32()?,
            dims: s.list(|s| Some((s.u32()?, s.u()? != 0, s.u32()?)))?,
            indegree: s.u32()?,
            outdegree: s.u32()?,
            // Not in files of earlier versions.
            sources: s.runs().unwrap_or_default(),
            destinations: s.runs().unwrap_or_default(),
        }),
        kind::COMM_NAME => Definition::CommName { id: s.u32()?, name: s.text()? },
        kind::DATATYPE => Definition::Datatype {
            id: s.u32()?,
            size: s.u()?,
            extent: s.i64()?,
            combiner: s.i32()?,
            created_by: s.u32()?,
            name: s.text()?,
        },
        kind::OP => Definition::Op { id: s.u32()?, name: s.text()? },
        kind::WINDOW => {
            Definition::Window { id: s.u32()?, comm: s.u32()?, created_by: s.u32()?, size: s.u()?, disp_unit: s.i64()? }
        }
        kind::FILE => Definition::File { id: s.u32()?, comm: s.u32()?, amode: s.i32()?, name: s.text()? },
        kind::NOT_INTERCEPTED => Definition::NotIntercepted { name: s.text()?, why: s.text()? },
        kind::REQUEST_LIST => Definition::RequestList { id: s.u32()?, requests: s.list(In::u32)? },
        kind::MESSAGES => Definition::Messages {
            id: s.u32()?,
            messages: s
                .list(|s| Some(Message { to: s.i32()?, from: s.i32()?, bytes_out: s.u()?, bytes_in: s.u()? }))?,
        },
        kind::LAYOUT => Definition::Layout {
            id: s.u32()?,
            layout: Layout {
                parent: s.u32()?,
                lower_bound: s.i64()?,
                true_lower_bound: s.i64()?,
                true_extent: s.i64()?,
                count: s.u()?,
                block_length: s.u()?,
                stride_bytes: s.i64()?,
            },
        },
        kind::GROUP => Definition::Group { id: s.u32()?, members: s.runs()? },
        kind::TYPE_MAP => Definition::TypeMap {
            id: s.u32()?,
            map: TypeMap {
                repeat: s.u()?,
                stride_bytes: s.i64()?,
                cut: s.u()? != 0,
                blocks: s
                    .list(|s| Some(TypeBlock { displacement_bytes: s.i64()?, count: s.u()?, datatype: s.u32()? }))?,
            },
        },
        kind::REGION => Definition::Region { id: s.u32()?, parent: s.u32()?, source: s.u32()?, name: s.text()? },
        kind::LABEL => Definition::Label { id: s.u32()?, name: s.text()?, unit: s.text()? },
        kind::PYTHON_CODE => Definition::PythonCode { id: s.u32()?, file: s.text()?, function: s.text()? },
        kind::SECTION => Definition::Section(Section {
            name: s.text()?,
            clear: s.u()? != 0,
            at: s.u()?,
            rows: s.list(|s| {
                let (function, region) = (s.u32()?, s.u32()?);
                Some(SectionRow { function, region, calls: s.u()?, ticks: s.u()?, bytes_out: s.u()?, bytes_in: s.u()? })
            })?,
        }),
        kind => Definition::Unknown { kind },
    })
}

/// Decodes a log. The second value is the number of invalid entries.
pub fn decode(mut log: &[u8]) -> (Vec<Definition>, u64) {
    let mut found = Vec::new();
    let mut damaged = 0;
    while log.len() >= 8 {
        let length = u32::from_le_bytes([log[0], log[1], log[2], log[3]]) as usize;
        let number = u32::from_le_bytes([log[4], log[5], log[6], log[7]]);
        let Some(entry) = log.get(8..length).filter(|_| length.is_multiple_of(8)) else {
            return (found, damaged + 1);
        };
        match payload(number, entry) {
            Some(definition) => found.push(definition),
            None => damaged += 1,
        }
        log = &log[length..];
    }
    (found, damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_comes_back() {
        let comm = Comm {
            id: 3,
            created_by: 7,
            parent: 1,
            rank: 1,
            size: 4,
            membership: u64::MAX,
            ordinal: 2,
            group: runs(&[0, 2, 4, 6]),
            topology: 1,
            dims: vec![(2, true, 1), (2, false, 0)],
            indegree: 4,
            outdegree: 4,
            sources: runs(&[3, 1, 1]),
            destinations: runs(&[2]),
            ..Comm::default()
        };
        let all = vec![
            Definition::Info { key: "host".into(), value: "node1".into() },
            Definition::Module { id: 1, base: 4096, start: 4096, end: 8192, build_id: vec![1, 2], path: "/a".into() },
            Definition::Site { id: 9, frames: vec![1, 2, u64::MAX] },
            Definition::Comm(comm),
            Definition::CommName { id: 3, name: "rows".into() },
            Definition::Datatype { id: 1, size: 8, extent: -8, combiner: -1, created_by: 0, name: "MPI_DOUBLE".into() },
            Definition::Op { id: 1, name: "MPI_SUM".into() },
            Definition::Window { id: 1, comm: 3, created_by: 4, size: 10, disp_unit: 8 },
            Definition::File { id: 1, comm: 1, amode: 9, name: "out.dat".into() },
            Definition::RequestList { id: 1, requests: vec![3, 1, 2] },
            Definition::Section(Section {
                name: "solve".into(),
                clear: true,
                at: 7,
                rows: vec![SectionRow { function: 3, region: 1, calls: 2, ticks: 9, bytes_out: 8, bytes_in: 0 }],
            }),
            Definition::PythonCode { id: 2, file: "solver.py".into(), function: "Solver.step".into() },
            Definition::Messages {
                id: 1,
                messages: vec![Message { to: 3, from: crate::shape::NONE, bytes_out: 8, bytes_in: 0 }],
            },
            Definition::Layout {
                id: 9,
                layout: Layout { parent: 1, lower_bound: -8, count: 100, stride_bytes: -800, ..Layout::default() },
            },
            Definition::NotIntercepted { name: "MPIX_Foo".into(), why: "not in the table".into() },
            Definition::Group { id: 1, members: runs(&[3, 1, 0, -1]) },
            Definition::Group { id: 2, members: Vec::new() },
            Definition::TypeMap {
                id: 9,
                map: TypeMap {
                    blocks: vec![TypeBlock { displacement_bytes: -8, count: 3, datatype: 4 }],
                    repeat: 2,
                    stride_bytes: -64,
                    cut: false,
                },
            },
        ];
        let log: Vec<u8> = all.iter().flat_map(encode).collect();
        assert_eq!(decode(&log), (all, 0));
    }

    proptest! {
        #[test]
        fn groups_come_back(ranks in proptest::collection::vec(0i32..1000, 0..50)) {
            let group = runs(&ranks);
            for (i, &rank) in ranks.iter().enumerate() {
                prop_assert_eq!(world_rank(&group, i as i32), Some(rank));
            }
            prop_assert_eq!(world_rank(&group, ranks.len() as i32), None);
        }
        #[test]
        fn any_log(bytes: Vec<u8>) { let _ = decode(&bytes); }
    }
}
