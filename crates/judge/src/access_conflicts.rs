//! Memory and files that several processes use: accesses that overlap, write, and have no order (MPI-5.0 §12.7, §14.6).
//!
//! Called from the replay, so what comes later here never happened before what came earlier. Where several threads of a process
//! call, the order is unknown, and nothing is compared from then on.

pub(crate) mod bytes;
mod fences;
mod files;
mod ordering_hints;
mod overlaps;
mod pointers;
mod windows;

use mpiscope_abi::name;
use mpiscope_trace::check::event::access;

use crate::clocks::{Clock, Clocks};
use crate::finding::{Confidence, MAY_READ, MAY_WRITE};
use crate::report::{CallRef, Draft, Sink};
use crate::rules;
use bytes::{Piece, Ranges};
pub(crate) use pointers::{Layout, Move, Pointer, Use};
pub(crate) use windows::Part;

/// What is looked at.
pub(crate) enum AccessEvent {
    /// An access to a window, `displacement` from its begin in the target's units.
    Access { window: u32, target: u32, displacement: i64, access: Access },
    /// A process uses its own memory of a window, at bytes from its begin.
    Local { window: u32, access: Access },
    /// Accesses of the process to a target, or to all, are complete there; or only what they have read is here.
    Complete { window: u32, target: Option<u32>, is_local: bool },
    /// An operation of the process is complete.
    Over { op: u64 },
    /// The process has passed a fence.
    Fence { window: u32 },
    /// The process locks a target, or all of them.
    Lock { window: u32, target: Option<u32>, place: CallRef },
    /// Others may access the process's memory from now on; an earlier exposure has ended.
    Expose { window: u32, asserted: u64, place: CallRef, is_passive: bool },
    /// They may not any more.
    Hide { window: u32 },
    /// The process has changed its memory since others may access it.
    Stored { window: u32, pieces: Vec<Piece>, content: Vec<u8>, place: CallRef },
    /// It has promised that it has not.
    NotStored { window: u32, place: CallRef },
    /// What an access of the process reads has changed: in which windows that lies, at bytes from their begins.
    Changed { places: Vec<(u32, (i64, i64))>, changed: Changed },
    /// The program of a process was seen to touch memory of a window by itself.
    Touched { window: u32, target: u32, access: Access },
    /// A file is read or written.
    File { file: u32, access: Access },
    /// What the process has done to a file so far is in order with what comes later; see
    /// [`mpiscope_trace::check::event::order`], none when it was opened.
    Order { file: u32, what: Option<u64> },
    /// A process moves or uses the pointer of a file that all processes share.
    Pointer { file: u32, what: Pointer },
}

/// Something has changed the buffer of an access that is not complete.
pub(crate) struct Changed {
    /// The call that completes the access, and where the access was begun.
    pub places: [CallRef; 2],
    /// How many bytes, and the first of them.
    pub bytes: u64,
    pub first: i64,
    /// The function, and further details.
    pub text: String,
}

/// See [`AccessEvent`].
#[derive(Clone, Default)]
pub(crate) struct Access {
    pub origin: u32,
    /// See [`access`]; reading and writing a file or one's own memory are getting and putting.
    pub what: u64,
    /// Name of the operation of an accumulate.
    pub reduction: std::sync::Arc<str>,
    /// Basic datatypes of an accumulate.
    pub elements: String,
    pub ranges: Ranges,
    /// The ranges are all of it and nothing else.
    pub is_exact: bool,
    pub place: CallRef,
    pub is_exclusive: bool,
    /// In an epoch whose order only synchronisation calls make, not the memory itself.
    pub is_active: bool,
    /// In one of fences.
    pub is_fenced: bool,
    /// `MPI_Compare_and_swap`, which goes with any accumulate.
    pub is_swap: bool,
    /// Brings something back.
    pub fetches: bool,
    /// A call that is not an access of RMA uses the process's own memory.
    pub is_own: bool,
    /// The program touches a word by itself, without MPI.
    pub is_touch: bool,
    /// A process that uses its own memory has a lock for that.
    pub is_locked: bool,
    /// Window and target of the access whose buffer in the process's own memory it is.
    pub serves: Option<(u32, u32)>,
    /// Its operation, 0 without.
    pub op: u64,
    /// The first bytes that it writes.
    pub content: Vec<u8>,
    /// When it began, ns.
    pub at_ns: i128,
}

impl Access {
    /// Changes nothing.
    fn reads(&self) -> bool {
        self.what == access::GET || (self.what == access::ACCUMULATE && &*self.reduction == "MPI_NO_OP")
    }

    fn says(&self, is_file: bool) -> String {
        if self.is_touch {
            let verb = if self.reads() { "reads" } else { "writes" };
            return format!("rank {} itself {verb} them", self.origin);
        }
        let verb = match (self.what, is_file || self.is_own) {
            (access::PUT, _) => "writes".to_owned(),
            (access::GET, _) => "reads".to_owned(),
            _ if self.elements.is_empty() => format!("accumulates with {}", self.reduction),
            _ => format!("accumulates {} with {}", self.elements, self.reduction),
        };
        format!("rank {} {verb} ({})", self.origin, name(self.place.function.into()))
    }
}

/// Two accesses, or more about one.
enum Observation {
    /// Both have bytes in common.
    /// `same_op`: there is a conflict only because of that info key.
    Conflict { is_file: bool, same_op: bool, first: Access, second: Access, common: (i64, i64), is_sure: bool },
    /// Both access these bytes, which are in two windows.
    Through { first: Access, second: Access, bytes: i64, is_sure: bool },
    /// The target itself stores.
    Stored { by: u32, place: CallRef, access: Access, common: (i64, i64), is_sure: bool },
    /// The process itself has changed what its access reads.
    Changed { changed: Changed, is_sure: bool },
    /// The process itself has stored, which it has promised not to do.
    Broken { by: u32, place: CallRef, bytes: (i64, i64) },
    /// Outside of the window's memory.
    Range { access: Access, target: u32, bounds: (i64, i64), size: Option<u64> },
    /// A process locks what another one accesses in the same epoch of fences.
    Locked { lock: CallRef, access: CallRef, target: u32 },
    /// Against what the target has asserted.
    Asserted { access: Access, by: u32, place: CallRef },
}

/// All windows and files.
#[derive(Default)]
pub(crate) struct AccessConflicts {
    windows: windows::Windows,
    files: files::Files,
    /// The order is unknown.
    is_blind: bool,
    found: Vec<Observation>,
}

impl AccessConflicts {
    /// Compares an access, or returns it because something is not known yet.
    pub fn add(&mut self, process: u32, look: AccessEvent, clocks: &mut Clocks) -> Option<AccessEvent> {
        if let AccessEvent::Access { window, target, .. } = &look
            && !self.windows.knows(*window, *target, process)
        {
            return Some(look);
        }
        let found = &mut self.found;
        match look {
            AccessEvent::Access { window, target, displacement, access } => {
                self.windows.access((window, target), displacement, access, clocks, self.is_blind, found);
            }
            AccessEvent::Local { window, access } => self.windows.local(window, access, clocks, self.is_blind, found),
            AccessEvent::Complete { window, target, is_local } => {
                self.windows.complete(process, window, target, is_local, clocks);
            }
            AccessEvent::Over { op } => self.windows.over(process, op, clocks),
            AccessEvent::Fence { window } => self.windows.fences.pass(window, process),
            AccessEvent::Lock { window, target, place } if !self.is_blind => {
                self.windows.fences.lock(window, target, place, found);
            }
            AccessEvent::Lock { .. } => {}
            AccessEvent::Expose { window, asserted, place, is_passive } => {
                self.windows.hide((window, process), clocks, self.is_blind, found);
                self.windows.expose((window, process), asserted, place, is_passive, clocks);
            }
            AccessEvent::Hide { window } => self.windows.hide((window, process), clocks, self.is_blind, found),
            AccessEvent::Stored { window, pieces, content, place } => {
                self.windows.stored((window, process), pieces, content, place);
            }
            AccessEvent::NotStored { window, place } => {
                self.windows.not_stored((window, process), place, clocks, self.is_blind);
            }
            AccessEvent::Changed { places, changed } => {
                self.windows.changed(process, places, changed, clocks, self.is_blind, found);
            }
            AccessEvent::Touched { window, target, access } => {
                self.windows.touched((window, target), access, clocks, self.is_blind, found);
            }
            AccessEvent::File { file, access } => self.files.access(file, access, clocks, self.is_blind, found),
            AccessEvent::Order { file, what } => self.files.order(process, file, what, clocks, self.is_blind, found),
            AccessEvent::Pointer { file, what } => {
                self.files.pointer(process, file, what, clocks, self.is_blind, found)
            }
        }
        None
    }

    /// A process's part of a window, if it is known.
    pub fn part(&self, window: u32, process: u32) -> Option<Part> {
        self.windows.part((window, process))
    }

    /// A process's part of a window; those that wait for it.
    pub fn learn(&mut self, window: u32, process: u32, part: Part) -> Vec<u32> {
        self.windows.learn(window, process, part)
    }

    /// Memory of a process becomes part of a window (window and process), or is not any more, at a moment.
    pub fn memory(&mut self, of: (u32, u32), what: u64, stretch: (u64, u64), at_ns: i128, clocks: &Clocks) {
        // Where the order is unknown nothing is compared.
        let mut ignored = Vec::new();
        let found = if self.is_blind { &mut ignored } else { &mut self.found };
        self.windows.memory(of, what, stretch, at_ns, clocks, found);
    }

    /// What the processes promise of a window: that accumulates of the same memory have the same operation.
    pub fn promise(&mut self, window: u32, same_op: bool) {
        self.windows.promise(window, same_op);
    }

    /// Nothing else than this window has a process's part of it.
    pub fn is_alone(&self, window: u32, process: u32) -> bool {
        self.windows.is_alone((window, process))
    }

    /// Windows and offsets in them of a stretch of a process's memory.
    pub fn own(&self, process: u32) -> &[windows::Own] {
        self.windows.own(process)
    }

    /// Two numbers are one file.
    pub fn same_file(&mut self, one: u32, other: u32) {
        self.files.same(one, other);
    }

    /// The order of a process's calls is unknown.
    pub fn set_blind(&mut self) {
        self.is_blind = true;
    }

    /// All processes have ended: what is still waiting cannot be resolved.
    pub fn resolve_pending(&mut self, clocks: &Clocks) -> Vec<u32> {
        self.files.place_remaining(clocks, self.is_blind, &mut self.found);
        self.windows.report_remaining(clocks, self.is_blind, &mut self.found)
    }

    /// Processes that may be ordered in ways that no clock shows.
    pub fn observers(&mut self) -> &mut ordering_hints::Observers {
        &mut self.windows.observers
    }

    /// Tells what was found.
    pub fn report(&mut self, sink: &mut Sink) {
        for found in std::mem::take(&mut self.found) {
            sink.add(draft(found));
        }
    }
}

fn draft(found: Observation) -> Draft {
    match found {
        Observation::Conflict { is_file, same_op, first, second, common: (start, end), is_sure } => {
            let (a, b) = (&first, &second);
            let both_accumulate = a.what == access::ACCUMULATE && b.what == access::ACCUMULATE;
            let reads = a.what == access::GET || b.what == access::GET;
            let rule = match (is_file, both_accumulate, reads) {
                (true, _, true) => "io.overlap-read",
                (true, ..) => "io.overlap",
                (_, true, _) => "rma.conflict-accumulate",
                _ => "rma.conflict",
            };
            let what = if is_file { "of the file" } else { "of the target" };
            let text = format!(
                "Bytes {start} to {} {what}: {} and {}, and nothing orders the two.{}",
                end - 1,
                a.says(is_file),
                b.says(is_file),
                match () {
                    () if same_op => " The window's info key accumulate_ops is same_op.",
                    () if is_file && !(a.is_exact && b.is_exact) =>
                        " The order of calls with the shared pointer decides which bytes each of them accesses; this is one of the possible orders.",
                    () => "",
                }
            );
            let mut draft = Draft::new(rule).text(text).number("first_byte", start).number("bytes", end - start);
            if !is_sure {
                draft = draft.at_most(Confidence::Possible);
            }
            // The reader of the machine code decides what the instruction does.
            let role = |x: &Access, other: &'static str| match x.is_touch {
                true if x.reads() => MAY_READ,
                true => MAY_WRITE,
                false => other,
            };
            draft.add(b.place, None, role(b, "accesses"));
            draft.add(a.place, None, role(a, "accesses the same bytes"));
            draft
        }
        Observation::Through { first, second, bytes, is_sure } => {
            let text = format!(
                "{bytes} bytes of the target are in two windows: {}, through the other window {}, and nothing orders the two.",
                first.says(false),
                second.says(false)
            );
            let mut draft = Draft::new("rma.conflict").text(text).number("bytes", bytes);
            if !is_sure {
                draft = draft.at_most(Confidence::Possible);
            }
            draft.add(second.place, None, "accesses");
            draft.add(first.place, None, "accesses the same bytes");
            draft
        }
        Observation::Stored { by, place, access, common: (start, end), is_sure } => {
            let text = format!(
                "Bytes {start} to {} of the target: {}, and rank {by} itself stores there {}.",
                end - 1,
                access.says(false),
                if is_sure { "in the same epoch" } else { "without a lock, and nothing orders the two" }
            );
            let mut draft =
                Draft::new("rma.conflict").text(text).number("first_byte", start).number("bytes", end - start);
            if !is_sure {
                draft = draft.at_most(Confidence::Possible);
            }
            draft.add(access.place, None, "accesses");
            draft.add(place, None, "stored before this call");
            draft
        }
        Observation::Changed { changed: Changed { places: [ends, begins], bytes, first, text }, is_sure } => {
            let values = [i64::try_from(bytes).unwrap_or(i64::MAX), first, 0];
            let mut draft = Draft::new("buffer.send-written");
            if let Some(rule) = rules::by_id("buffer.send-written") {
                draft = draft.text(rules::fill(rule.text, &text, values));
            }
            draft = draft.number("value0", values[0]).number("value1", values[1]);
            if !is_sure {
                draft = draft.at_most(Confidence::Possible);
            }
            draft.party(ends, "calls").party(begins, "started here")
        }
        Observation::Range { access, target, bounds: (from, to), size } => {
            let text = match size {
                Some(size) => format!(
                    "The call accesses bytes {from} to {to} of the target, but its window has {size} bytes (rank {target}'s window)."
                ),
                None => format!(
                    "The call accesses addresses {from:#x} to {to:#x} of rank {target}, which are not attached to its window."
                ),
            };
            let mut draft = Draft::new("rma.target-range").text(text).number("value0", from).number("value1", to);
            if let Some(size) = size {
                draft = draft.number("value2", i64::try_from(size).unwrap_or(i64::MAX));
            }
            draft.add(access.place, None, "calls");
            draft
        }
        Observation::Broken { by, place, bytes: (start, end) } => {
            let text = format!(
                "Rank {by} asserts MPI_MODE_NOSTORE, but bytes {start} to {} of its window have changed since the last \
                 synchronisation, and no other process wrote there.",
                end - 1
            );
            let draft = Draft::new("rma.assertion").text(text);
            draft.number("first_byte", start).number("bytes", end - start).party(place, "asserts")
        }
        Observation::Locked { lock, access, target } => {
            let text = format!(
                "Rank {} locks the window of rank {target} while rank {} accesses it in an epoch between fences.",
                lock.process, access.process
            );
            Draft::new("rma.epoch-nested").text(text).party(lock, "locks").party(access, "accesses")
        }
        Observation::Asserted { access, by, place } => {
            let text = format!("Rank {by} asserts MPI_MODE_NOPUT for this epoch, but {}.", access.says(false));
            let mut draft = Draft::new("rma.assertion").text(text);
            draft.add(place, None, "asserts");
            draft.add(access.place, None, "accesses");
            draft
        }
    }
}

/// Whether a process with this `clock` is after something.
fn is_seen(clocks: &Clocks, clock: &Clock, of: u32, done: Option<u32>) -> bool {
    done.is_some_and(|moment| clocks.seen(clock, of) >= moment)
}
