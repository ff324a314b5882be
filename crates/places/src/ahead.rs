//! Which words of some memory the code that runs next is going to touch.
//!
//! There are four watchpoints for a window of any size, so whoever sets them wants to know beforehand. What stands in the code
//! after a call is a guess, and a good one: `mem[5]` is a load of what a variable on the stack points to, plus twenty.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};
use std::collections::HashMap;

/// Instructions that are looked at: some hundred lines.
const MOST_INSTRUCTIONS: usize = 512;

/// Addresses between `memory.0` and `memory.1` that the instructions from `at` on touch, in their order, each once. `code` are the bytes
/// there; `stack` and `frame` are the registers rsp and rbp; `read` gives eight bytes of memory, where there is some.
///
/// Jumps are not followed: what stands behind one may run as well. So values are those of one way of many.
pub fn touches_ahead(
    at: u64,
    code: &[u8],
    (stack, frame): (u64, u64),
    memory: (u64, u64),
    mut read: impl FnMut(u64) -> Option<u64>,
) -> Vec<u64> {
    let mut values: HashMap<Register, u64> = HashMap::from([(Register::RSP, stack), (Register::RBP, frame)]);
    let mut found: Vec<u64> = Vec::new();
    // Offsets from a pointer that is not known, which may be one to the memory.
    let mut guessed: Vec<u64> = Vec::new();
    let mut factory = InstructionInfoFactory::new();
    let mut decoder = Decoder::with_ip(64, code, at, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    for _ in 0..MOST_INSTRUCTIONS {
        if !decoder.can_decode() {
            break;
        }
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() {
            break;
        }
        // Behind it stand parts of the function that are seldom run, and the next one.
        if instruction.flow_control() == FlowControl::Return {
            values = HashMap::from([(Register::RSP, stack), (Register::RBP, frame)]);
            continue;
        }
        let address = address_of(&instruction, &values);
        let has_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
        if has_memory && instruction.mnemonic() != Mnemonic::Lea {
            let add = |all: &mut Vec<u64>, address: u64| {
                if (memory.0..memory.1).contains(&address) && !all.contains(&address) {
                    all.push(address);
                }
            };
            match address {
                Some(address) => add(&mut found, address),
                None if instruction.memory_index() == Register::None => {
                    add(&mut guessed, memory.0.wrapping_add(instruction.memory_displacement64()));
                }
                None => {}
            }
        }
        let known = value_of(&instruction, address, &values, &mut read);
        if instruction.flow_control() == FlowControl::Call {
            // What a function may change.
            values.retain(|register, _| {
                matches!(
                    register,
                    Register::RSP
                        | Register::RBP
                        | Register::RBX
                        | Register::R12
                        | Register::R13
                        | Register::R14
                        | Register::R15
                )
            });
            continue;
        }
        for used in factory.info(&instruction).used_registers() {
            let is_written = !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess);
            let register = used.register().full_register();
            // Pushes and pops are counted.
            let is_counted = register == Register::RSP && instruction.is_stack_instruction();
            if is_written && !is_counted {
                values.remove(&register);
            }
        }
        if instruction.is_stack_instruction()
            && let Some(stack) = values.get_mut(&Register::RSP)
        {
            *stack = stack.wrapping_add_signed(instruction.stack_pointer_increment().into());
        }
        if let Some((register, value)) = known {
            values.insert(register, value);
        }
    }
    found.extend(guessed);
    let mut seen = std::collections::HashSet::new();
    found.retain(|address| seen.insert(*address));
    found
}

/// The address of an instruction's operand in memory.
fn address_of(instruction: &Instruction, values: &HashMap<Register, u64>) -> Option<u64> {
    if !instruction.op_kinds().any(|kind| kind == OpKind::Memory) || instruction.has_segment_prefix() {
        return None;
    }
    if instruction.is_ip_rel_memory_operand() {
        return Some(instruction.ip_rel_memory_address());
    }
    let value = |register: Register| match register {
        Register::None => Some(0),
        register => values.get(&register).copied(),
    };
    let index = value(instruction.memory_index())?.wrapping_mul(instruction.memory_index_scale().into());
    Some(value(instruction.memory_base())?.wrapping_add(index).wrapping_add(instruction.memory_displacement64()))
}

/// What an instruction puts into a register of 64 or 32 bits, where that is known.
fn value_of(
    instruction: &Instruction,
    address: Option<u64>,
    values: &HashMap<Register, u64>,
    read: &mut impl FnMut(u64) -> Option<u64>,
) -> Option<(Register, u64)> {
    let low = |value: u64| value & u64::from(u32::MAX);
    let extended = |value: u64| value as u32 as i32 as i64 as u64;
    if instruction.mnemonic() == Mnemonic::Cdqe {
        return Some((Register::RAX, extended(*values.get(&Register::RAX)?)));
    }
    let to = instruction.op0_register();
    let is_long = to.is_gpr64();
    if instruction.op_count() < 2 || instruction.op0_kind() != OpKind::Register || !(is_long || to.is_gpr32()) {
        return None;
    }
    let of = |register: Register| values.get(&register.full_register()).copied();
    let other = match instruction.op1_kind() {
        OpKind::Register if instruction.mnemonic() == Mnemonic::Xor && instruction.op1_register() == to => Some(0),
        OpKind::Register => of(instruction.op1_register()),
        OpKind::Memory if instruction.mnemonic() == Mnemonic::Lea => address,
        // Numbers of fewer bytes are no addresses and seldom indices.
        OpKind::Memory if instruction.memory_size().size() < 4 => None,
        OpKind::Memory => address.and_then(read),
        OpKind::Immediate8
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32
        | OpKind::Immediate32to64
        | OpKind::Immediate64 => Some(instruction.immediate(1)),
        _ => None,
    }?;
    let before = || of(to);
    let value = match instruction.mnemonic() {
        Mnemonic::Mov | Mnemonic::Lea => other,
        Mnemonic::Xor if instruction.op1_kind() == OpKind::Register && instruction.op1_register() == to => 0,
        Mnemonic::Movsxd => extended(other),
        Mnemonic::Add => before()?.wrapping_add(other),
        Mnemonic::Sub => before()?.wrapping_sub(other),
        Mnemonic::Shl => before()?.checked_shl(u32::try_from(other).ok()?)?,
        _ => return None,
    };
    Some((to.full_register(), if is_long { value } else { low(value) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::code_asm::*;

    const MEMORY: (u64, u64) = (0x7000, 0x7040);

    fn ahead(write: impl Fn(&mut CodeAssembler)) -> Vec<u64> {
        let mut code = CodeAssembler::new(64).unwrap();
        write(&mut code);
        code.ret().unwrap();
        let bytes = code.assemble(0x1000).unwrap();
        // A variable at rbp - 24 points to the memory, one at rbp - 4 is 3, with something else behind it.
        let read = |address: u64| match address {
            0x1fe8 => Some(MEMORY.0),
            0x1ffc => Some(3 | 7 << 32),
            _ => None,
        };
        touches_ahead(0x1000, &bytes, (0x1f00, 0x2000), MEMORY, read)
    }

    #[test]
    fn elements_behind_a_pointer_on_the_stack() {
        let element = |code: &mut CodeAssembler| {
            code.mov(rax, qword_ptr(rbp - 24)).unwrap();
            code.add(rax, 20).unwrap();
            code.mov(eax, dword_ptr(rax)).unwrap();
        };
        assert_eq!(ahead(element), [0x7014]);
        let direct = |code: &mut CodeAssembler| {
            code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
            code.mov(dword_ptr(rdx + 8), 99).unwrap();
            code.mov(dword_ptr(rdx + 8), 98).unwrap();
            code.mov(eax, dword_ptr(rdx)).unwrap();
        };
        assert_eq!(ahead(direct), [0x7008, 0x7000]);
    }

    #[test]
    fn an_element_by_its_index() {
        let plain = |code: &mut CodeAssembler| {
            code.mov(eax, dword_ptr(rbp - 4)).unwrap();
            code.cdqe().unwrap();
            code.lea(rdx, qword_ptr(rax * 4)).unwrap();
            code.mov(rax, qword_ptr(rbp - 24)).unwrap();
            code.add(rax, rdx).unwrap();
            code.mov(eax, dword_ptr(rax)).unwrap();
        };
        assert_eq!(ahead(plain), [0x700c]);
        let short = |code: &mut CodeAssembler| {
            code.movsxd(rax, dword_ptr(rbp - 4)).unwrap();
            code.mov(rdx, qword_ptr(rbp - 24)).unwrap();
            code.shl(rax, 3).unwrap();
            code.mov(qword_ptr(rdx + rax), rcx).unwrap();
            code.xor(eax, eax).unwrap();
            code.mov(qword_ptr(rdx + rax * 8), rcx).unwrap();
        };
        assert_eq!(ahead(short), [0x7018, 0x7000]);
    }

    #[test]
    fn arguments_on_the_stack() {
        let pushes = |code: &mut CodeAssembler| {
            code.push(rcx).unwrap();
            code.push(qword_ptr(rsp + 8)).unwrap();
            code.call(0x1800).unwrap();
            // The frame pointer's variable, from the stack: two words further away.
            code.mov(rdx, qword_ptr(rsp + 0x100 - 24 + 16)).unwrap();
            code.mov(dword_ptr(rdx + 12), eax).unwrap();
            code.add(rsp, 16).unwrap();
            code.mov(rdx, qword_ptr(rsp + 0x100 - 24)).unwrap();
            code.mov(eax, dword_ptr(rdx)).unwrap();
        };
        assert_eq!(ahead(pushes), [0x700c, 0x7000]);
    }

    #[test]
    fn what_is_not_known() {
        // A register that a call has changed; an index; the address alone.
        let unknown = |code: &mut CodeAssembler| {
            code.mov(rax, qword_ptr(rbp - 24)).unwrap();
            code.lea(rcx, qword_ptr(rax + 4)).unwrap();
            code.call(0x1800).unwrap();
            code.mov(edx, dword_ptr(rcx + rdx * 4)).unwrap();
        };
        assert!(ahead(unknown).is_empty());
        // A pointer that may be the memory's comes last.
        let perhaps = |code: &mut CodeAssembler| {
            code.mov(ecx, dword_ptr(rbx + 12)).unwrap();
            code.mov(rax, qword_ptr(rbp - 24)).unwrap();
            code.mov(eax, dword_ptr(rax + 4)).unwrap();
            code.mov(eax, dword_ptr(rbx + 4096)).unwrap();
        };
        assert_eq!(ahead(perhaps), [0x7004, 0x700c]);
    }

    #[test]
    fn code_ends() {
        // What was made of the stack before the return is none of what stands behind it.
        let behind = |code: &mut CodeAssembler| {
            code.add(rsp, 64).unwrap();
            code.ret().unwrap();
            code.mov(rax, qword_ptr(rsp + 0x100 - 24)).unwrap();
            code.mov(eax, dword_ptr(rax + 8)).unwrap();
        };
        assert_eq!(ahead(behind), [0x7008]);
        assert!(touches_ahead(0x1000, &[], (0, 0), MEMORY, |_| None).is_empty());
        assert!(touches_ahead(0x1000, &[0x8b], (0, 0), MEMORY, |_| None).is_empty());
    }
}
