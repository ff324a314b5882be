//! Small functions of the program that a loop calls beside its question (`vector::data()` and its like, where nothing was
//! inlined): they come to an end and change nothing but their own frame.

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::{Callee, callee, instruction_at, is_call, is_plain, successors};

/// Instructions of one of them.
const MOST: usize = 128;
/// Most calls within each other.
const DEPTH: u32 = 8;

/// Whether the function at an address of a section of code is one.
pub(super) fn is_harmless(section: (u64, &[u8]), at: u64) -> bool {
    is_harmless_below(section, at, DEPTH)
}

fn is_harmless_below(section: (u64, &[u8]), begin: u64, depth: u32) -> bool {
    let mut seen = Vec::new();
    let mut ways = vec![begin];
    let mut factory = InstructionInfoFactory::new();
    while let Some(at) = ways.pop() {
        if seen.contains(&at) {
            continue;
        }
        let Some(instruction) = instruction_at(section, at).filter(|_| seen.len() < MOST) else { return false };
        seen.push(at);
        if !stays_in_frame(&mut factory, &instruction) {
            return false;
        }
        if is_call(&instruction) {
            let Some(Callee::Code(to)) = callee(&instruction) else { return false };
            if depth == 0 || !is_harmless_below(section, to, depth - 1) {
                return false;
            }
        }
        // No way back, so that it comes to an end.
        match successors(&instruction) {
            Some(next) if next.iter().all(|&next| next > at) => ways.extend(next),
            _ => return false,
        }
    }
    true
}

/// Computes, or stores below where the frame of the caller ends.
fn stays_in_frame(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> bool {
    use Mnemonic as M;
    let of_stack = match instruction.mnemonic() {
        M::Push | M::Pop | M::Leave | M::Ret | M::Call => true,
        // Room for variables.
        M::Add | M::Sub if instruction.op0_register() == Register::RSP => instruction.op1_kind() != OpKind::Register,
        M::Mov if instruction.op0_register() == Register::RBP => instruction.op1_register() == Register::RSP,
        _ => false,
    };
    let is_return = instruction.flow_control() == FlowControl::Return;
    if instruction.flow_control() == FlowControl::Exception || (!of_stack && !is_return && !is_plain(instruction)) {
        return false;
    }
    let info = factory.info(instruction);
    let moves_frame = |register: Register| matches!(register.full_register(), Register::RSP | Register::RBP);
    let writes = |access: OpAccess| {
        !matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess)
    };
    let keeps_frame =
        of_stack || !info.used_registers().iter().any(|u| moves_frame(u.register()) && writes(u.access()));
    let below = |base: Register, displacement: i64| moves_frame(base) && displacement < 0;
    keeps_frame
        && info.used_memory().iter().filter(|memory| writes(memory.access())).all(|memory| {
            memory.index() == Register::None
                && matches!(memory.segment(), Register::SS | Register::DS)
                && below(memory.base(), memory.displacement() as i64)
        })
}

#[cfg(test)]
mod tests {
    use iced_x86::code_asm::*;

    use super::*;

    const BASE: u64 = 0x1000;

    fn harmless(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> bool {
        let mut assembler = CodeAssembler::new(64).unwrap();
        write(&mut assembler).unwrap();
        is_harmless((BASE, &assembler.assemble(BASE).unwrap()), BASE)
    }

    #[test]
    fn functions_that_only_compute() {
        // return this->begin, as -O0 has it.
        assert!(harmless(|a| {
            a.endbr64()?;
            a.push(rbp)?;
            a.mov(rbp, rsp)?;
            a.mov(qword_ptr(rbp - 8), rdi)?;
            a.mov(rax, qword_ptr(rbp - 8))?;
            a.mov(rax, qword_ptr(rax))?;
            a.pop(rbp)?;
            a.ret()
        }));
        // One that calls another, with a choice.
        assert!(harmless(|a| {
            let (mut other, mut end) = (a.create_label(), a.create_label());
            a.push(rbp)?;
            a.mov(rbp, rsp)?;
            a.sub(rsp, 16)?;
            a.test(rdi, rdi)?;
            a.je(end)?;
            a.call(other)?;
            a.set_label(&mut end)?;
            a.leave()?;
            a.ret()?;
            a.set_label(&mut other)?;
            a.lea(rax, ptr(rdi + 8))?;
            a.ret()
        }));
    }

    #[test]
    fn functions_that_may_do_anything() {
        // Stores through a pointer.
        assert!(!harmless(|a| {
            a.mov(dword_ptr(rdi), 0)?;
            a.ret()
        }));
        // Into the frame of its caller.
        assert!(!harmless(|a| {
            a.push(rbp)?;
            a.mov(rbp, rsp)?;
            a.mov(qword_ptr(rbp + 16), rdi)?;
            a.pop(rbp)?;
            a.ret()
        }));
        // A frame that is somewhere else.
        assert!(!harmless(|a| {
            a.mov(rbp, rdi)?;
            a.mov(qword_ptr(rbp - 8), rdi)?;
            a.ret()
        }));
        // Goes round.
        assert!(!harmless(|a| {
            let mut again = a.create_label();
            a.set_label(&mut again)?;
            a.dec(edi)?;
            a.jne(again)?;
            a.ret()
        }));
        // Calls itself, something unknown, the system; looks at a clock.
        assert!(!harmless(|a| {
            a.call(BASE)?;
            a.ret()
        }));
        assert!(!harmless(|a| {
            a.call(BASE + 0x5000)?;
            a.ret()
        }));
        assert!(!harmless(|a| {
            a.call(qword_ptr(rdi))?;
            a.ret()
        }));
        assert!(!harmless(|a| {
            a.syscall()?;
            a.ret()
        }));
        assert!(!harmless(|a| {
            a.rdtsc()?;
            a.ret()
        }));
        // Leads out of what is known.
        assert!(!harmless(|a| a.nop()));
    }
}
