//! Whether what a call has received decides what the function around it does next.
//!
//! The code of the function is followed from its entry: where the frame is, which registers and variables point into it or at
//! static memory. From the return of the call on, whatever depends on the bytes that it may have written is *tainted*: what is loaded from
//! there, what is computed of that, what is read through a pointer that is not known. The next call is made alike
//! if no condition on any way to it is tainted and none of its arguments.
//!
//! What is not understood makes the answer no: a buffer that is neither a variable of the function nor static, another function that
//! is called on the way, a return, a jump through a table.

mod state;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use iced_x86::{FlowControl, Mnemonic, Register};

use crate::poll_loop::{Callee, callee, instruction_at, is_call, successors};
use state::{State, Value};

/// Instructions that are followed, and looks at them.
const MOST: usize = 1 << 14;
/// The most bytes that a status has in any MPI.
const STATUS: u64 = 32;
/// Registers of arguments (System V).
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// A function whose calls are all reported to the caller of [`goes_on_alike`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedCall {
    /// How many arguments in registers decide what it does.
    pub arguments: usize,
    /// All of them are addresses of what is meant (Fortran).
    pub by_reference: bool,
    /// It has a buffer (the first argument), whose content decides nothing.
    pub has_buffer: bool,
    /// It receives into its first argument: which one is its status.
    pub status: Option<usize>,
}

/// Calls, and where the function with them begins: does what it does depend on what they received?
pub struct Question<'a> {
    /// Where the function begins.
    pub entry: u64,
    /// Where the calls return to that have received something else, and how many bytes they have room for.
    pub received: &'a [(u64, u64)],
    /// Where calls return to that were made since the first of them.
    pub through: &'a [u64],
    /// Where the next call returns to.
    pub next: u64,
}

/// See the module's text; `bytes` is the section of code that begins at `address`. `reported_call` describes a function whose
/// calls are all reported to the caller, and returns `None` for any other.
pub fn goes_on_alike(
    address: u64,
    bytes: &[u8],
    question: &Question<'_>,
    reported_call: &mut dyn FnMut(Callee) -> Option<ReportedCall>,
) -> bool {
    Look { section: (address, bytes), question, reported_call }.answer().unwrap_or(false)
}

struct Look<'a> {
    section: (u64, &'a [u8]),
    question: &'a Question<'a>,
    reported_call: &'a mut dyn FnMut(Callee) -> Option<ReportedCall>,
}

impl Look<'_> {
    fn answer(&mut self) -> Option<bool> {
        let calls = self.up_to_calls()?;
        let mut begin: BTreeMap<u64, State> = BTreeMap::new();
        for &(at, room) in self.question.received {
            let (of, before) = calls.get(&at)?;
            let mut state = before.clone();
            self.receives(&mut state, *of, room)?;
            state.called();
            begin.insert(at, state);
        }
        self.follow(begin)
    }

    /// The states before the calls that have received something else, with what those calls are.
    fn up_to_calls(&mut self) -> Option<HashMap<u64, (ReportedCall, State)>> {
        let mut found: HashMap<u64, (ReportedCall, State)> = HashMap::new();
        let mut known: BTreeMap<u64, State> = BTreeMap::from([(self.question.entry, State::entry())]);
        let mut ways = BTreeSet::from([self.question.entry]);
        let mut looks = 0;
        while let Some(at) = ways.pop_first() {
            looks += 1;
            let instruction = instruction_at(self.section, at).filter(|_| looks < MOST)?;
            let mut state = known[&at].clone();
            if is_call(&instruction) {
                if self.question.received.iter().any(|&(back, _)| back == instruction.next_ip()) {
                    let of = callee(&instruction).and_then(|callee| (self.reported_call)(callee))?;
                    // Of others it is not known where they write.
                    of.status?;
                    found.insert(instruction.next_ip(), (of, state.clone()));
                }
                state.called();
                state.forget_pointers();
            } else {
                state.step(&instruction)?;
            }
            // A way that cannot be followed may lead there as well.
            go_on(&successors(&instruction)?, &state, &mut known, &mut ways);
        }
        Some(found)
    }

    /// What a call may have written is another value.
    fn receives(&self, state: &mut State, of: ReportedCall, room: u64) -> Option<()> {
        state.taint(state.register(Register::RDI), room)?;
        let Some(status) = of.status else { return Some(()) };
        let status = match ARGUMENTS.get(status) {
            Some(&register) => state.register(register),
            None => state.argument(status - ARGUMENTS.len()),
        };
        state.taint(status, STATUS)
    }

    /// From the returns of those calls to the next one.
    fn follow(&mut self, mut known: BTreeMap<u64, State>) -> Option<bool> {
        let mut ways: BTreeSet<u64> = known.keys().copied().collect();
        let (mut looks, mut has_come) = (0, false);
        while let Some(at) = ways.pop_first() {
            looks += 1;
            let instruction = instruction_at(self.section, at).filter(|_| looks < MOST)?;
            let mut state = known[&at].clone();
            if is_call(&instruction) {
                let back = instruction.next_ip();
                let of = callee(&instruction).and_then(|callee| (self.reported_call)(callee))?;
                let received = self.question.received.iter().find(|&&(at, _)| at == back);
                let goes_on = received.is_some() || self.question.through.contains(&back);
                // The process did not go this way: the reader would have seen the call.
                if !goes_on && back != self.question.next {
                    continue;
                }
                has_come |= back == self.question.next;
                if !state.has_plain_arguments(of) {
                    return Some(false);
                }
                if !goes_on {
                    continue;
                }
                if let Some(&(_, room)) = received {
                    self.receives(&mut state, of, room)?;
                }
                state.called();
            } else {
                let is_branch = instruction.flow_control() == FlowControl::ConditionalBranch;
                if is_branch && state.flags() == Value::Tainted
                    || matches!(instruction.flow_control(), FlowControl::Return | FlowControl::Interrupt)
                    || instruction.mnemonic() == Mnemonic::Syscall
                {
                    return Some(false);
                }
                state.step(&instruction)?;
            }
            go_on(&successors(&instruction)?, &state, &mut known, &mut ways);
        }
        Some(has_come)
    }
}

/// Joins a state into what is known at each of the next places. Those where that is new are looked at once more.
fn go_on(to: &[u64], state: &State, known: &mut BTreeMap<u64, State>, ways: &mut BTreeSet<u64>) {
    for &next in to {
        let joined = known.get(&next).map_or_else(|| state.clone(), |other| other.joined(state));
        if known.get(&next) != Some(&joined) {
            known.insert(next, joined);
            ways.insert(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::code_asm::*;

    use super::*;

    const BASE: u64 = 0x1000;
    const RECV: u64 = 0x9000;
    const WORK: u64 = 0xa000;

    /// Whether the second call of RECV follows alike, of a function with a frame; the first one receives four bytes at `[rsp+16]`, and its
    /// status is ignored.
    fn follows(between: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> bool {
        let mut a = CodeAssembler::new(64).unwrap();
        let (mut first, mut second) = (a.create_label(), a.create_label());
        let call = |a: &mut CodeAssembler| -> Result<(), IcedError> {
            a.lea(rdi, ptr(rsp + 16))?;
            a.mov(esi, 1)?;
            a.mov(edx, 7)?;
            a.xor(r8d, r8d)?;
            a.mov(r9d, 5)?;
            a.mov(qword_ptr(rsp), 1)?;
            a.call(RECV)
        };
        a.push(rbx).unwrap();
        a.sub(rsp, 48).unwrap();
        a.mov(dword_ptr(rsp + 24), 1).unwrap();
        a.mov(ecx, -1).unwrap();
        call(&mut a).unwrap();
        a.set_label(&mut first).unwrap();
        between(&mut a).unwrap();
        call(&mut a).unwrap();
        a.set_label(&mut second).unwrap();
        a.add(rsp, 48).unwrap();
        a.pop(rbx).unwrap();
        a.ret().unwrap();
        let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let made = a.assemble_options(BASE, options).unwrap();
        let at = |label: &CodeLabel| made.label_ip(label).unwrap();
        let question =
            Question { entry: BASE, received: &[(at(&first), 4)], through: &[at(&first)], next: at(&second) };
        let recv = ReportedCall { arguments: 6, by_reference: false, has_buffer: true, status: Some(6) };
        let mut reported_call = |callee| (callee == Callee::Code(RECV)).then_some(recv);
        goes_on_alike(BASE, &made.inner.code_buffer, &question, &mut reported_call)
    }

    use iced_x86::{BlockEncoderOptions, IcedError};

    #[test]
    fn a_constant_source() {
        assert!(follows(|a| a.mov(ecx, 1)));
        // Of the frame beside the buffer, and of static memory.
        assert!(follows(|a| a.mov(ecx, dword_ptr(rsp + 24))));
        assert!(follows(|a| a.mov(ecx, dword_ptr(0x8000u64))));
    }

    #[test]
    fn a_source_that_was_received() {
        assert!(!follows(|a| a.mov(ecx, dword_ptr(rsp + 16))));
        assert!(!follows(|a| {
            a.mov(ecx, 3)?;
            a.sub(ecx, dword_ptr(rsp + 16))
        }));
        // Left over from before the call.
        assert!(!follows(|a| a.nop()));
        // Through a pointer that is not known.
        assert!(!follows(|a| {
            a.mov(rax, qword_ptr(rsp + 32))?;
            a.mov(ecx, dword_ptr(rax))
        }));
        // By way of another variable.
        assert!(!follows(|a| {
            a.mov(eax, dword_ptr(rsp + 16))?;
            a.mov(dword_ptr(rsp + 24), eax)?;
            a.mov(ecx, dword_ptr(rsp + 24))
        }));
    }

    #[test]
    fn conditions() {
        let on = |at: i32| {
            follows(move |a| {
                let mut end = a.create_label();
                a.mov(ecx, 1)?;
                a.cmp(dword_ptr(rsp + at), 0)?;
                a.je(end)?;
                a.mov(ecx, 2)?;
                a.set_label(&mut end)?;
                a.nop()
            })
        };
        assert!(on(24));
        assert!(!on(16));
    }

    #[test]
    fn other_calls_and_returns() {
        assert!(!follows(|a| {
            a.call(WORK)?;
            a.mov(ecx, 1)
        }));
        assert!(!follows(|a| {
            let mut on = a.create_label();
            a.cmp(dword_ptr(rsp + 24), 0)?;
            a.je(on)?;
            a.ret()?;
            a.set_label(&mut on)?;
            a.mov(ecx, 1)
        }));
    }
}
