//! Files: which calls their mode and order allow, views, and the events of files.

use mpiscope_abi::spec::class;
use mpiscope_abi::{Family, Flow, id};
use mpiscope_trace::check::event::{Body, order, seek};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::tracked::WordMap;
use super::transfer::Side;
use super::types::Order;
use super::view::{Half, Slot};
use crate::mpi::call;

/// An open file.
#[derive(Default)]
pub struct File {
    /// The communicator on which it was opened.
    pub comm: u32,
    /// Its number among the files of its communicator.
    pub ordinal: i64,
    mode: i64,
    /// Bytes of the unit in which offsets count; 0 if unknown.
    unit: u64,
    /// The split operation that has begun, by the name of its first half, and its buffer.
    split: Option<(u32, u64)>,
    /// The file's identity on this host; 0 if unknown.
    identity: u64,
    /// Call site of its opening.
    site: u32,
}

/// All files of the process.
#[derive(Default)]
pub struct Files {
    open: WordMap<u32, File>,
    /// The program has registered data representations.
    has_representations: bool,
}

impl Files {
    /// An open file.
    pub fn get(&self, id: u32) -> Option<&File> {
        self.open.get(&id)
    }

    /// The program has registered a data representation.
    pub fn has_representations(&mut self) {
        self.has_representations = true;
    }
}

/// Read-only, write-only, both.
fn ways(family: Family) -> [i64; 3] {
    match family {
        Family::Mpich | Family::OpenMpi => [2, 4, 8],
        Family::Standard => [16, 256, 32],
    }
}

/// `MPI_MODE_CREATE`, `MPI_MODE_EXCL`, `MPI_MODE_SEQUENTIAL`.
fn kinds(family: Family) -> [i64; 3] {
    match family {
        Family::Mpich | Family::OpenMpi => [1, 64, 256],
        Family::Standard => [2, 8, 64],
    }
}

/// `MPI_MODE_APPEND`.
fn append(family: Family) -> i64 {
    match family {
        Family::Mpich | Family::OpenMpi => 128,
        Family::Standard => 1,
    }
}

/// `MPI_DISPLACEMENT_CURRENT`.
pub fn current(family: Family) -> i64 {
    match family {
        Family::Mpich | Family::OpenMpi => -54_278_278,
        Family::Standard => -1,
    }
}

/// `MPI_SEEK_SET` and `MPI_SEEK_CUR`.
fn whences(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich | Family::OpenMpi => [600, 602],
        Family::Standard => [403, 401],
    }
}

/// The error in the mode of `MPI_File_open`, if any.
pub fn invalid_mode(family: Family, value: i64) -> Option<&'static str> {
    let [read, write, both] = ways(family);
    let [create, excl, sequential] = kinds(family);
    match [read, write, both].iter().filter(|&&way| value & way != 0).count() {
        1 => {}
        0 => return Some("one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
        _ => return Some("only one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
    }
    if value & read != 0 && value & (create | excl) != 0 {
        return Some("MPI_MODE_CREATE and MPI_MODE_EXCL only with a mode that writes");
    }
    (value & both != 0 && value & sequential != 0).then_some("MPI_MODE_SEQUENTIAL only without MPI_MODE_RDWR")
}

/// Registers a file that was opened, and emits its event.
pub fn opened(s: &mut CallContext<'_>, handle: u64) {
    let id = s.view.process.files.id(handle);
    let Some(param) = s.view.plan.named("amode") else { return };
    if id == 0 {
        return;
    }
    let mode = s.view.int(param);
    let ordinal = s.checker.ordinals.next(s.head_comm, 1);
    let identity = super::names::file(&s.view).map_or(0, |name| super::names::identity(&name));
    let (comm, site) = (s.head_comm, s.site);
    s.checker.files.open.insert(id, File { comm, ordinal, mode, unit: 1, split: None, identity, site });
    s.checker.life.has_file();
    let appends = mode & append(s.view.process.mpi.constants.family) != 0;
    s.emit(0, Body::Opened { file: id, identity, appends });
}

/// Before a file is deleted: it must not be open here.
pub fn deleting(s: &mut CallContext<'_>) {
    let identity = super::names::file(&s.view).map_or(0, |name| super::names::identity(&name));
    let open = s.checker.files.open.values().find(|file| identity != 0 && file.identity == identity);
    if let Some(site) = open.map(|file| file.site) {
        let param = s.view.plan.named("filename");
        s.find_from(rule::FILE_DELETED, param, [0; 3], "", site);
        // It is the call's own affair: what it does otherwise is right.
        s.open.wrong = false;
    }
}

/// A file was closed.
pub fn closed(s: &mut CallContext<'_>, id: u32) {
    s.checker.files.open.remove(&id);
}

/// A view was set: offsets count in its elements.
pub fn viewed(s: &mut CallContext<'_>) {
    let id = s.file();
    let plan = s.view.plan;
    let datatype =
        |name: &str| plan.named(name).and_then(|p| s.view.handle(p)).map_or(0, |h| s.view.process.types.id(h));
    let (element, pieces) = (datatype("etype"), datatype("filetype"));
    let begin = plan.named("disp").map_or(0, |p| s.view.int(p));
    let unit = s.checker.types.get(element as usize).map_or(0, |t| t.size);
    if let Some(file) = s.checker.files.open.get_mut(&id) {
        file.unit = unit;
    }
    s.emit(0, Body::View { file: id, begin, pieces, unit });
}

/// Reports errors of a new view (MPI-5.0 §14.3).
fn check_view(s: &mut CallContext<'_>, mode: i64) {
    let plan = s.view.plan;
    let family = s.view.process.mpi.constants.family;
    let (Some(disp), Some(etype), Some(filetype)) = (plan.named("disp"), plan.named("etype"), plan.named("filetype"))
    else {
        return;
    };
    let begin = s.view.int(disp);
    let is_sequential = mode & kinds(family)[2] != 0;
    if is_sequential != (begin == current(family)) {
        let text = if is_sequential {
            "MPI_DISPLACEMENT_CURRENT in a file opened with MPI_MODE_SEQUENTIAL"
        } else {
            "MPI_DISPLACEMENT_CURRENT only in a file opened with MPI_MODE_SEQUENTIAL"
        };
        if is_sequential || begin == current(family) {
            s.find(rule::VALUE, Some(disp), [begin, 0, 0], text);
        }
    }
    let info = |s: &CallContext<'_>, param| {
        let id = s.view.handle(param).map_or(0, |h| s.view.process.types.id(h));
        s.checker.types.get(id as usize).copied().unwrap_or_default()
    };
    let (element, pieces) = (info(s, etype), info(s, filetype));
    let writes = mode & ways(family)[0] == 0;
    for (param, of) in [(etype, element), (filetype, pieces)] {
        let text = match of.order {
            _ if of.size > 0 && of.true_bounds.0 < 0 => "a datatype whose displacements are at least 0",
            Order::Backwards => "a datatype whose displacements do not decrease",
            Order::Overlaps if writes => "a datatype without overlaps, because the file may be written",
            _ => continue,
        };
        s.find(rule::VALUE, Some(param), [of.true_bounds.0, 0, 0], text);
        return;
    }
    if element.size > 0 && pieces.size > 0 && pieces.size % element.size != 0 {
        let text = format!("a filetype whose size is a multiple of {} bytes, the size of etype", element.size);
        s.find(rule::VALUE, Some(filetype), [pieces.size as i64, element.size as i64, 0], &text);
    }
    // Those of the program's own are not followed.
    let known = ["native", "internal", "external32"];
    if let Some(param) = plan.named("datarep").filter(|_| !s.checker.files.has_representations)
        && let Some(name) = super::names::text(&s.view, param)
        && !known.contains(&name.as_str())
    {
        s.find(rule::VALUE, Some(param), [0; 3], "native, internal, external32 or a registered representation");
    }
}

/// The position of the individual file pointer, in units of the view.
fn position(s: &CallContext<'_>) -> Option<i64> {
    let param = s.view.param(Slot::File)?;
    let word = s.view.word(param)?;
    let handle = match s.view.plan.fortran {
        false => word as usize,
        // Only of a file that is known to be open.
        true if s.checker.files.open.contains_key(&s.file()) => {
            // SAFETY: an argument of the call, a handle of Fortran.
            crate::mpi::file_from_fortran(unsafe { (word as *const i32).read_unaligned() })
        }
        true => return None,
    };
    let mut at = 0i64;
    (handle != 0 && !s.open.wrong && call::File_get_position(handle, &mut at)).then_some(at)
}

fn seeks(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let (Some(param), Some(whence)) = (plan.named("offset"), plan.named("whence")) else { return };
    let (by, whence) = (s.view.int(param), s.view.int(whence));
    let [set, from_here] = whences(s.view.process.mpi.constants.family);
    let base = match whence {
        w if w == set => Some(0),
        w if w == from_here && s.view.plan.base == id::File_seek && by < 0 => position(s),
        _ => None,
    };
    if let Some(to) = base.map(|base| base.saturating_add(by)).filter(|&to| to < 0) {
        s.find(rule::VALUE, Some(param), [by, to, 0], "a position that is not before the beginning of the file");
    }
}

/// The position to which all processes move the shared pointer of a file.
fn moved(s: &CallContext<'_>, file: u32, unit: u64) -> Option<Body> {
    let plan = s.view.plan;
    let (by, whence) = (s.view.int(plan.named("offset")?), s.view.int(plan.named("whence")?));
    let [set, current] = whences(s.view.process.mpi.constants.family);
    let known = i64::try_from(unit).ok().filter(|&unit| unit > 0).and_then(|unit| by.checked_mul(unit));
    let (whence, by) = match (whence, known) {
        (w, Some(by)) if w == set => (seek::SET, by),
        (w, Some(by)) if w == current => (seek::CURRENT, by),
        _ => (seek::END, 0),
    };
    Some(Body::Seek { file, whence, by })
}

/// Before a call on a file: checks mode, view and split operations, and notes what the call accesses or orders.
pub fn before(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>) -> Option<Body> {
    let plan = s.view.plan;
    let id = s.file();
    let name = mpiscope_abi::name(plan.base);
    let family = s.view.process.mpi.constants.family;
    let [read, write, _] = ways(family);
    let file = s.checker.files.open.get(&id)?;
    let (mode, unit) = (file.mode, file.unit);
    let (begins, ends) = (plan.half == Some(Half::Begins), plan.half == Some(Half::Ends));
    let writes = plan.facts.flow == Flow::Send;
    let reads = plan.facts.flow == Flow::Receive;
    let param = s.view.param(Slot::File);
    let resizes = matches!(plan.base, id::File_set_size | id::File_preallocate);
    if (writes || resizes) && mode & read != 0 {
        s.find(rule::FILE_MODE, param, [mode, 0, 0], "it was opened for reading only");
    }
    if reads && mode & write != 0 {
        s.find(rule::FILE_MODE, param, [mode, 0, 0], "it was opened for writing only");
    }
    let shared = name.contains("shared") || name.contains("ordered");
    let seeks_itself = matches!(plan.base, id::File_seek | id::File_seek_shared);
    let sequential = mode & kinds(family)[2] != 0;
    if sequential && ((!shared && (writes || reads)) || seeks_itself) {
        s.find(rule::FILE_MODE, param, [mode, 0, 0], "it was opened for sequential access");
    } else if seeks_itself {
        seeks(s);
    }
    if begins || ends || plan.base == id::File_close || matches!(plan.role, mpiscope_abi::role::Role::Collective(_)) {
        split(s, id, begins, ends);
    }
    let what = match plan.base {
        id::File_sync => Some(order::SYNC),
        id::File_close => Some(order::CLOSE),
        id::File_set_atomicity => {
            let flag = plan.named("flag").map_or(0, |p| s.view.int(p));
            Some(if flag != 0 { order::ATOMIC } else { order::NOT_ATOMIC })
        }
        id::File_set_view => {
            check_view(s, mode);
            None
        }
        _ => None,
    };
    if let Some(what) = what {
        return Some(Body::Ordered { file: id, what });
    }
    if plan.base == id::File_seek_shared && !s.open.wrong {
        return moved(s, id, unit);
    }
    if !(writes || reads) {
        return None;
    }
    let side = gives.or(gets)?;
    let info = s.checker.types.get(side.datatype as usize).copied().unwrap_or_default();
    let bytes = side.count.saturating_mul(info.size);
    if unit > 0 && bytes % unit != 0 {
        let text = format!("a multiple of {unit} bytes, the size of the view's etype");
        s.find(rule::VALUE, s.view.param(Slot::Count), [bytes as i64, unit as i64, 0], &text);
    }
    let at = match () {
        () if name.contains("_at") => s.view.number(Slot::Offset),
        () if shared || sequential || bytes == 0 || unit == 0 => None,
        () => position(s),
    };
    let offset = at.and_then(|at| u64::try_from(at).ok()?.checked_mul(unit)).filter(|_| unit > 0);
    Some(Body::File { file: id, offset, bytes, writes })
}

fn split(s: &mut CallContext<'_>, id: u32, begins: bool, ends: bool) {
    let base = s.view.plan.base;
    let param = s.view.param(Slot::File);
    let is_fortran = s.view.plan.fortran;
    let named = s.view.plan.params.iter().find(|p| p.class == class::BUFFER);
    let buffer = named.map_or(0, |p| s.view.buffer(p).address);
    let Some(file) = s.checker.files.open.get_mut(&id) else { return };
    let text = match (begins, ends, file.split) {
        (true, _, Some((open, _))) => format!("{} is pending", mpiscope_abi::name(open)),
        (true, _, None) => {
            file.split = Some((base, buffer));
            return;
        }
        (_, true, None) => "no operation is pending".into(),
        (_, true, Some((open, begun))) => {
            file.split = None;
            let half = |id: u32| {
                let name = mpiscope_abi::name(id);
                name.trim_end_matches("_begin").trim_end_matches("_end")
            };
            match half(open) == half(base) {
                // Of Fortran's arrays each call may have a copy of its own.
                true if begun == buffer || is_fortran => return,
                true => format!("{} has another buffer", mpiscope_abi::name(open)),
                false => format!("{} is pending", mpiscope_abi::name(open)),
            }
        }
        (_, _, Some((open, _))) => format!("{} is pending", mpiscope_abi::name(open)),
        (_, _, None) => return,
    };
    s.find(rule::FILE_SPLIT, param, [0; 3], &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_open() {
        let is_invalid = |value| invalid_mode(Family::Mpich, value).is_some();
        assert!([2, 4, 8, 9, 1 | 4 | 64, 4 | 256].into_iter().all(|mode| !is_invalid(mode)));
        assert!([0, 1, 2 | 4, 2 | 1, 8 | 256].into_iter().all(is_invalid));
        assert!(invalid_mode(Family::Standard, 16 | 1).is_none() && invalid_mode(Family::Standard, 16 | 2).is_some());
    }
}
