//! Calls that are jumps: what a function does last is called without a frame of its own, once compilers optimise.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl};

use crate::Callee;

/// Bytes of `call rel32`.
const CALL_BYTES: u64 = 5;

/// Where the call that returns to `at` leads, if it says so itself. `bytes` is the section of code that begins at `address`.
pub fn called(address: u64, bytes: &[u8], at: u64) -> Option<u64> {
    let from = at.checked_sub(CALL_BYTES)?;
    let code = bytes.get(usize::try_from(from.checked_sub(address)?).ok()?..)?;
    let call = Decoder::with_ip(64, code, from, DecoderOptions::NONE).decode();
    (call.code() == Code::Call_rel32_64 && call.next_ip() == at).then(|| call.near_branch_target())
}

/// The jumps by which a function is left that lies in `function`: where each leads, and the address behind it.
pub fn left_for(address: u64, bytes: &[u8], function: Range<u64>) -> Vec<(Callee, u64)> {
    let within = |at: u64| at.checked_sub(address).and_then(|at| usize::try_from(at).ok());
    let Some(code) = within(function.start).and_then(|from| bytes.get(from..within(function.end)?)) else {
        return Vec::new();
    };
    let decoder = Decoder::with_ip(64, code, function.start, DecoderOptions::NONE);
    let leads = decoder.into_iter().filter_map(|instruction| {
        let callee = match instruction.flow_control() {
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                Callee::Code(Some(instruction.near_branch_target()).filter(|to| !function.contains(to))?)
            }
            FlowControl::IndirectBranch if instruction.is_ip_rel_memory_operand() => {
                Callee::Slot(instruction.ip_rel_memory_address())
            }
            _ => return None,
        };
        Some((callee, instruction.next_ip()))
    });
    leads.collect()
}

#[cfg(test)]
mod tests {
    use iced_x86::code_asm::{CodeAssembler, rax, rdi};

    use super::*;

    const BASE: u64 = 0x1000;

    #[test]
    fn what_a_call_says() {
        let mut a = CodeAssembler::new(64).unwrap();
        a.call(0x1100).unwrap();
        a.call(rax).unwrap();
        let code = a.assemble(BASE).unwrap();
        assert_eq!(called(BASE, &code, BASE + 5), Some(0x1100));
        assert_eq!(called(BASE, &code, BASE + 7), None);
        assert_eq!((called(BASE, &code, 3), called(BASE, &code, 0x9000)), (None, None));
    }

    #[test]
    fn jumps_that_leave() {
        let mut a = CodeAssembler::new(64).unwrap();
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.test(rdi, rdi).unwrap();
        a.je(again).unwrap();
        a.je(0x2000).unwrap();
        a.call(0x3000).unwrap();
        // jmp *0x4000(%rip)
        a.db(&[0xff, 0x25, 0, 0x40, 0, 0]).unwrap();
        a.jmp(0x5000).unwrap();
        a.jmp(rax).unwrap();
        let code = a.assemble(BASE).unwrap();
        let end = BASE + code.len() as u64;
        let found = left_for(BASE, &code, BASE..end);
        let callees: Vec<Callee> = found.iter().map(|(callee, _)| *callee).collect();
        // The jump to 0x5000 has five bytes, the last one two.
        let slot = end - 2 - 5 + 0x4000;
        assert_eq!(callees, [Callee::Code(0x2000), Callee::Slot(slot), Callee::Code(0x5000)]);
        assert_eq!(found[2].1, end - 2);
        assert!(left_for(BASE, &code, end + 1..end + 9).is_empty());
        assert!(left_for(BASE, &code, BASE..end + 1).is_empty());
    }
}
