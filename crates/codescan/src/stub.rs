//! What stands behind the jump.
//!
//! ```text
//!       lea   rsp, [rsp - 128]      ; leaf functions keep data below the stack pointer
//!       pushfq
//!       push  rax
//!       mov   rax, [slot]           ; the word's address is read each time, as it changes when the rank file is made
//!       mov   rax, [rax]
//!       cmp   byte [rax + mark], 1  ; (for each place that the user means by it) it was reached:
//!       je    next                  ; said once, as readers of the line are all threads
//!       mov   byte [rax + mark], 1
//! next: test  byte [rax], bit       ; the word is shared by all threads: written only when it changes
//!       jnz   done                  ; (jz where the bit is cleared)
//!       lock or dword [rax], bit    ; (lock and)
//! done: pop   rax
//!       popfq
//!       lea   rsp, [rsp + 128]
//!       …                           ; what was displaced
//!       jmp   back
//! ```
//!
//! A call at the end of what was displaced becomes a push of the address behind the original one and a jump: who
//! unwinds the stack from inside it (an exception, a debugger) sees the function, not the stub.

use iced_x86::{BlockEncoder, BlockEncoderOptions, Code, Decoder, DecoderOptions, Instruction, InstructionBlock};

use crate::JUMP_BYTES;

/// Longest stretch that is displaced: four bytes and the longest instruction.
pub const MOST_BYTES: usize = JUMP_BYTES - 1 + 15;

/// Bytes that each of [`Switch::marks`] adds to a stub.
pub const MARK_BYTES: usize = 16;

/// What a stub does.
#[derive(Clone, Copy, Debug)]
pub struct Switch<'a> {
    /// Address of the variable that holds the address of the 32-bit word.
    pub slot: usize,
    /// The bit, one of the lowest seven.
    pub bit: u8,
    /// Whether it is set; else cleared.
    pub set: bool,
    /// Bytes that become 1, as distances from the word: which places were reached.
    pub marks: &'a [i32],
}

/// The code of a stub that will stand at `at`; `displaced` are the bytes it replaces, which stood at `from`.
/// `None` when they cannot be executed there: too far away, mostly.
pub fn stub(switch: Switch<'_>, displaced: &[u8], from: u64, at: u64) -> Option<Vec<u8>> {
    let mut code = vec![0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c, 0x50, 0x48, 0xb8];
    code.extend_from_slice(&switch.slot.to_le_bytes());
    code.extend_from_slice(&[0x48, 0x8b, 0x00]); // mov rax, [rax]: what the slot holds
    for mark in switch.marks {
        let [a, b, c, d] = mark.to_le_bytes();
        let mark: [u8; MARK_BYTES] = [0x80, 0xb8, a, b, c, d, 1, 0x74, 7, 0xc6, 0x80, a, b, c, d, 1];
        code.extend_from_slice(&mark);
    }
    code.extend_from_slice(&[0xf6, 0x00, switch.bit]);
    let change: &[u8] = match switch.set {
        true => &[0x75, 4, 0xf0, 0x83, 0x08, switch.bit],
        false => &[0x74, 4, 0xf0, 0x83, 0x20, !switch.bit],
    };
    code.extend_from_slice(change);
    code.extend_from_slice(&[0x58, 0x9d, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0]);

    let mut decoder = Decoder::with_ip(64, displaced, from, DecoderOptions::NONE);
    let mut instructions: Vec<Instruction> = decoder.iter().collect();
    let back = from + displaced.len() as u64;
    if instructions.iter().any(Instruction::is_invalid) || decoder.ip() != back {
        return None;
    }
    let last = instructions.pop()?;
    code.extend(encoded(&instructions, at + code.len() as u64)?);
    match last.code() {
        Code::Call_rel32_64 => {
            push(&mut code, back);
            code.extend_from_slice(&[0xff, 0x25, 0, 0, 0, 0]); // jmp [the next eight bytes]
            code.extend_from_slice(&last.near_branch_target().to_le_bytes());
        }
        Code::Call_rm64 => {
            push(&mut code, back);
            let mut jump = last;
            jump.set_code(Code::Jmp_rm64);
            code.extend(encoded(&[jump], at + code.len() as u64)?);
        }
        _ => {
            code.extend(encoded(&[last], at + code.len() as u64)?);
            let jump = jump_to(at + code.len() as u64, back)?;
            code.extend_from_slice(&jump);
        }
    }
    Some(code)
}

/// Whether the last of `displaced` is a call. The jump that stands for it in the stub has no entry on a processor's
/// shadow stack.
pub fn ends_in_call(displaced: &[u8]) -> bool {
    let last = Decoder::new(64, displaced, DecoderOptions::NONE).iter().last();
    last.is_some_and(|last| matches!(last.code(), Code::Call_rel32_64 | Code::Call_rm64))
}

/// `push` of an address, which no single instruction can.
fn push(code: &mut Vec<u8>, address: u64) {
    code.extend_from_slice(&[0xff, 0x35, 2, 0, 0, 0]); // push [the bytes behind the next jump]
    code.extend_from_slice(&[0xeb, 8]);
    code.extend_from_slice(&address.to_le_bytes());
}

fn encoded(instructions: &[Instruction], at: u64) -> Option<Vec<u8>> {
    let block = InstructionBlock::new(instructions, at);
    let mut done = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE).ok()?;
    Some(std::mem::take(&mut done.code_buffer))
}

/// `jmp rel32` at `from`.
pub fn jump_to(from: u64, to: u64) -> Option<[u8; JUMP_BYTES]> {
    let distance = i64::try_from(i128::from(to) - i128::from(from) - JUMP_BYTES as i128).ok()?;
    let [a, b, c, d] = i32::try_from(distance).ok()?.to_le_bytes();
    Some([0xe9, a, b, c, d])
}

#[cfg(test)]
mod tests;
