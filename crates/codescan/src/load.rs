//! How much an instruction loads or stores.

use std::collections::HashMap;

use iced_x86::{Code, Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, UsedMemory};

/// So far before an instruction decoding begins. From wherever one begins, a few instructions later it has fallen into
/// step with the program.
const BEFORE: u64 = 96;
/// Longest instruction.
const LONGEST: u64 = 15;

/// The most bytes that the instruction around the byte before `at` loads at once, or stores; `None` when it does nothing of the kind, or
/// which one it is is not clear. `bytes` is the section of code that begins at `address`.
pub fn touched(address: u64, bytes: &[u8], at: u64, stores: bool) -> Option<usize> {
    let within = at.checked_sub(1)?;
    let mut votes: HashMap<u64, usize> = HashMap::new();
    for before in LONGEST..=BEFORE {
        let Some(from) = within.checked_sub(before).filter(|&from| from >= address) else { break };
        if let Some(start) = instruction_around(address, bytes, from, within) {
            *votes.entry(start).or_default() += 1;
        }
    }
    // The section begins just before it.
    if votes.is_empty() {
        votes.insert(instruction_around(address, bytes, address, within)?, 1);
    }
    let all: usize = votes.values().sum();
    let (start, most) = votes.into_iter().max_by_key(|&(start, votes)| (votes, start))?;
    if most * 4 < all * 3 {
        return None;
    }
    let code = bytes.get(usize::try_from(start - address).ok()?..)?;
    let instruction = Decoder::with_ip(64, code, start, DecoderOptions::NONE).decode();
    let mut factory = InstructionInfoFactory::new();
    let does = |access| match access {
        OpAccess::Read | OpAccess::CondRead => !stores,
        OpAccess::Write | OpAccess::CondWrite => stores,
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => true,
        _ => false,
    };
    let used = factory.info(&instruction).used_memory().iter().filter(|memory| does(memory.access()));
    // A repeated one goes on as far as was asked for, number by number.
    let element = instruction.memory_size().size();
    let size = |memory: &UsedMemory| if instruction.has_rep_prefix() { element } else { memory.memory_size().size() };
    used.map(size).max().filter(|&size| size > 0)
}

/// Where the instruction begins that has a byte, when decoding begins at `from`.
fn instruction_around(address: u64, bytes: &[u8], from: u64, within: u64) -> Option<u64> {
    let code = bytes.get(usize::try_from(from - address).ok()?..)?;
    let mut decoder = Decoder::with_ip(64, code, from, DecoderOptions::NONE);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.next_ip() > within {
            return (instruction.code() != Code::INVALID).then_some(instruction.ip());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions, one after the other; where each ends, and what is expected of it.
    fn code(parts: &[(&[u8], Option<usize>)]) -> (Vec<u8>, Vec<(usize, Option<usize>)>) {
        let mut bytes = Vec::new();
        let ends = parts.iter().map(|(part, loads)| {
            bytes.extend_from_slice(part);
            (bytes.len(), *loads)
        });
        let ends = ends.collect();
        (bytes, ends)
    }

    #[test]
    fn what_instructions_load() {
        let parts: &[(&[u8], Option<usize>)] = &[
            (&[0x55], None),                             // push rbp
            (&[0x48, 0x89, 0xe5], None),                 // mov rbp,rsp
            (&[0x8b, 0x45, 0xfc], Some(4)),              // mov eax,[rbp-4]
            (&[0x0f, 0xb6, 0x00], Some(1)),              // movzx eax,byte [rax]
            (&[0x48, 0x8b, 0x44, 0x24, 0x08], Some(8)),  // mov rax,[rsp+8]
            (&[0x66, 0x0f, 0x6f, 0x06], Some(16)),       // movdqa xmm0,[rsi]
            (&[0xf2, 0x0f, 0x10, 0x07], Some(8)),        // movsd xmm0,[rdi]
            (&[0xc5, 0xfc, 0x10, 0x04, 0x07], Some(32)), // vmovups ymm0,[rdi+rax]
            (&[0x83, 0x45, 0xfc, 0x01], Some(4)),        // add dword [rbp-4],1
            (&[0x89, 0x45, 0xf8], None),                 // mov [rbp-8],eax
            (&[0x0f, 0x10, 0x00], Some(16)),             // movups xmm0,[rax]
            (&[0x89, 0xc8], None),                       // mov eax,ecx
        ];
        // Once at the beginning of a section, and after some others.
        let (bytes, ends) = code(&parts.repeat(5));
        for (end, loads) in ends {
            assert_eq!(touched(0x1000, &bytes, 0x1000 + end as u64, false), loads, "at {end}");
            // A byte of it that is not the last one.
            if let Some(&(before, _)) = code(&parts.repeat(5)).1.iter().rev().find(|&&(e, _)| e < end) {
                assert_eq!(touched(0x1000, &bytes, 0x1000 + before as u64 + 1, false), loads, "in {end}");
            }
        }
        assert_eq!(touched(0x1000, &bytes, 0x900, false), None);
        assert_eq!(touched(0x1000, &bytes, 0x9000, false), None);
    }

    #[test]
    fn what_instructions_store() {
        let (nops, at) = ([0x90; 40], 0x1000);
        let stores = |code: &[u8]| touched(at, &[&nops, code].concat(), at + (nops.len() + code.len()) as u64, true);
        assert_eq!(stores(&[0x89, 0x45, 0xf8]), Some(4)); // mov [rbp-8],eax
        assert_eq!(stores(&[0x83, 0x45, 0xfc, 0x01]), Some(4)); // add dword [rbp-4],1
        assert_eq!(stores(&[0x0f, 0x11, 0x00]), Some(16)); // movups [rax],xmm0
        assert_eq!(stores(&[0x62, 0xf1, 0x7f, 0x29, 0x7f, 0x00]), Some(32)); // vmovdqu8 [rax]{k1},ymm0
        assert_eq!(stores(&[0xf3, 0xaa]), Some(1)); // rep stosb
        assert_eq!(stores(&[0x8b, 0x45, 0xfc]), None); // mov eax,[rbp-4]
    }
}
