//! Files: what mode and order of calls allow, and the events of files.

use mpiscope_abi::{Family, Flow, id};
use mpiscope_trace::check::event::Body;
use mpiscope_trace::check::rule;

use super::Scene;
use super::sides::Side;
use super::view::Slot;

/// An open file.
#[derive(Default)]
pub struct File {
    /// Communicator it was opened on.
    pub comm: u32,
    /// Which of the files of its communicator it is.
    pub ordinal: i64,
    mode: i64,
    /// Where the view begins and the size of its elements; `None` when offsets do not follow from these.
    view: Option<(i64, i64)>,
    /// The split operation that has begun, by the name of its first half.
    split: Option<u32>,
}

mod mode {
    pub const CREATE: i64 = 1;
    pub const EXCL: i64 = 64;
    pub const SEQUENTIAL: i64 = 256;
}

/// Read-only, write-only, both.
fn ways(family: Family) -> [i64; 3] {
    match family {
        Family::Mpich | Family::OpenMpi => [2, 4, 8],
        Family::Standard => [16, 256, 32],
    }
}

/// What is wrong with the mode of `MPI_File_open`. The numbers are those of MPICH and Open MPI.
pub fn mode_amiss(family: Family, value: i64) -> Option<&'static str> {
    let [read, write, both] = ways(family);
    match [read, write, both].iter().filter(|&&way| value & way != 0).count() {
        1 => {}
        0 => return Some("one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
        _ => return Some("only one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
    }
    if value & read != 0 && value & (mode::CREATE | mode::EXCL) != 0 {
        return Some("MPI_MODE_CREATE and MPI_MODE_EXCL with a mode that writes");
    }
    (value & both != 0 && value & mode::SEQUENTIAL != 0).then_some("MPI_MODE_SEQUENTIAL without MPI_MODE_RDWR")
}

/// A file was opened.
pub fn opened(s: &mut Scene<'_>, handle: u64) {
    let id = s.view.process.files.id(handle);
    let Some(param) = s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == "amode") else { return };
    if id == 0 {
        return;
    }
    let mode = s.view.int(param);
    let ordinal = s.checker.ordinal(s.head_comm, 1);
    s.checker.files.insert(id, File { comm: s.head_comm, ordinal, mode, view: Some((0, 1)), split: None });
}

/// A file was closed.
pub fn closed(s: &mut Scene<'_>, id: u32) {
    s.checker.files.remove(&id);
}

/// A view was set: offsets count in its elements.
pub fn viewed(s: &mut Scene<'_>) {
    let id = s.file();
    let named = |name: &str| s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name);
    let handle = |name: &str| named(name).and_then(|p| s.view.handle(p)).map(|h| s.view.process.types.id(h));
    let info = |id: Option<u32>| s.checker.types.get(id.unwrap_or(0) as usize).copied().unwrap_or_default();
    let (element, pieces) = (info(handle("etype")), info(handle("filetype")));
    let begin = named("disp").map_or(0, |p| s.view.int(p));
    // A file type with gaps spreads what is written.
    let view = (element.size > 0 && pieces.is_dense()).then_some((begin, element.size as i64));
    if let Some(file) = s.checker.files.get_mut(&id) {
        file.view = view;
    }
}

/// Before a call about a file: mode and split operations. What it accesses, for those that do.
pub fn before(s: &mut Scene<'_>, gives: Option<&Side>, gets: Option<&Side>) -> Option<Body> {
    let plan = s.view.plan;
    let id = s.file();
    let name = mpiscope_abi::name(plan.base);
    let family = s.view.process.mpi.constants.family;
    let [read, write, _] = ways(family);
    let file = s.checker.files.get(&id)?;
    let (mode, view) = (file.mode, file.view);
    let begins = name.ends_with("_begin");
    let ends = name.ends_with("_end");
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
    let sequential = family != Family::Standard && mode & mode::SEQUENTIAL != 0;
    if sequential && !shared && (writes || reads || plan.base == id::File_seek) {
        s.find(rule::FILE_MODE, param, [mode, 0, 0], "it was opened for sequential access");
    }
    if begins || ends || plan.base == id::File_close || matches!(plan.role, mpiscope_abi::role::Role::Collective(_)) {
        split(s, id, begins, ends);
    }
    if !(writes || reads) {
        return None;
    }
    let side = gives.or(gets)?;
    let info = s.checker.types.get(side.datatype as usize).copied().unwrap_or_default();
    let at = s.view.number(Slot::Offset).filter(|_| name.contains("_at"));
    let offset = match (at, view) {
        (Some(at), Some((begin, unit))) => u64::try_from(begin.saturating_add(at.saturating_mul(unit))).ok(),
        _ => None,
    };
    Some(Body::File { file: id, offset, bytes: side.count.saturating_mul(info.size), writes })
}

fn split(s: &mut Scene<'_>, id: u32, begins: bool, ends: bool) {
    let base = s.view.plan.base;
    let param = s.view.param(Slot::File);
    let Some(file) = s.checker.files.get_mut(&id) else { return };
    let text = match (begins, ends, file.split) {
        (true, _, Some(open)) => format!("{} is under way", mpiscope_abi::name(open)),
        (true, _, None) => {
            file.split = Some(base);
            return;
        }
        (_, true, None) => "nothing has begun".into(),
        (_, true, Some(open)) => {
            file.split = None;
            let half = |id: u32| {
                let name = mpiscope_abi::name(id);
                name.trim_end_matches("_begin").trim_end_matches("_end")
            };
            if half(open) == half(base) {
                return;
            }
            format!("{} is under way", mpiscope_abi::name(open))
        }
        (_, _, Some(open)) => format!("{} is under way", mpiscope_abi::name(open)),
        (_, _, None) => return,
    };
    s.find(rule::FILE_SPLIT, param, [0; 3], &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_open() {
        let amiss = |value| mode_amiss(Family::Mpich, value).is_some();
        assert!(!amiss(2) && !amiss(4) && !amiss(8) && !amiss(9) && !amiss(1 | 4 | 64) && !amiss(4 | 256));
        assert!(amiss(0) && amiss(1) && amiss(2 | 4) && amiss(2 | 1) && amiss(8 | 256));
    }
}
