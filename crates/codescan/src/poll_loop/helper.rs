//! Functions of the program that poll and return the answer: `while (!is_done(&request))`.
//!
//! Such a function polls in the same way each time if it has one path, whose conditions follow from answers and constants, and if
//! its result follows from them as well. Its arguments may be passed on, but decide nothing.

use std::collections::{BTreeMap, HashSet};

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register};

use super::{
    Callee, Calls, FLAGS, Room, Uses, Varying, callee, clobbered, harmless, instruction_at, is_call, is_kept, is_plain,
    is_zero, successors,
};

/// Most instructions of such a function.
const MOST: usize = 512;

/// What is known before an instruction. Offsets in the frame count from the stack pointer at the beginning of the function.
#[derive(Clone, PartialEq)]
struct State {
    stack_pointer: i64,
    /// Offset in the frame to which rbp points; `None` if it points elsewhere.
    frame_pointer: Option<i64>,
    varying: Varying,
}

impl State {
    /// At the beginning of a function: only its frame is its own.
    fn new() -> State {
        let kept = Register::values().filter(|&r| r.is_gpr64() && is_kept(r) && r != Register::RSP);
        let varying = clobbered().chain(kept.map(Room::Register)).collect();
        State { stack_pointer: 0, frame_pointer: None, varying }
    }

    /// What holds on both of two paths; `None` if their frames differ.
    fn join(mut self, other: &State) -> Option<State> {
        let same = self.stack_pointer == other.stack_pointer && self.frame_pointer == other.frame_pointer;
        self.varying.extend(&other.varying);
        same.then_some(self)
    }

    /// A place in the frame, in whichever form an operand names it.
    fn room(&self, room: Room) -> Option<Room> {
        match room {
            Room::Frame(base, at, bytes) => {
                let from = if base == Register::RSP { Some(self.stack_pointer) } else { self.frame_pointer };
                Some(Room::Frame(Register::RSP, at + from?, bytes))
            }
            register => Some(register),
        }
    }

    fn varies(&self, room: &Room) -> bool {
        // The caller's frame, and what it has passed there.
        let is_foreign = matches!(room, Room::Frame(_, at, bytes) if at + i64::from(*bytes) > 0);
        is_foreign || self.varying.iter().any(|known| known.overlaps(room))
    }

    fn set(&mut self, room: Room, varies: bool) {
        if varies {
            self.varying.insert(room);
        } else {
            self.varying.remove(&room);
        }
    }

    /// After an instruction other than a call; `None` if it can have any effect, or its condition may differ next time.
    fn after(mut self, factory: &mut InstructionInfoFactory, instruction: &Instruction) -> Option<State> {
        use Mnemonic as M;
        let is_rsp = |register: Register| register == Register::RSP;
        match instruction.mnemonic() {
            M::Push => {
                self.stack_pointer -= 8;
                // As what it is read again: the program restores its registers.
                self.varying.insert(Room::Frame(Register::RSP, self.stack_pointer, 8));
                return Some(self);
            }
            M::Pop if instruction.op0_kind() == OpKind::Register => {
                self.stack_pointer += 8;
                self.restored(instruction.op0_register());
                return Some(self);
            }
            M::Leave => {
                self.stack_pointer = self.frame_pointer? + 8;
                self.restored(Register::RBP);
                return Some(self);
            }
            M::Mov if instruction.op0_register() == Register::RBP && is_rsp(instruction.op1_register()) => {
                self.frame_pointer = Some(self.stack_pointer);
                self.varying.remove(&Room::Register(Register::RBP));
                return Some(self);
            }
            M::Add | M::Sub if is_rsp(instruction.op0_register()) && instruction.op1_kind() != OpKind::Register => {
                let bytes = instruction.try_immediate(1).ok()? as i64;
                self.stack_pointer += if instruction.mnemonic() == M::Add { bytes } else { -bytes };
                self.varying.insert(Room::Register(FLAGS));
                return Some(self);
            }
            _ => {}
        }
        let uses = Uses::of(factory, instruction).filter(|_| is_plain(instruction))?;
        let flags = Room::Register(FLAGS);
        let reads_varying = |room: &Room| self.room(*room).is_none_or(|room| self.varies(&room));
        let is_unsteady = !is_zero(instruction)
            && (uses.reads_unknown
                || uses.reads.iter().any(reads_varying)
                || (instruction.rflags_read() != 0 && self.varies(&flags)));
        if is_unsteady && instruction.flow_control() == FlowControl::ConditionalBranch {
            return None;
        }
        for room in uses.writes {
            let room = self.room(room)?;
            let is_its_own = match room {
                Room::Frame(_, at, bytes) => at + i64::from(bytes) <= 0,
                Room::Register(register) => !is_rsp(register) && register != Register::RBP,
            };
            if !is_its_own {
                return None;
            }
            self.set(room, is_unsteady);
        }
        if instruction.rflags_modified() != 0 {
            self.set(flags, is_unsteady);
        }
        Some(self)
    }

    fn restored(&mut self, register: Register) {
        if register == Register::RBP {
            self.frame_pointer = None;
        }
        self.varying.insert(Room::Register(register));
    }
}

/// Whether the function at an address of a code section is such a function.
pub(super) fn polls(section: (u64, &[u8]), begin: u64, calls: &mut dyn FnMut(Callee) -> Calls) -> bool {
    follow(section, begin, calls).is_some_and(|asked| asked)
}

/// Whether it has polled; `None` if it is not such a function.
fn follow(section: (u64, &[u8]), begin: u64, calls: &mut dyn FnMut(Callee) -> Calls) -> Option<bool> {
    let mut factory = InstructionInfoFactory::new();
    let (mut asked, mut seen) = (false, HashSet::new());
    // No way leads back, so that all ways to an address are known before it is looked at.
    let mut open = BTreeMap::from([(begin, State::new())]);
    while let Some((at, mut state)) = open.pop_first() {
        let instruction = instruction_at(section, at)?;
        if !seen.insert(at) || seen.len() > MOST {
            return None;
        }
        if instruction.flow_control() == FlowControl::Return {
            if state.stack_pointer != 0 || state.varies(&Room::Register(Register::RAX)) {
                return None;
            }
            continue;
        }
        if is_call(&instruction) {
            let to = callee(&instruction)?;
            let is_question = matches!(calls(to), Calls::Asks(_));
            let is_harmless = || matches!(to, Callee::Code(to) if harmless::is_harmless(section, to));
            if !is_question && !is_harmless() {
                return None;
            }
            asked |= is_question;
            state.varying.extend(clobbered());
            state.set(Room::Register(Register::RAX), !is_question);
        } else {
            state = state.after(&mut factory, &instruction)?;
        }
        for next in successors(&instruction).filter(|next| !next.is_empty())? {
            if next <= at {
                return None;
            }
            let joined = match open.remove(&next) {
                Some(other) => state.clone().join(&other)?,
                None => state.clone(),
            };
            open.insert(next, joined);
        }
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use iced_x86::code_asm::*;

    use super::*;

    const BASE: u64 = 0x1000;
    const TEST: u64 = 0x9000;

    fn asking(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> bool {
        let mut assembler = CodeAssembler::new(64).unwrap();
        write(&mut assembler).unwrap();
        let mut calls = |to: Callee| if to == Callee::Code(TEST) { Calls::Asks(Some(1)) } else { Calls::Anything };
        polls((BASE, &assembler.assemble(BASE).unwrap()), BASE, &mut calls)
    }

    #[test]
    fn functions_that_pass_the_answer_on() {
        // int done(MPI_Request *r) { int flag = 0; MPI_Test(r, &flag, …); return flag; }, as -O0 has it.
        assert!(asking(|a| {
            a.endbr64()?;
            a.push(rbp)?;
            a.mov(rbp, rsp)?;
            a.sub(rsp, 32)?;
            a.mov(qword_ptr(rbp - 24), rdi)?;
            a.mov(dword_ptr(rbp - 4), 0)?;
            a.lea(rsi, ptr(rbp - 4))?;
            a.mov(rdi, qword_ptr(rbp - 24))?;
            a.call(TEST)?;
            a.mov(eax, dword_ptr(rbp - 4))?;
            a.leave()?;
            a.ret()
        }));
        // With -O2, and a choice.
        assert!(asking(|a| {
            let mut no = a.create_label();
            a.push(rbx)?;
            a.sub(rsp, 16)?;
            a.lea(rsi, ptr(rsp + 12))?;
            a.call(TEST)?;
            a.mov(eax, dword_ptr(rsp + 12))?;
            a.test(eax, eax)?;
            a.je(no)?;
            a.mov(eax, 1)?;
            a.set_label(&mut no)?;
            a.add(rsp, 16)?;
            a.pop(rbx)?;
            a.ret()
        }));
    }

    #[test]
    fn functions_that_may_say_something_else_next_time() {
        let with = |write: fn(&mut CodeAssembler) -> Result<(), IcedError>| {
            asking(|a| {
                a.push(rbx)?;
                a.sub(rsp, 16)?;
                a.mov(rbx, rdi)?;
                a.lea(rsi, ptr(rsp + 12))?;
                a.call(TEST)?;
                a.mov(eax, dword_ptr(rsp + 12))?;
                write(a)?;
                a.add(rsp, 16)?;
                a.pop(rbx)?;
                a.ret()
            })
        };
        assert!(with(|_| Ok(())));
        // Another answer by what it was called with, a variable somewhere, a counter, another function.
        assert!(!with(|a| a.or(eax, ebx)));
        assert!(!with(|a| a.mov(eax, dword_ptr(rbx))));
        assert!(!with(|a| a.inc(dword_ptr(rbx))));
        assert!(!with(|a| a.call(TEST + 0x100)));
        assert!(!with(|a| a.rdtsc()));
        assert!(!with(|a| {
            let mut end = a.create_label();
            a.test(ebx, ebx)?;
            a.je(end)?;
            a.mov(eax, 1)?;
            a.set_label(&mut end)?;
            a.nop()
        }));
        // A loop of its own; a frame that is not its own any more.
        assert!(!with(|a| {
            let mut again = a.create_label();
            a.set_label(&mut again)?;
            a.test(eax, eax)?;
            a.jne(again)
        }));
        assert!(!with(|a| a.add(rsp, 64)));
        assert!(!with(|a| a.mov(qword_ptr(rsp + 40), rbx)));
        // Asks nothing.
        assert!(!asking(|a| {
            a.xor(eax, eax)?;
            a.ret()
        }));
    }
}
