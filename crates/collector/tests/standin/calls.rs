//! Calls of any function with any arguments, empty, null and extreme ones above all, and what is to be read back of each.

use mpiscope_abi::constants::MPICH;
use mpiscope_abi::spec::{ABSENT, attribute, class, kind, param_flag, step_flag};
use mpiscope_abi::{Flow, Step};
use mpiscope_trace::layout::MAX_REQUESTS;

use super::library::WORDS;

/// Bytes that decide: from a fuzzer, or from anywhere. When they are over, everything is 0.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        let wide = usize::from(self.byte()) << 8 | usize::from(if n > 256 { self.byte() } else { 0 });
        (if n > 256 { wide } else { wide >> 8 }) % n
    }
    fn one_of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What the stand-in answers.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub code: u64,
    pub flag: i32,
    pub index: i32,
    pub indices: Vec<i32>,
    pub status: [i32; 3],
    /// Requests that the call lists.
    pub listed: usize,
    pub new_handle: u32,
}

/// What a record has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    pub function: u32,
    pub code: i32,
    /// An unsuccessful poll, or a call that reads the clock: of these only the function and how many they are is compared.
    pub polls: u64,
    pub peer: Option<i32>,
    pub peer2: Option<i32>,
    pub tag: Option<i32>,
    pub tag2: Option<i32>,
    pub root: Option<i32>,
    pub count: Option<u64>,
    pub count2: Option<u64>,
    pub offset: Option<i64>,
    pub makes_request: bool,
    pub requests: usize,
}

/// A call to be made.
pub struct Planned {
    pub function: u32,
    /// From which place of the program, and how often in a row.
    pub site: usize,
    pub times: usize,
    pub words: [u64; WORDS],
    /// Values that pointers lead to: argument, and what is stored there.
    pub pointed: Vec<(usize, Vec<u32>)>,
    pub answer: Answer,
    pub expected: Expected,
}

/// Where an argument that is a pointer leads: to memory of its own.
pub trait Memory {
    /// Address for argument number `argument`.
    fn of(&self, argument: usize) -> u64;
}

/// Functions that are called: all, but for those that begin and end the MPI, are answered by nothing (the tool interface),
/// or pause recording.
pub fn functions() -> Vec<u32> {
    const LEFT_OUT: [&str; 8] = [
        "MPI_Init",
        "MPI_Init_thread",
        "MPI_Finalize",
        "MPI_Abort",
        "MPI_Session_init",
        "MPI_Session_finalize",
        "MPI_Pcontrol",
        "MPI_Get_version",
    ];
    let is_left_out = |name: &str| {
        name.starts_with("MPI_T_")
            || name.starts_with("MPI_Abi_")
            || name.ends_with("_fromint")
            || LEFT_OUT.contains(&name)
    };
    mpiscope_abi::ids().filter(|&id| !is_left_out(mpiscope_abi::name(id))).collect()
}

/// The next call.
pub fn plan(bytes: &mut Bytes<'_>, functions: &[u32], memory: &impl Memory) -> Planned {
    // Half of the calls are those that name requests, probe or poll: they have the most ways to be recorded.
    let is_busy = |id: &&u32| {
        let function = mpiscope_abi::function_unchecked(**id);
        mpiscope_abi::steps(function).iter().any(|s| matches!(s.kind, kind::REQUEST..=kind::REQUESTS | kind::FLAG))
    };
    let function = match bytes.below(2) {
        0 => functions[bytes.below(functions.len())],
        _ => {
            let busy: Vec<u32> = functions.iter().filter(is_busy).copied().collect();
            busy[bytes.below(busy.len())]
        }
    };
    let mut call = Planned {
        function,
        site: bytes.below(4),
        times: bytes.one_of(&[1, 2, 3, 5]),
        words: [0; WORDS],
        pointed: Vec::new(),
        answer: Answer::default(),
        expected: Expected { function, ..Expected::default() },
    };
    any_arguments(bytes, &mut call, memory);
    let entry = mpiscope_abi::function_unchecked(function);
    let fails = bytes.below(16) == 0 && entry.attributes & attribute::RETURNS_VALUE == 0;
    call.answer.code = u64::from(fails);
    call.expected.code = i32::from(fails);
    let mut is_in_place = false;
    let mut named = None;
    for step in mpiscope_abi::steps(entry) {
        match step.kind {
            kind::SENDBUF | kind::RECVBUF if bytes.below(8) == 0 => {
                call.words[usize::from(step.c)] = MPICH.in_place as u64;
                is_in_place = true;
            }
            kind::REQUEST | kind::REQUESTS => named = Some(requests(bytes, &mut call, step, memory)),
            kind::COMM..=kind::OFFSET => argument(bytes, &mut call, step, memory),
            kind::NEW_REQUEST if !fails => call.expected.makes_request = true,
            _ => {}
        }
    }
    if is_in_place || matches!(entry.flow, Flow::ReduceScatter) {
        (call.expected.count, call.expected.count2) = (None, None);
    }
    call.answer.new_handle = 0x8400_0000 | bytes.below(64) as u32 | 0x100;
    call.answer.status = [bytes.below(4) as i32, bytes.below(3) as i32, bytes.below(3) as i32 * 8];
    outcome(bytes, &mut call, entry.attributes, named.unwrap_or_default());
    call
}

/// Something for every argument, which none is the worse for.
fn any_arguments(bytes: &mut Bytes<'_>, call: &mut Planned, memory: &impl Memory) {
    for param in mpiscope_abi::params(call.function).iter().filter(|p| p.c != ABSENT) {
        let at = usize::from(param.c);
        let is_pointer = param.is(param_flag::ARRAY | param_flag::POINTER | param_flag::OUT)
            || matches!(param.class, class::BUFFER | class::STRING | class::STATUS | class::OTHER | class::MESSAGE);
        call.words[at] = match param.class {
            _ if is_pointer => memory.of(at),
            class::COMM => MPICH.comm_world as u64,
            class::GROUP => 0x8800_0000,
            class::TYPE => 0x4c00_0405,
            class::OP => 0x5800_0003,
            class::INFO => 0x1c00_0000,
            class::ERRHANDLER => 0x5400_0000,
            class::WINDOW => 0xa000_0000,
            class::LENGTH => bytes.below(4) as u64,
            _ => bytes.below(2) as u64,
        };
        if param.class == class::STATUS && bytes.below(2) == 0 {
            call.words[at] = MPICH.status_ignore as u64;
        }
    }
}

/// An argument that is recorded.
fn argument(bytes: &mut Bytes<'_>, call: &mut Planned, step: &Step, memory: &impl Memory) {
    const RANKS: [i64; 7] = [0, 1, 2, 3, -1, -2, 1];
    const TAGS: [i64; 6] = [0, 1, 7, i32::MAX as i64, -1, 1000];
    const COUNTS: [i64; 6] = [0, 0, 1, 1000, i32::MAX as i64, 3];
    let (at, is_wide) = (usize::from(step.c), step.flags & step_flag::WIDE != 0);
    let e = &mut call.expected;
    let value = match step.kind {
        kind::COMM => bytes.one_of(&[MPICH.comm_world, MPICH.comm_self]) as i64,
        kind::TYPE | kind::TYPE2 => bytes.one_of(&[0x4c00_0405, 0x4c00_010d, MPICH.datatype_null as i64]),
        kind::PEER | kind::PEER2 => bytes.one_of(&RANKS),
        kind::ROOT => bytes.one_of(&[0, 1, -1, -3]),
        // A tag that differs every time makes the table of arguments overflow.
        kind::TAG | kind::TAG2 if bytes.below(3) == 0 => bytes.below(5000) as i64,
        kind::TAG | kind::TAG2 => bytes.one_of(&TAGS),
        kind::COUNT | kind::COUNT2 => match bytes.below(3) {
            0 if is_wide => 1 << 40 | bytes.below(1000) as i64,
            1 => bytes.below(5000) as i64,
            _ => bytes.one_of(&COUNTS),
        },
        kind::OFFSET if is_wide => bytes.one_of(&[0, -1, 1 << 62, 8, i64::MIN, i64::MAX]),
        kind::OFFSET => bytes.one_of(&[0, -1, 8, i64::from(i32::MIN), i64::from(i32::MAX)]),
        _ => return,
    };
    let is_exact = step.flags & step_flag::AT_ROOT == 0;
    match step.kind {
        kind::PEER => e.peer = Some(value as i32),
        kind::PEER2 => e.peer2 = Some(value as i32),
        kind::TAG => e.tag = Some(value as i32),
        kind::TAG2 => e.tag2 = Some(value as i32),
        kind::ROOT => e.root = Some(value as i32),
        kind::COUNT => e.count = is_exact.then_some(value as u64),
        kind::COUNT2 => e.count2 = is_exact.then_some(value as u64),
        kind::OFFSET => e.offset = Some(value),
        _ => {}
    }
    if step.flags & step_flag::POINTER != 0 {
        call.words[at] = memory.of(at);
        call.pointed.push((at, vec![value as u32, (value >> 32) as u32]));
    } else {
        // What stands above an int in its register is anything.
        let above = if is_wide { 0 } else { (bytes.below(2) as u64) << 32 };
        call.words[at] = if is_wide { value as u64 } else { u64::from(value as u32) | above };
    }
}

/// Requests that a call names; which of those that are looked at are there.
fn requests(bytes: &mut Bytes<'_>, call: &mut Planned, step: &Step, memory: &impl Memory) -> Vec<bool> {
    let at = usize::from(step.c);
    let length = match step.kind {
        kind::REQUEST => 1,
        _ if bytes.below(400) == 1 => 100_000,
        _ => bytes.one_of(&[0, 0, 1, 2, 3, 17, MAX_REQUESTS, MAX_REQUESTS + 1, 2 * MAX_REQUESTS]),
    };
    let (null, first) = (MPICH.request_null as u32, bytes.below(40) as u32);
    let nulls = bytes.one_of(&[0, 0, 1, 2, 5]);
    let handle = |i: usize| match nulls {
        0 => 0x9800_0000 + first + i as u32 % 2000,
        1 => null,
        n if i.is_multiple_of(n) => null,
        _ => 0x9800_0000 + first + i as u32 % 2000,
    };
    let handles: Vec<u32> = (0..length).map(handle).collect();
    if step.kind == kind::REQUESTS {
        call.words[usize::from(step.aux_c)] = length as u64;
    }
    if step.kind == kind::REQUEST && step.flags & step_flag::POINTER == 0 {
        call.words[at] = handles[0].into();
    } else {
        call.words[at] = memory.of(at);
        call.pointed.push((at, handles.clone()));
    }
    handles.iter().map(|&h| h != null).collect()
}

/// What the call says when it returns, and so what its record lists.
fn outcome(bytes: &mut Bytes<'_>, call: &mut Planned, attributes: u16, named: Vec<bool>) {
    let entry = mpiscope_abi::function_unchecked(call.function);
    let has = |kind: u8| mpiscope_abi::steps(entry).iter().any(|s| s.kind == kind);
    let (a, e) = (&mut call.answer, &mut call.expected);
    a.flag = i32::from(bytes.below(2) == 0);
    let listed = named.len();
    a.listed = listed;
    a.index = if listed == 0 || bytes.below(8) == 0 { MPICH.undefined } else { bytes.below(listed) as i32 };
    let outcount = bytes.below(listed + 1);
    a.indices = (0..outcount as i32).collect();
    if e.code != 0 {
        e.requests = 0;
        return;
    }
    let is_unsuccessful =
        has(kind::FLAG) && a.flag == 0 || has(kind::OUTCOUNT) && attributes & attribute::POLLS != 0 && outcount == 0;
    if is_unsuccessful || reads_clock(e.function) {
        *e = Expected { function: e.function, polls: 1, ..Expected::default() };
        return;
    }
    e.requests = match () {
        () if attributes & attribute::COMPLETES == 0 => listed,
        () if has(kind::OUTCOUNT) => named[..outcount].iter().filter(|there| **there).count(),
        () if has(kind::INDEX) => usize::from(usize::try_from(a.index).is_ok_and(|i| named.get(i) == Some(&true))),
        () => named.iter().filter(|there| **there).count(),
    };
}

/// Whether calls that follow each other at once may be one record.
pub fn reads_clock(function: u32) -> bool {
    matches!(mpiscope_abi::name(function), "MPI_Wtime" | "MPI_Wtick")
}
