//! Whether the code behind a call looks at what the call has returned.
//!
//! A result is in `rax` (System V). All ways from the return address on are followed: if every one of them overwrites the
//! register before anything reads it, or makes another call, which destroys it, nobody has looked. A return may be the caller's
//! return as well, so it counts as a look.

use std::collections::HashSet;

use iced_x86::{Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, OpAccess, OpKind, Register};

/// Instructions that are followed; a longer way is not known.
const MOST: usize = 256;

/// Whether the result of the call that returns to `at` is dropped for certain. `bytes` is the section of code that begins at
/// `address`.
pub fn drops_result(address: u64, bytes: &[u8], at: u64) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let (mut ways, mut seen) = (vec![at], HashSet::new());
    while let Some(mut at) = ways.pop() {
        loop {
            if !seen.insert(at) {
                break;
            }
            let from = at.checked_sub(address).and_then(|n| usize::try_from(n).ok()).and_then(|n| bytes.get(n..));
            let Some(from) = from.filter(|b| !b.is_empty() && seen.len() <= MOST) else { return false };
            let instruction = Decoder::with_ip(64, from, at, DecoderOptions::NONE).decode();
            if instruction.is_invalid() {
                return false;
            }
            let mut is_gone = false;
            for used in factory.info(&instruction).used_registers() {
                if used.register().full_register() != Register::RAX {
                    continue;
                }
                let is_whole = matches!(used.register(), Register::RAX | Register::EAX);
                match used.access() {
                    OpAccess::Write if is_whole => is_gone = true,
                    OpAccess::Write | OpAccess::CondWrite | OpAccess::NoMemAccess | OpAccess::None => {}
                    _ => return false,
                }
            }
            if is_gone {
                break;
            }
            let near =
                matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
            match instruction.flow_control() {
                FlowControl::Next => at = instruction.next_ip(),
                FlowControl::Call | FlowControl::IndirectCall | FlowControl::Exception => break,
                FlowControl::UnconditionalBranch if near => at = instruction.near_branch_target(),
                FlowControl::ConditionalBranch if near => {
                    ways.push(instruction.near_branch_target());
                    at = instruction.next_ip();
                }
                _ => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drops(code: &[u8]) -> bool {
        drops_result(0x1000, code, 0x1000)
    }

    #[test]
    fn what_looks_and_what_does_not() {
        // xor eax,eax; ret
        assert!(drops(&[0x31, 0xc0, 0xc3]));
        // mov edi,1; call …
        assert!(drops(&[0xbf, 1, 0, 0, 0, 0xe8, 0, 0, 0, 0]));
        // mov rax,[rsp+8]; …
        assert!(drops(&[0x48, 0x8b, 0x44, 0x24, 8]));
        // ret: the caller may look
        assert!(!drops(&[0xc3]));
        // test eax,eax; je …
        assert!(!drops(&[0x85, 0xc0, 0x74, 0]));
        // mov [rbp-4],eax
        assert!(!drops(&[0x89, 0x45, 0xfc]));
        // mov edi,eax; call …
        assert!(!drops(&[0x89, 0xc7, 0xe8, 0, 0, 0, 0]));
        // movsx rax,eax reads before it writes
        assert!(!drops(&[0x48, 0x98]));
        // The end of the code.
        assert!(!drops(&[0x90]));
    }

    #[test]
    fn all_ways_count() {
        // cmp ebx,0; je +3; xor eax,eax; ret | xor eax,eax; ret
        assert!(drops(&[0x83, 0xfb, 0, 0x74, 3, 0x31, 0xc0, 0xc3, 0x31, 0xc0, 0xc3]));
        // The other way leads to test eax,eax.
        assert!(!drops(&[0x83, 0xfb, 0, 0x74, 3, 0x31, 0xc0, 0xc3, 0x85, 0xc0, 0xc3]));
        // A loop that does nothing with it: jmp to itself.
        assert!(drops(&[0xeb, 0xfe]));
    }
}
