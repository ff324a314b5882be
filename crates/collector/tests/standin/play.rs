//! Calls made through the collector, in a process of their own, with the stand-in behind it.

use std::cell::RefCell;
use std::ffi::{CString, c_void};
use std::path::Path;

use mpiscope_abi::constants::MPICH;
use mpiscope_abi::spec::{attribute, kind};
use mpiscope_trace::reader::ReadError;
use mpiscope_trace::shape::{NONE, flag, inline};
use mpiscope_trace::varint::unzigzag;
use mpiscope_trace::{Event, RankFile, Shape};

use super::calls::{Answer, Bytes, Expected, Memory, Planned, functions, plan, reads_clock};
use super::library::{Hook, WORDS};

/// Bytes for what each argument may point to: statuses of 10⁵ requests.
const ROOM: usize = 4 << 20;
/// Of these, what is cleared before each call.
const CLEARED: usize = 4096;

/// Address space that is used as far as it is touched.
struct Mapped(usize);

impl Mapped {
    fn new() -> Mapped {
        let (protection, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), ROOM * WORDS, protection, kind, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        Mapped(at as usize)
    }
}

impl Memory for Mapped {
    fn of(&self, argument: usize) -> u64 {
        (self.0 + argument * ROOM) as u64
    }
}

thread_local! {
    /// The call that is about to reach the stand-in; everything else is the collector's own question.
    static ANSWER: RefCell<Option<(u32, Answer)>> = const { RefCell::new(None) };
}

/// What the stand-in does.
unsafe extern "C" fn hook(id: u32, words: *mut u64) -> u64 {
    let mine = ANSWER.with(|answer| {
        let is_mine = answer.borrow().as_ref().is_some_and(|(function, _)| *function == id);
        if is_mine { answer.take() } else { None }
    });
    // SAFETY: arguments of the function `id`, which lead to memory as its table says.
    unsafe {
        let word = |at: u8| *words.add(usize::from(at));
        let store = |at: u8, value: i32| {
            if word(at) > 1 {
                (word(at) as *mut i32).write(value);
            }
        };
        let Some((_, answer)) = mine else {
            match mpiscope_abi::name(id).trim_start_matches("MPI_") {
                "Comm_size" | "Group_size" => store(1, 4),
                "Comm_rank" | "Group_rank" => store(1, 1),
                "Comm_group" | "Comm_remote_group" => store(1, 0x8800_0000_u32 as i32),
                "Comm_test_inter" => store(1, 0),
                "Type_size" => store(1, 8),
                "Type_size_x" | "Type_size_c" => (word(1) as *mut i64).write(8),
                "Group_translate_ranks" => {
                    for i in 0..word(1) as i32 as usize {
                        let rank = *(word(2) as *const i32).add(i);
                        (word(4) as *mut i32).add(i).write(rank);
                    }
                }
                "Group_free" | "Topo_test" | "Status_set_elements" | "Query_thread" => {}
                _ => return 1,
            }
            return 0;
        };
        if answer.code != 0 {
            return answer.code;
        }
        let function = mpiscope_abi::function_unchecked(id);
        let status = |at: u64, n: usize| {
            let at = (at as *mut i32).add(5 * n);
            let [source, tag, bytes] = answer.status;
            [bytes, 0, source, tag, 0].iter().enumerate().for_each(|(i, v)| at.add(i).write(*v));
        };
        for step in mpiscope_abi::steps(function) {
            match step.kind {
                kind::NEW_REQUEST | kind::NEW_COMM..=kind::NEW_GROUP => store(step.c, answer.new_handle as i32),
                kind::FLAG => store(step.c, answer.flag),
                kind::INDEX => store(step.c, answer.index),
                kind::OUTCOUNT => {
                    store(step.c, answer.indices.len() as i32);
                    let indices = word(step.aux_c) as *mut i32;
                    answer.indices.iter().enumerate().for_each(|(i, v)| indices.add(i).write(*v));
                }
                kind::STATUS if word(step.c) > 1 => status(word(step.c), 0),
                kind::STATUSES if word(step.c) > 1 => (0..answer.listed).for_each(|n| status(word(step.c), n)),
                _ => {}
            }
        }
        if function.attributes & attribute::RETURNS_VALUE != 0 { 5 } else { 0 }
    }
}

macro_rules! sites {
    ($($name:ident)*) => {$(
        /// A place in the program.
        #[inline(never)]
        unsafe fn $name(function: usize, w: &[u64; WORDS]) -> u64 {
            type Any = unsafe extern "C" fn(
                u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
            ) -> u64;
            // SAFETY: a C function that looks at no more words than it has arguments; the caller cleans the stack.
            let result = unsafe {
                let call: Any = std::mem::transmute(function);
                call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14],
                     w[15], w[16], w[17], w[18], w[19])
            };
            // So that no two of them are the same code, nor a jump.
            std::hint::black_box((stringify!($name), result)).1
        }
    )*};
}
sites!(first second third fourth);

/// Makes the calls that `bytes` decide, recorded in `run` by `collector`, and says what is to be read back. Once in a process.
///
/// # Safety
/// Nothing else happens in this process.
pub unsafe fn play(bytes: &[u8], collector: &Path, standin: &Path, run: &Path) -> Vec<Expected> {
    unsafe {
        std::env::set_var("MPISCOPE_OUT", run);
        let open = |path: &Path| {
            let path = CString::new(path.to_str().expect("a path")).expect("a path");
            let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
            assert!(!handle.is_null(), "{path:?} does not load");
            handle
        };
        let symbol = |handle: *mut c_void, name: &str| {
            let name = CString::new(name).expect("a name");
            libc::dlsym(handle, name.as_ptr()) as usize
        };
        let behind = open(standin);
        *(symbol(behind, "standin_hook") as *mut Option<Hook>) = Some(hook);
        let recorder = open(collector);
        let memory = Mapped::new();
        let mut call = Planned {
            function: mpiscope_abi::by_name("MPI_Init").expect("MPI_Init"),
            site: 0,
            times: 1,
            words: [0; WORDS],
            pointed: Vec::new(),
            answer: Answer::default(),
            expected: Expected::default(),
        };
        let known: Vec<u32> =
            functions().into_iter().filter(|&id| symbol(recorder, mpiscope_abi::name(id)) != 0).collect();
        assert!(known.len() > 400, "the collector shows only {} functions", known.len());
        let mut expected = Vec::new();
        let mut bytes = Bytes(bytes);
        let mut is_begun = false;
        loop {
            let routine = symbol(recorder, mpiscope_abi::name(call.function));
            for _ in 0..call.times {
                (0..WORDS).for_each(|at| (memory.of(at) as *mut u8).write_bytes(0, CLEARED));
                for (at, values) in &call.pointed {
                    let to = memory.of(*at) as *mut u32;
                    values.iter().enumerate().for_each(|(i, v)| to.add(i).write(*v));
                }
                ANSWER.set(Some((call.function, call.answer.clone())));
                let site = [first, second, third, fourth][call.site];
                site(routine, &call.words);
                if is_begun {
                    expect(&mut expected, &call.expected);
                }
            }
            is_begun = true;
            if bytes.0.is_empty() {
                return expected;
            }
            call = plan(&mut bytes, &known, &memory);
        }
    }
}

/// Polls that follow each other are one record, as are those that come with other arguments.
fn expect(all: &mut Vec<Expected>, next: &Expected) {
    match all.last_mut() {
        Some(last) if next.polls > 0 && last.polls > 0 && last.function == next.function => last.polls += next.polls,
        _ => all.push(next.clone()),
    }
}

/// What stands in the rank file of `run`.
pub fn recorded(run: &Path) -> Result<Vec<Expected>, ReadError> {
    let mut files = std::fs::read_dir(run.join("ranks")).expect("ranks").flatten();
    let file = RankFile::open(&files.next().expect("a rank file").path())?;
    assert_eq!(file.damaged, 0, "definitions or threads are damaged");
    let mut all = Vec::new();
    let damaged = file.events(0, |thread, event| {
        let read = record(&thread.shapes[event.shape as usize], event);
        expect(&mut all, &read);
    })?;
    assert_eq!(damaged, 0, "chunks are damaged");
    assert_eq!(file.survey(0)?, None);
    all.remove(0); // MPI_Init
    Ok(all)
}

/// A record as it says itself; arguments that it spells out are found there.
fn record(shape: &Shape, event: &Event) -> Expected {
    assert_eq!(shape.flags & flag::COARSE, 0, "the table is full");
    let function = shape.function;
    if shape.flags & flag::POLL != 0 || reads_clock(function) {
        return Expected { function, polls: event.calls, ..Expected::default() };
    }
    let mut spelled = event.inline.iter().copied();
    let mut value = |bit: u32, otherwise: u64| match shape.inline_mask & bit {
        0 => otherwise,
        _ => spelled.next().expect("a value"),
    };
    let (count, count2) = (value(inline::COUNT, shape.count), value(inline::COUNT2, shape.count2));
    let mut signed = |bit: u32, otherwise: i32| {
        let found = match shape.inline_mask & bit {
            0 => otherwise,
            _ => unzigzag(spelled.next().expect("a value")) as i32,
        };
        (found != NONE).then_some(found)
    };
    Expected {
        function,
        code: shape.rc,
        polls: 0,
        peer: signed(inline::PEER, shape.peer),
        peer2: signed(inline::PEER2, shape.peer2),
        tag: signed(inline::TAG, shape.tag),
        tag2: signed(inline::TAG2, shape.tag2),
        root: (shape.root != NONE).then_some(shape.root),
        count: Some(count),
        count2: Some(count2),
        offset: event.offset,
        makes_request: event.request.is_some(),
        requests: event.requests.len(),
    }
}

/// The first difference between what was called and what was read.
pub fn difference(called: &[Expected], read: &[Expected]) -> Option<String> {
    for (at, (call, found)) in called.iter().zip(read).enumerate() {
        let mut found = found.clone();
        // Only some processes, or only some buffers, have these.
        found.count = found.count.filter(|_| call.count.is_some());
        found.count2 = found.count2.filter(|_| call.count2.is_some());
        if *call != found {
            let name = mpiscope_abi::name(call.function);
            let around = at.saturating_sub(2)..at + 3;
            let names = |list: &[Expected]| -> Vec<(&str, u64)> {
                let near = list.iter().enumerate().filter(|(i, _)| around.contains(i));
                near.map(|(_, e)| (mpiscope_abi::name(e.function), e.polls)).collect()
            };
            let (a, b) = (names(called), names(read));
            return Some(format!("call {at}, {name}:\ncalled {call:?}\nread   {found:?}\namong {a:?}\nread  {b:?}"));
        }
    }
    let (n, m) = (called.len(), read.len());
    (n != m)
        .then(|| format!("{n} calls, {m} records; the first without its other is {:?}", called.get(m).or(read.get(n))))
}

/// For `MPICH`, which the stand-in is to the collector.
const _: () = assert!(MPICH.int_handles && MPICH.status.size == 20);
