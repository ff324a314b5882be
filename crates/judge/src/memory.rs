//! From events of windows and files, and of calls whose buffer is in a window, to accesses that are compared.

use std::hash::BuildHasher;

use mpiscope_abi::id;
use mpiscope_trace::check::event::{Data, Head, access, assertion, flag, memory, seek, touch};
use mpiscope_trace::defs::Definition;
use rustc_hash::FxBuildHasher;

use crate::access_conflicts::bytes::{self, Ranges};
use crate::access_conflicts::{Access, AccessEvent, Changed, Layout, Move, Part, Pointer, Use};
use crate::judge::Judge;
use crate::replay::Step;
use crate::report::{CallRef, Draft};

/// An access, as its event describes it.
pub(crate) struct Accessing<'a> {
    pub window: u32,
    pub what: u64,
    pub op: u64,
    pub target: i32,
    pub reduction: u32,
    pub origin: &'a Data,
    pub result: &'a Data,
    pub at_target: &'a Data,
    pub content: &'a [u8],
}

/// Most datatypes for which the offsets of their bytes are remembered.
const MOST_SHAPES: usize = 1024;

/// A view of a file.
#[derive(Clone, Copy)]
pub(crate) struct View {
    begin: i64,
    pieces: u32,
}

impl Judge {
    /// The number of a window and the process's id of its communicator.
    pub(crate) fn window(&mut self, process: u32, window: u32) -> Option<(u32, u32)> {
        let shared = self.objects.process(process).windows.get(&window)?;
        let (identity, comm) = (shared.identity, shared.comm);
        let next = self.windows.len() as u32 + 1;
        Some((*self.windows.entry((true, identity.0, identity.1)).or_insert(next), comm))
    }

    fn file_number(&mut self, process: u32, file: u32) -> Option<u32> {
        let identity = self.objects.process(process).files.get(&file)?.identity;
        let next = self.windows.len() as u32 + 1;
        Some(*self.windows.entry((false, identity.0, identity.1)).or_insert(next))
    }

    fn access_event(&mut self, process: u32, event: AccessEvent) {
        if self.settings.races {
            self.step(process, Step::Access(Box::new(event)));
        }
    }

    /// Accesses of the process to a target, or to all, are complete.
    pub(crate) fn complete_accesses(&mut self, process: u32, window: u32, target: Option<u32>, is_local: bool) {
        self.access_event(process, AccessEvent::Complete { window, target, is_local });
    }

    /// The process has passed a fence.
    pub(crate) fn fenced(&mut self, process: u32, window: u32, asserted: u64) {
        self.epochs(process, window).is_fenced = asserted & assertion::NO_SUCCEED == 0;
        self.access_event(process, AccessEvent::Fence { window });
    }

    /// The process locks a target, or all of them.
    pub(crate) fn locks(&mut self, process: u32, window: u32, target: Option<u32>, is_exclusive: bool, place: CallRef) {
        if is_exclusive {
            // A process that waits for a lock waits for another process.
            self.access_conflicts.observers().all();
        }
        self.epochs(process, window).is_fenced = false;
        self.access_event(process, AccessEvent::Lock { window, target, place });
    }

    /// Others may access the process's memory, until [`Judge::hide`].
    pub(crate) fn expose(&mut self, process: u32, head: &Head, window: u32, asserted: u64, is_passive: bool) {
        let place = self.place(process, head);
        self.access_event(process, AccessEvent::Expose { window, asserted, place, is_passive });
    }

    /// See [`Judge::expose`].
    pub(crate) fn hide(&mut self, process: u32, window: u32) {
        self.access_event(process, AccessEvent::Hide { window });
    }

    /// A definition was made; a window concerns other processes as well.
    pub(crate) fn defined(&mut self, process: u32, definition: &Definition) {
        if matches!(definition, Definition::Datatype { .. }) {
            self.shapes.clear();
        }
        let Definition::Window { id, size, disp_unit, created_by, .. } = definition else { return };
        let Some((window, _)) = self.window(process, *id) else { return };
        if self.settings.races {
            self.replay.clocks.tick(process);
        }
        let is_dynamic = created_by & !mpiscope_abi::LARGE == id::Win_create_dynamic;
        let part = Part { unit: *disp_unit, size: (!is_dynamic).then_some(*size) };
        for waiting in self.access_conflicts.learn(window, process, part) {
            self.replay.wake(waiting);
        }
        self.go_on();
    }

    /// Assertions about a window. All processes must assert that their parts are equal, so only those that do are compared.
    pub(crate) fn promised(&mut self, process: u32, window: u32, promised: u64, place: CallRef) {
        self.access_conflicts.promise(window, promised & assertion::SAME_OP != 0);
        let Some(part) = self.access_conflicts.part(window, process) else { return };
        let size = part.size.map(i128::from);
        let kinds = [
            (assertion::SAME_SIZE, "same_size", size),
            (assertion::SAME_UNIT, "same_disp_unit", Some(i128::from(part.unit))),
        ];
        for (bit, key, has) in kinds {
            let Some(has) = has.filter(|_| promised & bit != 0) else { continue };
            let (first, other) = *self.alike.entry((window, bit)).or_insert((place, has));
            if other == has {
                continue;
            }
            let text = format!(
                "The window's info has {key}, but rank {} passes {other} bytes and rank {process} {has} bytes.",
                first.process
            );
            let draft = Draft::new("rma.assertion").text(text);
            self.sink.add(draft.party(place, "asserts").party(first, "asserts the same"));
        }
    }

    /// Memory is attached to a window, or detached.
    pub(crate) fn window_memory(&mut self, process: u32, head: &Head, window: u32, what: u64, stretch: (u64, u64)) {
        let at_ns = self.objects.moment_ns(process, head.at) + i128::from(self.settings.clock_error_ns);
        let Some((window, _)) = self.window(process, window) else { return };
        if what == memory::SHARED {
            self.access_conflicts.observers().all();
        }
        // Others store into shared memory: nothing is concluded from its bytes, calls that use it are seen all the same.
        let what = if what == memory::SHARED { memory::WHOLE } else { what };
        self.access_conflicts.memory((window, process), what, stretch, at_ns, &self.replay.clocks);
    }

    /// Bytes of elements from an address on.
    fn bytes_of(&mut self, process: u32, data: &Data, start: i64) -> Option<(Ranges, bool)> {
        let datatype = self.objects.datatype(process, data.datatype)?;
        let sizes = |id: u32| self.objects.datatype(process, id).map(|d| (d.size, d.extent));
        let map = datatype.map.as_deref();
        let spell = || bytes::ranges(0, data.count, datatype.size, datatype.extent, map, sizes);
        // Numbers and rows are made faster than found.
        let (mut ranges, is_exact) = match map {
            None => spell(),
            Some(_) => {
                if self.shapes.len() >= MOST_SHAPES {
                    self.shapes.clear();
                }
                self.shapes.entry((process, data.datatype, data.count)).or_insert_with(spell).clone()
            }
        };
        ranges.shift(start);
        Some((ranges, is_exact))
    }

    /// An access to another process's memory.
    pub(crate) fn access(&mut self, process: u32, head: &Head, of: &Accessing<'_>) {
        if !self.settings.races {
            return;
        }
        let known = self.window(process, of.window).and_then(|(window, comm)| {
            let (_, target) = self.peer(process, comm, of.target)?;
            Some((window, target, self.bytes_of(process, of.at_target, 0)?))
        });
        let Some((window, target, (ranges, is_exact))) = known else {
            // What it reads or writes, others may go by.
            if of.target >= 0 {
                self.access_conflicts.observers().all();
            }
            return;
        };
        if target != process && of.what != access::GET {
            self.access_conflicts.observers().writes_to(target);
        }
        let base = u32::from(head.function) & !mpiscope_abi::LARGE;
        let elements = match self.objects.datatype(process, of.at_target.datatype) {
            Some(datatype) if of.what == access::ACCUMULATE => {
                let one = self.objects.signatures.signature_of(datatype, 1);
                self.objects.signatures.kinds(one)
            }
            _ => String::new(),
        };
        let reduction = self.objects.process(process).ops.get(&of.reduction).cloned().unwrap_or_else(|| "".into());
        let locks = &self.epochs(process, window).locks;
        let lock = locks.iter().find(|(of, _)| *of == Some(target)).or(locks.iter().find(|(of, _)| of.is_none()));
        let (is_exclusive, is_active) = (lock.is_some_and(|l| l.1), lock.is_none());
        let is_fenced = is_active && self.epochs(process, window).is_fenced;
        let access = Access {
            origin: process,
            what: of.what,
            reduction,
            elements,
            ranges,
            is_exact,
            place: self.place(process, head),
            is_exclusive,
            is_active,
            is_fenced,
            is_swap: base == id::Compare_and_swap,
            fetches: of.result.count > 0 || matches!(base, id::Fetch_and_op | id::Compare_and_swap),
            op: of.op,
            content: of.content.to_vec(),
            at_ns: self.objects.moment_ns(process, head.at) - i128::from(self.settings.clock_error_ns),
            ..Access::default()
        };
        let displacement = of.at_target.address as i64;
        self.access_event(process, AccessEvent::Access { window, target, displacement, access });
        let serves = Some((window, target));
        let (reads, writes) = if of.what == access::GET { (None, Some(of.origin)) } else { (Some(of.origin), None) };
        for (data, writes) in [(reads, false), (writes, true), (Some(of.result), true)] {
            if let Some(data) = data.filter(|d| d.count > 0) {
                self.local(process, head, of.op, data, writes, serves);
            }
        }
    }

    /// A call reads or writes memory of its own process, which may be part of a window.
    pub(crate) fn local(
        &mut self,
        process: u32,
        head: &Head,
        op: u64,
        data: &Data,
        writes: bool,
        serves: Option<(u32, u32)>,
    ) {
        if !self.settings.races
            || self.access_conflicts.own(process).is_empty()
            || data.count == 0
            || data.datatype == 0
            || data.address == 0
        {
            return;
        }
        // A call that is all of its operation has no number for it.
        let op = match (op, serves) {
            (0, None) => {
                self.own_calls += 1;
                1 << 63 | self.own_calls
            }
            _ => op,
        };
        let Some((ranges, is_exact)) = self.bytes_of(process, data, data.address as i64) else { return };
        let (from, to) = ranges.bounds();
        let meets: Vec<(u32, u64, u64, bool)> = self
            .access_conflicts
            .own(process)
            .iter()
            .filter(|own| (own.address as i64) < to && from < own.address.saturating_add(own.bytes) as i64)
            .map(|own| (own.window, own.address, own.bytes, own.is_attached))
            .collect();
        for (window, address, bytes, is_attached) in meets {
            let (low, high) = (address as i64, address.saturating_add(bytes) as i64);
            let mut ranges = ranges.within((low, high));
            if !is_attached {
                ranges.shift(low.wrapping_neg());
            }
            let locks = &self.epochs(process, window).locks;
            let is_exclusive = locks.iter().any(|(of, exclusive)| *exclusive && *of == Some(process));
            let is_locked = locks.iter().any(|(of, _)| of.is_none_or(|of| of == process));
            let access = Access {
                is_locked,
                origin: process,
                what: if writes { access::PUT } else { access::GET },
                ranges,
                is_exact,
                place: self.place(process, head),
                is_exclusive,
                is_active: true,
                is_own: true,
                serves,
                op,
                ..Access::default()
            };
            self.access_event(process, AccessEvent::Local { window, access });
        }
        if op != 0 && serves.is_none() {
            let blocks = head.flags & mpiscope_trace::check::event::flag::BLOCKING != 0;
            self.own_ops.entry(process).or_default().push((op, blocks.then_some(head.thread)));
        }
    }

    /// An operation is complete.
    pub(crate) fn local_over(&mut self, process: u32, op: u64) {
        if let Some(ops) = self.own_ops.get_mut(&process) {
            let before = ops.len();
            ops.retain(|o| o.0 != op);
            if ops.len() < before {
                self.access_event(process, AccessEvent::Over { op });
            }
        }
    }

    /// The request of an access is complete.
    pub(crate) fn access_over(&mut self, process: u32, op: u64) {
        self.access_event(process, AccessEvent::Over { op });
    }

    /// The process has changed its memory of a window.
    pub(crate) fn stored(&mut self, process: u32, head: &Head, window: u32, pieces: &[(u64, u64)], content: &[u8]) {
        let Some((window, _)) = self.window(process, window) else { return };
        // Of memory that two windows have, nobody knows through which one others have written. The replay may come to this
        // when the window is gone.
        if !self.access_conflicts.is_alone(window, process) {
            return;
        }
        let at = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let pieces = pieces.iter().map(|&(from, n)| (at(from), at(from.saturating_add(n.min(1 << 20))))).collect();
        let (content, place) = (content.to_vec(), self.place(process, head));
        self.access_event(process, AccessEvent::Stored { window, pieces, content, place });
    }

    /// A process may have asserted that it has not stored into its memory of a window since others could last access it.
    pub(crate) fn promises_no_store(&mut self, process: u32, window: u32, asserted: u64, place: CallRef) {
        if asserted & assertion::NO_STORE != 0 {
            self.access_event(process, AccessEvent::NotStored { window, place });
        }
    }

    /// Data in windows that an access of the process reads have changed before the call that completes it.
    pub(crate) fn changed(&mut self, process: u32, (address, bytes): (u64, u64), changed: Changed) {
        let end = address.saturating_add(bytes);
        let places: Vec<(u32, (i64, i64))> = self
            .access_conflicts
            .own(process)
            .iter()
            .filter(|own| own.address < end && address < own.address.saturating_add(own.bytes))
            .map(|own| {
                let from = if own.is_attached { 0 } else { own.address as i64 };
                (own.window, ((address as i64).wrapping_sub(from), (end as i64).wrapping_sub(from)))
            })
            .collect();
        self.access_event(process, AccessEvent::Changed { places, changed });
    }

    /// The program accessed memory of a window directly.
    pub(crate) fn touched(
        &mut self,
        process: u32,
        head: &Head,
        (window, target): (u32, i32),
        how: u64,
        (at, bytes): (u64, u64),
        site: u32,
    ) {
        let Some((window, comm)) = self.window(process, window) else { return };
        let Some((_, target)) = self.peer(process, comm, target) else { return };
        // Of memory in two windows it is unknown through which one others accessed it.
        if target == process && !self.access_conflicts.is_alone(window, process) {
            return;
        }
        let ends = i64::try_from(at).ok().zip(at.checked_add(bytes).and_then(|end| i64::try_from(end).ok()));
        let Some(range) = ends else { return };
        let locks = &self.epochs(process, window).locks;
        let mut own = locks.iter().filter(|(of, _)| of.is_none_or(|of| of == target)).peekable();
        let access = Access {
            origin: process,
            ranges: Ranges::one(range.0, range.1),
            is_exact: true,
            is_locked: own.peek().is_some(),
            is_exclusive: own.any(|lock| lock.1),
            is_active: how & touch::ACTIVE != 0,
            is_own: true,
            is_touch: true,
            place: self.place(process, &Head { site, function: 0, at: 0, ..*head }),
            ..Access::default()
        };
        // An instruction that may load or store counts as either; its machine code decides in the end.
        for (bit, what) in [(touch::LOADS, access::GET), (touch::STORES, access::PUT)] {
            if how & bit != 0 {
                let access = Access { what, ..access.clone() };
                self.access_event(process, AccessEvent::Touched { window, target, access });
            }
        }
    }

    /// A call has returned: its own accesses are complete.
    pub(crate) fn call_over(&mut self, process: u32, thread: u8) {
        let Some(ops) = self.own_ops.get_mut(&process).filter(|ops| !ops.is_empty()) else { return };
        let over: Vec<u64> = ops.iter().filter(|o| o.1 == Some(thread)).map(|o| o.0).collect();
        ops.retain(|o| o.1 != Some(thread));
        for op in over {
            self.access_event(process, AccessEvent::Over { op });
        }
    }

    /// A file was opened; `identity` is equal for all processes of one host that opened it.
    pub(crate) fn opened(&mut self, process: u32, head: &Head, file: u32, identity: u64, appends: bool) {
        let Some(number) = self.file_number(process, file) else { return };
        if identity != 0 {
            let first = *self.file_identities.entry(identity).or_insert(number);
            self.access_conflicts.same_file(first, number);
        }
        self.views.remove(&(process, file));
        let place = self.place(process, head);
        self.shared_views.viewed(number, process, Some(0), place);
        self.access_event(process, AccessEvent::Order { file: number, what: None });
        if let Some((processes, _)) = self.sharing(process, file) {
            let to = if appends { Move::Away } else { Move::To(0) };
            self.access_event(process, AccessEvent::Pointer { file: number, what: Pointer::Opened { processes, to } });
        }
    }

    /// The number of processes that have a file, and which of them one is.
    fn sharing(&mut self, process: u32, file: u32) -> Option<(u32, u32)> {
        let comm = self.objects.process(process).files.get(&file)?.comm;
        let local = self.objects.local_comm(process, comm).filter(|local| !local.foreign)?;
        Some((u32::try_from(local.peers.len()).ok()?, local.place))
    }

    /// All processes of a file seek with the shared pointer.
    pub(crate) fn shared_seek(&mut self, process: u32, file: u32, whence: u64, by: i64) {
        let to = match whence {
            seek::SET => Move::To(by),
            seek::CURRENT => Move::By(by),
            _ => Move::Away,
        };
        if let Some(number) = self.file_number(process, file) {
            self.access_event(process, AccessEvent::Pointer { file: number, what: Pointer::Moved(to) });
        }
    }

    /// A view was set.
    pub(crate) fn viewed(&mut self, process: u32, head: &Head, file: u32, begin: i64, pieces: u32) {
        self.views.insert((process, file), View { begin, pieces });
        let Some(number) = self.file_number(process, file) else { return };
        let extent = self.objects.datatype(process, pieces).map_or(0, |d| d.extent);
        let layout = match self.bytes_of(process, &Data { address: 0, count: 1, datatype: pieces }, 0) {
            Some((tile, true)) => Some(FxBuildHasher.hash_one((begin, extent, tile.iter().collect::<Vec<_>>()))),
            _ => None,
        };
        let place = self.place(process, head);
        self.shared_views.viewed(number, process, layout, place);
        self.access_event(process, AccessEvent::Pointer { file: number, what: Pointer::Moved(Move::To(0)) });
    }

    /// Where a process's view places bytes; `None` if that is unknown.
    fn layout(&mut self, process: u32, file: u32) -> Option<Layout> {
        let Some(view) = self.views.get(&(process, file)).copied() else { return Some(Layout::plain()) };
        let data = Data { address: 0, count: 1, datatype: view.pieces };
        let extent = self.objects.datatype(process, view.pieces).map_or(0, |d| d.extent);
        let (tile, is_exact) = self.bytes_of(process, &data, 0)?;
        is_exact.then_some(Layout { begin: view.begin, tile, extent })
    }

    /// A process's accesses to a file are ordered before those that follow.
    pub(crate) fn ordered(&mut self, process: u32, file: u32, what: u64) {
        if let Some(number) = self.file_number(process, file) {
            self.access_event(process, AccessEvent::Order { file: number, what: Some(what) });
        }
    }

    /// A file is read or written, at an offset in the data of its view.
    pub(crate) fn file(
        &mut self,
        process: u32,
        head: &Head,
        file: u32,
        offset: Option<u64>,
        amount: u64,
        writes: bool,
    ) {
        if !writes {
            self.access_conflicts.observers().learns(process);
        }
        let Some(number) = self.file_number(process, file) else { return };
        let mut access = Access {
            origin: process,
            what: if writes { access::PUT } else { access::GET },
            is_exact: true,
            place: self.place(process, head),
            ..Access::default()
        };
        if let Some(is_ordered) = shares(u32::from(head.function) & !mpiscope_abi::LARGE) {
            self.shared_views.used(number, process, access.place);
            let rank = self.sharing(process, file).map(|(_, rank)| rank).filter(|_| is_ordered);
            let what = match head.flags & flag::WRONG {
                0 => {
                    let layout = self.layout(process, file);
                    Pointer::Used(Box::new(Use { access, layout, bytes: amount, rank }))
                }
                _ => Pointer::Lost,
            };
            self.access_event(process, AccessEvent::Pointer { file: number, what });
            return;
        }
        let Some(offset) = offset.filter(|_| amount > 0) else { return };
        let Some(layout) = self.layout(process, file) else { return };
        let Some(ranges) = layout.ranges(offset, amount) else { return };
        access.ranges = ranges;
        self.access_event(process, AccessEvent::File { file: number, access });
    }
}

/// Whether a function uses the shared file pointer, and in which order: that of the ranks, or any.
fn shares(base: u32) -> Option<bool> {
    match base {
        id::File_read_shared | id::File_write_shared | id::File_iread_shared | id::File_iwrite_shared => Some(false),
        id::File_read_ordered | id::File_write_ordered | id::File_read_ordered_begin | id::File_write_ordered_begin => {
            Some(true)
        }
        _ => None,
    }
}
