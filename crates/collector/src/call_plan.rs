//! The data about a function for the hot path, computed once at the start of recording.
//!
//! A call is identified in two steps. The *raw* key is a hash of the argument words, and leads through a small cache to the shape
//! of the last call with the same words. Only without a cache entry are the arguments decoded and the *canonical* key computed,
//! which determines the shape (`intern`). Handles are raw words, and freed ones are reused with another meaning: freeing an
//! object changes the epoch, which is part of every raw key.
//!
//! The raw hash is multilinear: the sum of each word times its own odd constant, mixed once at the end. The multiplications are
//! independent, one per cycle, while a chain of mixing steps would take five cycles for each word. Two calls that differ in one
//! word never collide; calls that differ in several do if a sum of small multiples of the constants is 0 modulo 2⁶⁴.

use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_abi::spec::{ABSENT, attribute, kind, step_flag};
use mpiscope_abi::{Flow, Function, Step, function_unchecked, id};

use crate::mpi::Mpi;
use crate::process::{self, action};
use crate::requests::MATCHED;
use crate::symbol::Symbol;
use crate::trampoline::Args;

/// Argument words that a raw key covers; `MPI_Sendrecv` has the most, twelve.
pub const WORDS: usize = 12;
/// Words of calls that have few.
const FEW: usize = 3;

/// Bits of [`CallPlan::after`]: what is to be done after the call.
pub mod after {
    /// Read a status into the key.
    pub const STATUS: u8 = 1;
    /// Ask whether a poll was successful.
    pub const FLAG: u8 = 2;
    /// Name a new request.
    pub const NEW_REQUEST: u8 = 4;
    /// List requests.
    pub const REQUESTS: u8 = 8;
    /// Copy an offset into the record.
    pub const OFFSET: u8 = 16;
}

/// See [`CallPlan::entry`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Entry {
    /// A recorded call from C that needs its raw key only.
    Plain,
    /// The same, and names of its requests.
    Requests,
    /// Asks for what never changes, which programs have functions of their own for: who calls these is noted, too.
    Wrapped,
    /// Asks for the time: no argument, no way to hang, and in some programs every other call.
    Light,
    /// Anything else.
    Unusual,
}

/// See [`CallPlan::way`]. Each short way ends in the long one when anything is out of the ordinary.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Way {
    /// Nothing but the record.
    Quiet,
    /// The same when the status is ignored.
    Status,
    /// Names a new request.
    Request,
    /// Asked and mostly found nothing.
    Poll,
    /// Completed requests, without statuses.
    Wait,
    /// All cases.
    Long,
}

/// See the module's text. What every call needs comes first, in one cache line for calls of few words.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct CallPlan {
    /// Function and language as a call in flight shows them.
    pub flight: u64,
    /// The exported symbol.
    pub symbol: &'static Symbol,
    /// Function id.
    pub function: u32,
    /// What is to be done before the call.
    pub entry: Entry,
    /// What is to be done after a plain call: a short way of its own for each common kind.
    pub way: Way,
    /// The function returns an error code.
    pub returns_code: bool,
    /// Words of arguments on the caller's stack, rounded up to an even number.
    pub stack_words: u8,
    /// How many words count, from the first to the last that does.
    words: u8,
    /// Argument that may be `MPI_IN_PLACE`, or [`ABSENT`].
    in_place: u8,
    /// Places ([`Args::at`]) of the new request, the status and the flag; [`ABSENT`] if there is none.
    pub new_request: u8,
    /// See `new_request`.
    pub status: u8,
    /// See `new_request`.
    pub flag: u8,
    /// Place of the source of a receive that makes a request; [`ABSENT`] for everything else.
    pub source: u8,
    /// Bits of each argument word that identify the call, in C.
    masks: [u64; WORDS],

    /// Called through a Fortran symbol.
    pub fortran: bool,
    /// Choice buffers are passed as C descriptors.
    descriptors: bool,
    /// `process::action` bits.
    pub actions: u8,
    /// Place of `ierror` in Fortran.
    pub ierror: u8,
    /// Arguments cannot be identified by their raw words: decode at entry.
    pub eager: bool,
    /// Requests are copied at entry.
    pub requests: bool,
    /// They are those that the call completes.
    pub completes: bool,
    /// They are persistent ones that the call starts.
    pub starts: bool,
    /// The new request is a receive: what it posted is compared with its status later.
    pub posts: bool,
    /// Place of a matched message that is received; [`ABSENT`] if there is none. Neither communicator nor source stand
    /// in such a call: they are those of the probe.
    pub takes_message: u8,
    /// Place of a matched message that is made.
    pub gives_message: u8,
    /// Reads statuses of requests without completing them.
    pub asks: bool,
    /// See [`after`].
    pub after: u8,
    /// Step of the request or request array.
    pub request_step: Step,
    /// Step of the offset.
    pub offset: Step,
    /// Arguments to look at in Fortran: (index, index in C, 64 bits wide).
    by_reference: [(u8, u8, bool); WORDS],
    by_reference_count: u8,
}

const _: () = assert!(std::mem::offset_of!(CallPlan, masks) <= 64 - FEW * 8, "the hot fields leave their line");

const NO_STEP: Step = Step { kind: 0, flags: 0, c: ABSENT, f: ABSENT, aux_c: ABSENT, aux_f: ABSENT };

/// Bit of a function's id: the large-count twin.
pub const LARGE: u32 = 1 << 10;

const IN_PLACE: u64 = 0xba7c_9045_f12c_7f99;
const FORTRAN: u64 = 0x2471_6b1e_a5f0_3c55;

/// Odd constants with no structure (digits of π). Each thread has a copy beside its other hot data, so that
/// they are operands in memory and not twelve loads of constants.
pub const KEYS: [u64; WORDS] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6d,
    0xc0ac_29b7_c97c_50dd,
    0x3f84_d5b5_b547_0917,
    0x9216_d5d9_8979_fb1b,
    0xd131_0ba6_98df_b5ad,
    0x2ffd_72db_d01a_dfb7,
    0xb8e1_afed_6a26_7e97,
];

/// From one epoch to the next. Odd and without structure, as [`KEYS`]: the epoch is added to the address of the caller,
/// and steps of one would, some frees later, give one call the key that its neighbour had.
const EPOCH: u64 = 0x636a_09e6_67f3_bcc9;

/// An object was freed: raw keys made before are void.
pub fn next_epoch() {
    // SAFETY: mapped for good; others write it in the same way.
    unsafe { AtomicU64::from_ptr(&raw mut (*process::control()).epoch) }.fetch_add(EPOCH, Ordering::Release);
}

/// The plan of a symbol. Made at its first call and kept for good.
pub fn of_symbol(symbol: &'static Symbol, int_handles: bool, actions: u8, checked: bool) -> &'static CallPlan {
    let mut plan = CallPlan::of(symbol, int_handles);
    plan.actions = actions;
    plan.eager |= actions & action::SPECIAL != 0;
    // All that follows a checked call stands at the end of the long way.
    let plain = actions & action::RECORD != 0 && !plan.eager && !symbol.fortran && !checked;
    plan.entry = match plan.requests {
        _ if !plain || plan.takes_message != ABSENT => Entry::Unusual,
        _ if matches!(plan.function, id::Wtime | id::Wtick) => Entry::Light,
        _ if matches!(plan.function, id::Comm_rank | id::Comm_size) => Entry::Wrapped,
        true => Entry::Requests,
        false => Entry::Plain,
    };
    plan.way = match plan.after {
        _ if !plain || plan.takes_message != ABSENT => Way::Long,
        after::STATUS if plan.gives_message != ABSENT => Way::Long,
        0 => Way::Quiet,
        after::STATUS => Way::Status,
        after::NEW_REQUEST => Way::Request,
        after::FLAG => Way::Poll,
        _ if plan.after == after::FLAG | after::STATUS => Way::Poll,
        _ if plan.completes && plan.after & !(after::REQUESTS | after::FLAG) == 0 => Way::Wait,
        _ => Way::Long,
    };
    Box::leak(Box::new(plan))
}

impl CallPlan {
    fn of(symbol: &'static Symbol, int_handles: bool) -> CallPlan {
        let id = u32::from(symbol.function);
        let function = function_unchecked(id);
        let steps = mpiscope_abi::steps(function);
        let has = |kind: u8| steps.iter().any(|s| s.kind == kind);
        let mut plan = CallPlan {
            flight: u64::from(id) | u64::from(symbol.fortran) << 32,
            symbol,
            function: id,
            entry: Entry::Unusual,
            way: Way::Long,
            returns_code: !function.is(attribute::RETURNS_VALUE),
            stack_words: symbol.stack.next_multiple_of(2),
            words: 0,
            in_place: ABSENT,
            new_request: ABSENT,
            status: ABSENT,
            flag: ABSENT,
            source: ABSENT,
            masks: [0; WORDS],
            fortran: symbol.fortran,
            descriptors: symbol.descriptors,
            actions: 0,
            ierror: Args::place(symbol.arguments),
            // Persistent requests are made once; what they will move is noted on the long way.
            eager: function.is(attribute::FREES) || function.is(attribute::PERSISTENT),
            requests: false,
            completes: function.is(attribute::COMPLETES),
            starts: function.is(attribute::STARTS),
            posts: matches!(function.flow, Flow::Receive | Flow::PartitionedReceive)
                && has(kind::PEER)
                && !has(kind::WINDOW)
                && !has(kind::FILE),
            takes_message: ABSENT,
            gives_message: ABSENT,
            asks: false,
            after: 0,
            request_step: NO_STEP,
            offset: NO_STEP,
            by_reference: [(0, 0, false); WORDS],
            by_reference_count: 0,
        };
        for step in steps {
            plan.add(step, int_handles, function);
        }
        if plan.posts && plan.new_request != ABSENT {
            let peer = steps.iter().find(|s| s.kind == kind::PEER);
            plan.source = peer.map_or(ABSENT, |s| Args::place(if plan.fortran { s.f } else { s.c }));
        }
        match id & !LARGE {
            id::Mprobe => plan.gives_message = Args::place(3),
            id::Improbe => plan.gives_message = Args::place(4),
            id::Mrecv | id::Imrecv => plan.takes_message = Args::place(3),
            _ => {}
        }
        plan.posts |= id & !LARGE == id::Imrecv;
        plan.asks = matches!(id, id::Request_get_status | id::Request_get_status_all);
        plan
    }

    fn add(&mut self, step: &Step, int_handles: bool, function: &Function) {
        const INT: u64 = 0xffff_ffff;
        let place = Args::place(if self.fortran { step.f } else { step.c });
        let handle = if int_handles { INT } else { u64::MAX };
        let wide = step.flags & step_flag::WIDE != 0;
        let mask = match step.kind {
            kind::COMM | kind::TYPE | kind::TYPE2 | kind::OP | kind::WINDOW | kind::FILE | kind::GROUP => handle,
            kind::COUNT | kind::COUNT2 | kind::PEER | kind::PEER2 | kind::TAG | kind::TAG2 | kind::ROOT => {
                if wide {
                    u64::MAX
                } else {
                    INT
                }
            }
            kind::OFFSET => {
                self.after |= after::OFFSET;
                self.offset = *step;
                0
            }
            kind::SENDBUF | kind::RECVBUF => {
                self.in_place = step.c;
                0
            }
            kind::REQUEST | kind::REQUESTS => {
                self.requests = true;
                self.request_step = *step;
                self.after |= after::REQUESTS;
                0
            }
            kind::NEW_REQUEST => {
                self.new_request = place;
                self.after |= after::NEW_REQUEST;
                0
            }
            kind::STATUS | kind::STATUSES => {
                self.status = place;
                if !function.is(attribute::COMPLETES) {
                    self.after |= after::STATUS;
                }
                0
            }
            kind::FLAG => {
                self.flag = place;
                self.after |= after::FLAG;
                0
            }
            // Waitany, Waitsome, …: INDEX and OUTCOUNT decide which requests are meant.
            _ => {
                self.eager = true;
                0
            }
        };
        // Where C passes a pointer to the value, its word says nothing; a call that runs out of words is
        // decoded as well.
        self.eager |= mask != 0 && (step.flags & step_flag::POINTER != 0 || step.c as usize >= WORDS);
        if mask != 0 && (step.c as usize) < WORDS {
            self.masks[step.c as usize] = mask;
            self.words = self.words.max(step.c + 1);
            self.by_reference[self.by_reference_count as usize] = (step.f, step.c, wide);
            self.by_reference_count += 1;
        }
    }

    /// What a receive posts as its source.
    #[inline(always)]
    pub fn source_of(&self, peer: i32) -> i32 {
        if self.takes_message == ABSENT { peer } else { MATCHED }
    }

    /// The raw key of a call from C. The words are left in `words`.
    ///
    /// # Safety
    /// `args` belong to a call of this plan's function.
    #[inline(always)]
    pub unsafe fn raw_c(
        &self,
        args: Args,
        seed: u64,
        in_place: u64,
        keys: &[u64; WORDS],
        words: &mut [u64; WORDS],
    ) -> u64 {
        let mut sum = seed;
        let mut add = |range: std::ops::Range<u8>| {
            for i in range {
                let word = unsafe { args.get(i) };
                words[i as usize] = word;
                sum = sum.wrapping_add((word & self.masks[i as usize]).wrapping_mul(keys[i as usize]));
            }
        };
        // In steps, each without a loop: most calls have few words.
        add(0..FEW as u8);
        if self.words > FEW as u8 {
            add(FEW as u8..6);
            if self.words > 6 {
                add(6..WORDS as u8);
            }
        }
        unsafe {
            if self.in_place != ABSENT && args.get(self.in_place) == in_place {
                sum = sum.wrapping_add(IN_PLACE);
            }
        }
        sum
    }

    /// The same for Fortran, which passes addresses.
    ///
    /// # Safety
    /// As [`CallPlan::raw_c`].
    #[inline(always)]
    pub unsafe fn raw_fortran(&self, args: Args, seed: u64, mpi: &Mpi, words: &mut [u64; WORDS]) -> u64 {
        let mut sum = seed ^ FORTRAN;
        *words = [0; WORDS];
        for &(f, c, wide) in &self.by_reference[..self.by_reference_count as usize] {
            unsafe {
                let at = args.get(f);
                let value = if at == 0 {
                    0
                } else if wide {
                    *(at as *const u64)
                } else {
                    u64::from(*(at as *const u32))
                };
                words[c as usize] = value;
                sum = sum.wrapping_add(value.wrapping_mul(KEYS[c as usize]));
            }
        }
        // Buffers stand at the same place in both languages.
        if self.in_place != ABSENT && unsafe { mpi.is_in_place(args.get(self.in_place), self.descriptors) } {
            sum = sum.wrapping_add(IN_PLACE);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::SYMBOLS;

    #[test]
    fn which_calls_are_identified_by_raw_words() {
        let plan = |id: u32| {
            let symbol = SYMBOLS.iter().find(|s| u32::from(s.function) == id && !s.fortran).expect("exported");
            CallPlan::of(symbol, true)
        };
        for fast in [
            id::Send,
            id::Recv,
            id::Sendrecv,
            id::Isend,
            id::Irecv,
            id::Waitall,
            id::Iprobe,
            id::Allreduce,
            id::Bcast,
            id::Put,
            id::Wait,
            id::Testall,
            id::Win_post,
            id::Win_start,
        ] {
            assert!(!plan(fast).eager, "{}", mpiscope_abi::name(fast));
        }
        for slow in [id::Waitany, id::Testsome, id::Alltoallv, id::Comm_split, id::Type_free, id::Alltoallw] {
            assert!(plan(slow).eager, "{}", mpiscope_abi::name(slow));
        }
        // The group and the window; what is asserted says nothing about who waits.
        assert_eq!(plan(id::Win_post).masks[..3], [0xffff_ffff, 0, 0xffff_ffff]);
        assert_eq!(plan(id::Send).masks[..6], [0, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff]);
    }
}
