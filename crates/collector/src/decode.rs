//! Converts the arguments of a call to words, by the generated steps.
//!
//! C passes values, Fortran passes addresses of them; otherwise the same steps are used for both. Only arguments that the
//! standard makes significant on this process are dereferenced: some arrays only at the root, none that `MPI_IN_PLACE` replaces.

use mpiscope_abi::spec::{ABSENT, attribute, kind, step_flag};
use mpiscope_abi::{Flow, Function, Step};
use mpiscope_trace::defs::Message;
use mpiscope_trace::layout::{MAX_LISTED, MAX_REQUESTS};
use mpiscope_trace::shape::{NONE, flag};
use mpiscope_trace::writer::Completed;

use crate::groups;
use crate::intern::mix;
use crate::objects::{self, CommInfo};
use crate::process::Process;
use crate::requests;
use crate::symbol::Symbol;
use crate::thread::{Call, NO_REQUEST};
use crate::trampoline::Args;

/// Decoded arguments. Fields as in [`mpiscope_trace::Shape`].
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct Words {
    pub hash: u64,
    pub flags: u32,
    pub comm: u32,
    pub datatype: u32,
    pub datatype2: u32,
    pub peer: i32,
    pub peer2: i32,
    pub tag: i32,
    pub tag2: i32,
    pub root: i32,
    pub op: u32,
    pub window: u32,
    pub file: u32,
    pub group: u32,
    pub res_source: i32,
    pub res_tag: i32,
    pub res_bytes: u64,
    pub count: u64,
    pub count2: u64,
    pub offset: i64,
    pub request: u32,
    pub new_object: u32,
    /// Bytes of v- and w-collectives with a datatype for each member.
    pub typed_bytes: u64,
    pub typed_bytes2: u64,
    /// Handle words of objects the call may free.
    pub freed: u64,
    /// A poll that found nothing.
    pub unsuccessful: bool,
}

#[inline(always)]
unsafe fn argument(args: Args, step: &Step, fortran: bool) -> u64 {
    unsafe { args.get(if fortran { step.f } else { step.c }) }
}

/// The value of a scalar argument.
#[inline(always)]
pub unsafe fn scalar(args: Args, step: &Step, fortran: bool) -> u64 {
    let word = unsafe { argument(args, step, fortran) };
    let wide = step.flags & step_flag::WIDE != 0;
    if fortran || step.flags & step_flag::POINTER != 0 {
        if word == 0 {
            return 0;
        }
        // SAFETY: Fortran passes addresses; C passes one where the table says so.
        return unsafe {
            if wide {
                (word as *const u64).read_unaligned()
            } else {
                (word as *const i32).read_unaligned() as i64 as u64
            }
        };
    }
    if wide { word } else { word as i32 as i64 as u64 }
}

/// A handle: an `int` in Fortran and in the MPICH family, a word elsewhere. Fortran handles of
/// families with pointers are other numbers for the same things: bit 62 keeps them apart.
#[inline(always)]
unsafe fn handle(process: &Process, args: Args, step: &Step, fortran: bool) -> u64 {
    let word = unsafe { argument(args, step, fortran) };
    if fortran || step.flags & step_flag::POINTER != 0 {
        return if word == 0 { 0 } else { unsafe { stored_handle(process, word, 0, fortran) } };
    }
    if process.int_handles { u64::from(word as u32) } else { word }
}

/// Handle number `index` of an array of them at `address`.
#[inline(always)]
pub unsafe fn stored_handle(process: &Process, address: u64, index: usize, fortran: bool) -> u64 {
    let int = process.int_handles;
    unsafe {
        if fortran || int {
            fortran_handle(int, *(address as *const u32).add(index))
        } else {
            *(address as *const u64).add(index)
        }
    }
}

/// See [`handle`].
#[inline(always)]
pub fn fortran_handle(int_handles: bool, value: u32) -> u64 {
    if int_handles { value.into() } else { u64::from(value) | 1 << 62 }
}

impl Words {
    /// Before anything is decoded.
    #[inline(always)]
    pub fn clear(&mut self, seed: u64) {
        self.hash = seed;
        self.flags = 0;
        (self.comm, self.datatype, self.datatype2) = (0, 0, 0);
        (self.peer, self.peer2, self.tag, self.tag2, self.root) = (NONE, NONE, NONE, NONE, NONE);
        (self.op, self.window, self.file, self.group) = (0, 0, 0, 0);
        (self.res_source, self.res_tag, self.res_bytes) = (NONE, NONE, 0);
        (self.count, self.count2) = (0, 0);
        (self.typed_bytes, self.typed_bytes2) = (0, 0);
        (self.offset, self.request, self.new_object) = (0, 0, 0);
        self.freed = 0;
        self.unsuccessful = false;
    }
    #[inline(always)]
    fn add(&mut self, word: u64) {
        self.hash = mix(self.hash, word);
    }
}

/// Reads the arguments that go in. Requests were copied before ([`requests_at_entry`]), as the
/// library overwrites them.
///
/// # Safety
/// `args` are the arguments of a call to `symbol`.
#[inline(always)]
pub unsafe fn before(
    process: &'static Process,
    call: &mut Call,
    function: &'static Function,
    symbol: &Symbol,
    args: Args,
) {
    let fortran = symbol.fortran;
    if call.plan.takes_message != ABSENT {
        call.words.comm = call.message_comm;
        call.words.add(call.message_comm.into());
    }
    for step in mpiscope_abi::steps(function) {
        if step.kind > kind::LAST_BEFORE {
            break;
        }
        let w = &mut call.words;
        if step.flags & step_flag::AT_ROOT != 0 && !at_root(process, w) {
            continue;
        }
        unsafe {
            match step.kind {
                kind::COMM => {
                    let h = handle(process, args, step, fortran);
                    w.comm = objects::comm_id(process, h);
                    w.freed = h;
                    w.add(w.comm.into());
                }
                kind::COUNT if w.flags & SKIP == 0 => {
                    w.count = scalar(args, step, fortran);
                    w.add(w.count);
                }
                kind::TYPE if w.flags & SKIP == 0 => {
                    let h = handle(process, args, step, fortran);
                    w.datatype = objects::type_id(process, h);
                    w.freed = h;
                    w.add(w.datatype.into());
                }
                kind::PEER => {
                    w.peer = scalar(args, step, fortran) as i32;
                    w.add(w.peer as u64);
                }
                kind::TAG => {
                    w.tag = scalar(args, step, fortran) as i32;
                    w.add(w.tag as u64);
                }
                kind::REQUEST | kind::REQUESTS => w.add(call.listed.into()),
                _ => rare_before(process, w, function, step, symbol, args),
            }
        }
    }
    if call.words.flags != 0 {
        let flags = call.words.flags;
        call.words.add(u64::from(flags));
    }
}

/// Set once a send (receive) side is known to be replaced by `MPI_IN_PLACE`.
const SKIP: u32 = 1 << 30;
const SKIP2: u32 = 1 << 31;

/// Bits that go into the shape.
pub const SHAPE_FLAGS: u32 = !(SKIP | SKIP2);

#[inline(never)]
unsafe fn rare_before(
    process: &'static Process,
    w: &mut Words,
    function: &Function,
    step: &Step,
    symbol: &Symbol,
    args: Args,
) {
    let fortran = symbol.fortran;
    unsafe {
        match step.kind {
            kind::TYPE2 if w.flags & SKIP2 == 0 => {
                w.datatype2 = objects::type_id(process, handle(process, args, step, fortran));
                w.add(w.datatype2.into());
            }
            kind::COUNT2 if w.flags & SKIP2 == 0 => {
                w.count2 = scalar(args, step, fortran);
                w.add(w.count2);
            }
            kind::PEER2 => {
                w.peer2 = scalar(args, step, fortran) as i32;
                w.add(w.peer2 as u64);
            }
            kind::TAG2 => {
                w.tag2 = scalar(args, step, fortran) as i32;
                w.add(w.tag2 as u64);
            }
            kind::ROOT => {
                w.root = scalar(args, step, fortran) as i32;
                w.add(w.root as u64);
            }
            kind::OP => {
                let h = handle(process, args, step, fortran);
                w.op = objects::op_id(process, h);
                w.freed = h;
                w.add(w.op.into());
            }
            kind::WINDOW => {
                let h = handle(process, args, step, fortran);
                w.window = process.windows.id(h);
                w.comm = objects::window_comm(w.window);
                w.freed = h;
                w.add(w.window.into());
            }
            kind::FILE => {
                let h = handle(process, args, step, fortran);
                w.file = process.files.id(h);
                w.freed = h;
                w.add(w.file.into());
            }
            kind::OLD_GROUP => w.freed = handle(process, args, step, fortran),
            kind::OFFSET => {
                w.offset = scalar(args, step, fortran) as i64;
                w.flags |= flag::OFFSET;
            }
            kind::SENDBUF | kind::RECVBUF => {
                let address = argument(args, step, fortran);
                let in_place = if fortran {
                    process.mpi.is_in_place(address, symbol.descriptors)
                } else {
                    address == process.mpi.constants.in_place as u64
                };
                if in_place {
                    w.flags |= flag::IN_PLACE;
                    let replaces = matches!(
                        function.flow,
                        Flow::Gather
                            | Flow::GatherV
                            | Flow::Allgather
                            | Flow::AllgatherV
                            | Flow::Alltoall
                            | Flow::AlltoallV
                            | Flow::AlltoallW
                            | Flow::Scatter
                            | Flow::ScatterV
                    );
                    if replaces {
                        w.flags |= if step.kind == kind::SENDBUF { SKIP } else { SKIP2 };
                    }
                }
            }
            kind::COUNTS | kind::COUNTS2 => {
                let second = step.kind == kind::COUNTS2;
                if w.flags & if second { SKIP2 } else { SKIP } != 0 {
                    return;
                }
                let members = members(w, function, second);
                let sum = sum(argument(args, step, fortran), members, step.flags & step_flag::WIDE != 0);
                *(if second { &mut w.count2 } else { &mut w.count }) = sum;
                w.add(sum);
                if function.flow == Flow::ReduceScatter
                    && let Some(comm) = objects::comm(w.comm)
                {
                    // What this process keeps.
                    let array = argument(args, step, fortran);
                    let wide = step.flags & step_flag::WIDE != 0;
                    w.count = own_part(array, comm.rank, members, wide);
                    w.add(w.count);
                }
            }
            kind::TYPES | kind::TYPES2 => {
                let second = step.kind == kind::TYPES2;
                let counts = args.get(if fortran { step.aux_f } else { step.aux_c });
                if w.flags & if second { SKIP2 } else { SKIP } != 0 || step.aux_c == ABSENT {
                    return;
                }
                let members = members(w, function, second);
                let wide = mpiscope_abi::steps(function)
                    .iter()
                    .any(|s| matches!(s.kind, kind::COUNTS | kind::COUNTS2) && s.flags & step_flag::WIDE != 0);
                let bytes = typed_sum(process, counts, argument(args, step, fortran), members, wide, fortran);
                *(if second { &mut w.typed_bytes2 } else { &mut w.typed_bytes }) = bytes;
                w.add(bytes);
            }
            _ => {}
        }
    }
}

fn at_root(process: &Process, w: &Words) -> bool {
    let Some(comm) = objects::comm(w.comm) else { return false };
    if comm.remote_size > 0 { w.root == process.mpi.constants.root } else { w.root == comm.rank }
}

/// Length of the arrays of a v- or w-collective.
fn members(w: &Words, function: &Function, second: bool) -> usize {
    let Some(comm) = objects::comm(w.comm) else { return 0 };
    let n = if function.is(attribute::NEIGHBOR) {
        if second { comm.indegree } else { comm.outdegree }
    } else if comm.remote_size > 0 && function.flow != Flow::ReduceScatter {
        comm.remote_size as u32
    } else {
        comm.size as u32
    };
    n as usize
}

/// Element `index` of an array of counts.
unsafe fn number(array: u64, index: usize, wide: bool) -> i64 {
    unsafe { if wide { *(array as *const i64).add(index) } else { (*(array as *const i32).add(index)).into() } }
}

unsafe fn own_part(array: u64, rank: i32, members: usize, wide: bool) -> u64 {
    let Some(rank) = usize::try_from(rank).ok().filter(|&r| r < members && array != 0) else { return 0 };
    // SAFETY: the array has an element for each member.
    unsafe { number(array, rank, wide) as u64 }
}

unsafe fn sum(array: u64, members: usize, wide: bool) -> u64 {
    if array == 0 {
        return 0;
    }
    // SAFETY: as in `own_part`.
    (0..members).map(|i| unsafe { number(array, i, wide) }).fold(0i64, i64::wrapping_add) as u64
}

unsafe fn typed_sum(
    process: &'static Process,
    counts: u64,
    types: u64,
    members: usize,
    wide: bool,
    fortran: bool,
) -> u64 {
    if counts == 0 || types == 0 {
        return 0;
    }
    let element = |i: usize| unsafe {
        let datatype = objects::type_id(process, stored_handle(process, types, i, fortran));
        (number(counts, i, wide) as u64).wrapping_mul(objects::type_size(datatype))
    };
    (0..members).map(element).fold(0u64, u64::wrapping_add)
}

/// Names the requests that a call lists, while their handles are still there.
///
/// # Safety
/// As [`before`].
#[inline(always)]
pub unsafe fn requests_at_entry(process: &'static Process, call: &mut Call, step: &Step, args: Args, fortran: bool) {
    let null = if fortran { process.fortran_request_null } else { process.request_null };
    let name = |h: u64| if h == null { NO_REQUEST } else { name_request(process, h) };
    if step.kind == kind::REQUEST {
        call.named[0] = name(unsafe { handle(process, args, step, fortran) });
        (call.named_count, call.listed) = (1, 1);
        return;
    }
    let array = unsafe { argument(args, step, fortran) };
    let length = unsafe { args.get(if fortran { step.aux_f } else { step.aux_c }) };
    let length = if fortran { unsafe { *(length as *const i32) } } else { length as i32 };
    call.listed = length.max(0) as u32;
    // SAFETY: the caller says the array has `length` handles.
    let stored = |i: usize| name(unsafe { stored_handle(process, array, i, fortran) });
    let n = if array == 0 { 0 } else { call.listed as usize };
    call.named_count = n as u32;
    if n > MAX_REQUESTS {
        return name_many(call, n.min(MAX_LISTED), stored);
    }
    for (i, slot) in call.named[..n].iter_mut().enumerate() {
        *slot = stored(i);
    }
}

/// Names more requests than [`Call::named`] has room for; only the first ones without memory for them.
#[cold]
#[inline(never)]
fn name_many(call: &mut Call, count: usize, stored: impl Fn(usize) -> u32) {
    call.long.clear();
    let has_room = call.long.try_reserve(count).is_ok();
    let count = if has_room { count } else { MAX_REQUESTS };
    call.named_count = count as u32;
    if has_room {
        call.long.extend((0..count).map(stored));
    } else {
        call.named.iter_mut().enumerate().for_each(|(i, slot)| *slot = stored(i));
    }
}

/// [`requests_at_entry`] for a C call whose requests are all known at once; false, without an effect, when they
/// are not.
///
/// # Safety
/// As [`requests_at_entry`].
#[inline(always)]
pub unsafe fn requests_known(process: &Process, call: &mut Call, step: &Step, args: Args) -> bool {
    let null = process.request_null;
    let word = unsafe { args.get(step.c) };
    let length = if step.kind == kind::REQUEST { 1 } else { unsafe { args.get(step.aux_c) as i32 } };
    let single = step.kind == kind::REQUEST && step.flags & step_flag::POINTER == 0;
    if single || word == 0 || !(0..=MAX_REQUESTS as i32).contains(&length) {
        return false;
    }
    for (i, slot) in call.named[..length as usize].iter_mut().enumerate() {
        // SAFETY: the caller says the array has `length` handles; one handle is an array of one.
        let handle = unsafe { stored_handle(process, word, i, false) };
        *slot = if handle == null { NO_REQUEST } else { requests::known(handle) };
        if *slot == 0 {
            return false;
        }
    }
    (call.named_count, call.listed) = (length as u32, length as u32);
    true
}

/// The id of a request handle; 0 when it found no place, which is counted.
#[inline(always)]
fn name_request(process: &Process, handle: u64) -> u32 {
    let id = requests::id(handle);
    if id == 0 {
        process.count_lost_request();
    }
    id
}

/// Reads what is known after a call that succeeded. Returns the number of completed requests put
/// into `completed`.
///
/// # Safety
/// As [`before`], and the call has returned successfully.
#[inline(always)]
pub unsafe fn after(
    process: &'static Process,
    call: &mut Call,
    function: &'static Function,
    symbol: &Symbol,
    args: Args,
    completed: &mut [Completed],
) -> usize {
    let fortran = symbol.fortran;
    let mut statuses = (0u64, false);
    let mut chosen: Option<i32> = None;
    let mut some: Option<(u64, usize)> = None;
    for step in mpiscope_abi::steps(function) {
        if step.kind <= kind::LAST_BEFORE {
            continue;
        }
        unsafe {
            let word = argument(args, step, fortran);
            match step.kind {
                kind::NEW_REQUEST => {
                    call.words.flags |= flag::REQUEST;
                    let w = &call.words;
                    let receives = matches!(function.flow, Flow::Receive | Flow::PartitionedReceive)
                        && w.file == 0
                        && w.window == 0;
                    let posted = receives.then(|| {
                        (
                            call.plan.source_of(w.peer),
                            w.tag,
                            w.count.wrapping_mul(objects::type_size(w.datatype)),
                            w.comm,
                        )
                    });
                    call.words.request = new_request(process, word, fortran, posted);
                    if function.is(attribute::PERSISTENT) && call.words.request != 0 {
                        let message = each_start(process, function, &call.words);
                        if requests::posted(call.words.request).set_start(&message) {
                            // Calls that start this id again do something else now.
                            crate::call_plan::next_epoch();
                        }
                    }
                }
                kind::FLAG => {
                    if word != 0 && *(word as *const i32) == 0 {
                        call.words.unsuccessful = true;
                        call.words.flags |= flag::POLL;
                        break;
                    }
                }
                kind::INDEX => {
                    chosen = Some(if word == 0 { -1 } else { *(word as *const i32) });
                }
                kind::OUTCOUNT => {
                    let count = if word == 0 { 0 } else { *(word as *const i32) };
                    if function.is(attribute::POLLS) && count == 0 {
                        call.words.unsuccessful = true;
                        call.words.flags |= flag::POLL;
                        break;
                    }
                    let indices = args.get(if fortran { step.aux_f } else { step.aux_c });
                    some = Some((indices, usize::try_from(count).unwrap_or(0)));
                }
                kind::STATUS | kind::STATUSES => {
                    if status_ignored(process, word, fortran) {
                        call.words.flags |= flag::STATUS_IGNORED;
                    } else {
                        statuses = (word, true);
                        if !function.is(attribute::COMPLETES) {
                            result(process, call, function, word);
                        }
                    }
                }
                kind::GROUP => {
                    let group = groups::id(process, handle(process, args, step, fortran), fortran);
                    call.words.group = group;
                    call.words.add(group.into());
                }
                _ => objects::made(process, call, step.kind, word, args, fortran),
            }
        }
    }
    if call.named_count == 0 || call.words.unsuccessful {
        return 0;
    }
    call.words.flags |= flag::REQUESTS;
    if function.is(attribute::COMPLETES) {
        unsafe {
            let base = index_base(process, call, function, args, chosen, some, fortran);
            let chosen = chosen.map(|index| usize::try_from(index - base).unwrap_or(usize::MAX));
            complete(process, call, statuses, chosen, some, base, completed)
        }
    } else {
        name_requests(call, completed)
    }
}

/// What each start of a persistent request moves.
fn each_start(process: &Process, function: &Function, w: &Words) -> Message {
    let (bytes_out, bytes_in) = bytes(process, function, w);
    let peer = match objects::comm(w.comm) {
        Some(comm) if w.peer >= 0 => comm.world_rank(w.peer).filter(|&rank| rank >= 0).unwrap_or(NONE),
        _ => NONE,
    };
    let (to, from) = match function.flow {
        Flow::Send | Flow::PartitionedSend => (peer, NONE),
        Flow::Receive | Flow::PartitionedReceive => (NONE, peer),
        _ => (NONE, NONE),
    };
    Message { to, from, bytes_out, bytes_in }
}

/// The communicator of the matched message whose handle is at `address`.
///
/// # Safety
/// `address` is the argument of a receive of a matched message.
pub unsafe fn message_comm(process: &Process, address: u64, fortran: bool) -> u32 {
    if address == 0 {
        return 0;
    }
    // SAFETY: the library will read the same.
    requests::message_comm(unsafe { stored_handle(process, address, 0, fortran) })
}

/// Notes the communicator of the matched message whose handle is at `address`.
///
/// # Safety
/// `address` is the argument of a probe that has matched a message.
pub unsafe fn set_message(process: &Process, address: u64, fortran: bool, comm: u32) {
    if address != 0 {
        // SAFETY: the library has just written it.
        requests::set_message(unsafe { stored_handle(process, address, 0, fortran) }, comm);
    }
}

/// Names the request that a call has made; `posted` is what a receive was posted with: source, tag, bytes,
/// communicator.
///
/// # Safety
/// `word` is the argument that received the handle.
#[inline(always)]
pub unsafe fn new_request(
    process: &'static Process,
    word: u64,
    fortran: bool,
    posted: Option<(i32, i32, u64, u32)>,
) -> u32 {
    if word == 0 {
        return 0;
    }
    // SAFETY: the library has just written it.
    let id = name_request(process, unsafe { stored_handle(process, word, 0, fortran) });
    match posted {
        Some((source, tag, bytes, comm)) => {
            requests::posted(id).post(source, tag, bytes);
            requests::posted(id).post_from_any(comm);
        }
        None => requests::posted(id).post_no_receive(),
    }
    id
}

/// Whether the program asked for no status.
#[inline(always)]
pub fn status_ignored(process: &Process, word: u64, fortran: bool) -> bool {
    let address = word as usize;
    let c = &process.mpi.constants;
    if fortran {
        address == 0 || process.mpi.fortran_ignore.contains(&address)
    } else {
        address == c.status_ignore || address == c.statuses_ignore || address == 0
    }
}

/// Source, tag and bytes of a status.
#[inline(always)]
pub unsafe fn read_status(process: &Process, status: u64) -> (i32, i32, u64) {
    let layout = &process.mpi.constants.status;
    unsafe {
        let at = status as *const u8;
        let source = at.add(layout.source).cast::<i32>().read();
        let tag = at.add(layout.tag).cast::<i32>().read();
        (source, tag, process.status_bytes.read(at))
    }
}

#[inline(always)]
unsafe fn result(process: &Process, call: &mut Call, function: &Function, status: u64) {
    let (source, tag, bytes) = unsafe { read_status(process, status) };
    let w = &mut call.words;
    if w.file == 0 {
        (w.res_source, w.res_tag) = (source, tag);
        w.add(source as u64);
        w.add(tag as u64);
    } else if function.flow == Flow::None {
        return;
    }
    w.res_bytes = bytes;
    w.add(bytes);
    w.flags |= flag::HAS_RESULT;
}

/// Start, Startall, Request_free, Cancel, Pready…: the requests they name.
#[inline(always)]
pub fn name_requests(call: &Call, completed: &mut [Completed]) -> usize {
    let named = call.named();
    for (slot, &request) in completed.iter_mut().zip(named) {
        *slot = Completed { request: if request == NO_REQUEST { 0 } else { request }, ..Completed::default() };
    }
    named.len()
}

/// What a Fortran call counts requests from. That is one; but `mpi_f08` of MPICH 4.0 hands on C's indices as they are. The
/// handle that has become null tells.
unsafe fn index_base(
    process: &'static Process,
    call: &Call,
    function: &Function,
    args: Args,
    chosen: Option<i32>,
    some: Option<(u64, usize)>,
    fortran: bool,
) -> i32 {
    let first = match (chosen, some) {
        (Some(index), _) => index,
        // SAFETY: the library has just written them.
        (None, Some((indices, 1..))) if indices != 0 => unsafe { *(indices as *const i32) },
        _ => return fortran.into(),
    };
    let array = mpiscope_abi::steps(function).iter().find(|s| s.kind == kind::REQUESTS);
    let Some(array) = array.filter(|_| fortran && process.int_handles) else { return fortran.into() };
    let array = unsafe { argument(args, array, fortran) };
    let has_gone = |index: i32| {
        let named = usize::try_from(index).ok().and_then(|i| Some((i, *call.named().get(i)?)));
        // SAFETY: as many handles were read from there before the call.
        named.is_some_and(|(i, request)| {
            request != NO_REQUEST
                && unsafe { stored_handle(process, array, i, fortran) } == process.fortran_request_null
        })
    };
    i32::from(array == 0 || has_gone(first - 1) || !has_gone(first))
}

/// The requests that a Wait or Test has completed.
///
/// # Safety
/// As [`after`]; `statuses` is the status argument and whether there are any, `base` what indices count from.
#[inline(always)]
pub unsafe fn complete(
    process: &'static Process,
    call: &Call,
    (statuses, known): (u64, bool),
    chosen: Option<usize>,
    some: Option<(u64, usize)>,
    base: i32,
    completed: &mut [Completed],
) -> usize {
    if known {
        requests::statuses_are_read();
    }
    let size = process.mpi.constants.status.size as u64;
    let named = call.named();
    let mut n = 0;
    let mut put = |index: usize, status: u64| {
        let Some(&request) = named.get(index) else { return };
        if request == NO_REQUEST || n == completed.len() {
            return;
        }
        let mut done = Completed { request, ..Completed::default() };
        if known
            && request != 0
            && let Some(posted) = requests::posted(request).receive()
        {
            // SAFETY: the program's own status, filled by the library.
            let actual = unsafe { read_status(process, status) };
            if actual != posted {
                if unsafe { process.status_bytes.is_cancelled(status as *const u8) } {
                    requests::posted(request).set_named();
                }
                done.has_status = true;
                (done.source, done.tag, done.bytes) = actual;
            }
        }
        completed[n] = done;
        n += 1;
    };
    match (chosen, some) {
        (Some(index), _) => put(index, statuses),
        (None, Some((indices, count))) => {
            for k in 0..count.min(named.len()) {
                // SAFETY: the library has just written `count` indices.
                let index = unsafe { *(indices as *const i32).add(k) } - base;
                put(usize::try_from(index).unwrap_or(usize::MAX), statuses + size * k as u64);
            }
        }
        (None, None) => {
            for index in 0..named.len() {
                put(index, statuses + size * index as u64);
            }
        }
    }
    n
}

/// Payload that left and came with a call whose arguments are `w`: (out, in).
pub fn bytes(process: &Process, function: &Function, w: &Words) -> (u64, u64) {
    let size = objects::type_size(w.datatype);
    let size2 = if w.datatype2 != 0 { objects::type_size(w.datatype2) } else { size };
    let proc_null = process.mpi.constants.proc_null;
    let comm = objects::comm(w.comm);
    let (a, b) = (w.count.wrapping_mul(size), w.count2.wrapping_mul(size2));
    let (p_out, p_in) = processes(comm, function);
    let root = at_root(process, w);
    let in_place = w.flags & flag::IN_PLACE != 0;
    let received = if w.flags & flag::HAS_RESULT != 0 { Some(w.res_bytes) } else { None };
    match function.flow {
        Flow::None => (0, 0),
        Flow::Send => (if w.peer == proc_null { 0 } else { a }, 0),
        Flow::Receive if w.file != 0 => (0, received.unwrap_or(a)),
        Flow::Receive => (0, if w.peer == proc_null { 0 } else { received.unwrap_or(a) }),
        Flow::SendReceive => {
            (if w.peer == proc_null { 0 } else { a }, if w.peer2 == proc_null { 0 } else { received.unwrap_or(b) })
        }
        Flow::Exchange => (
            if w.peer == proc_null {
                0
            } else if w.datatype != 0 && w.count == 0 && function_has_no_count(function) {
                size
            } else {
                a
            },
            if w.peer2 == proc_null {
                0
            } else {
                received.unwrap_or(if w.count == 0 && function_has_no_count(function) { size } else { a })
            },
        ),
        Flow::Broadcast => {
            if root {
                (a, 0)
            } else {
                (0, a)
            }
        }
        Flow::Gather => (if in_place { b } else { a }, if root { b.wrapping_mul(p_in) } else { 0 }),
        Flow::GatherV => (a, if root { b } else { 0 }),
        Flow::Scatter => (if root { a.wrapping_mul(p_out) } else { 0 }, if in_place { a } else { b }),
        Flow::ScatterV => (if root { a } else { 0 }, b),
        Flow::Reduce => (a, if root { a } else { 0 }),
        Flow::Allreduce => (a, a),
        Flow::ReduceScatter => (w.count2.wrapping_mul(size), a),
        Flow::ReduceScatterBlock => (w.count2.wrapping_mul(size).wrapping_mul(p_out), w.count2.wrapping_mul(size)),
        Flow::Allgather => (
            if in_place { b } else { a.wrapping_mul(if function.is(attribute::NEIGHBOR) { p_out } else { 1 }) },
            b.wrapping_mul(p_in),
        ),
        Flow::AllgatherV => (a, b),
        Flow::Alltoall => (if in_place { b } else { a }.wrapping_mul(p_out), b.wrapping_mul(p_in)),
        Flow::AlltoallV => (if in_place { b } else { a }, b),
        Flow::AlltoallW => (if in_place { w.typed_bytes2 } else { w.typed_bytes }, w.typed_bytes2),
        Flow::PartitionedSend => (a.wrapping_mul(w.count2), 0),
        Flow::PartitionedReceive => (0, a.wrapping_mul(w.count2)),
    }
}

/// Fetch_and_op and Compare_and_swap move one element.
fn function_has_no_count(function: &Function) -> bool {
    !mpiscope_abi::steps(function).iter().any(|s| s.kind == kind::COUNT)
}

fn processes(comm: Option<&CommInfo>, function: &Function) -> (u64, u64) {
    let Some(comm) = comm else { return (1, 1) };
    if function.is(attribute::NEIGHBOR) {
        return (comm.outdegree.into(), comm.indegree.into());
    }
    let n = if comm.remote_size > 0 { comm.remote_size } else { comm.size } as u64;
    (n, n)
}
