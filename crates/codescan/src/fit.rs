//! Whether a jump fits at a place.
//!
//! The jump covers several instructions. Nobody may come to the second or a later one of them but from the one
//! before. Who could: a direct branch (all of the section are read, as compilers put rarely executed parts of
//! a function elsewhere), an indirect jump of the same function (a jump table), a return from a call, an exception's
//! landing pad (which lies behind a call or a jump), another function that begins there.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};

use crate::JUMP_BYTES;

/// Why a place cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not in the section, or not at the beginning of an instruction.
    #[error("no instruction begins there")]
    NoInstruction,
    /// Bytes that are no instruction this can copy.
    #[error("its machine code cannot be decoded or copied")]
    Undecodable,
    /// A return or a jump comes before five bytes are reached.
    #[error("the code is too short: a jump of five bytes does not fit before its end")]
    TooShort,
    /// A call that would have to be copied with something behind it.
    #[error("a call stands in its first five bytes, with other code behind it")]
    Call,
    /// A branch leads into what would be displaced.
    #[error("a branch leads into its first five bytes")]
    BranchTarget,
    /// An indirect jump may lead into what would be displaced.
    #[error("the function has an indirect jump (a jump table), which may lead into its first five bytes")]
    IndirectJump,
}

/// A section of code.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// Address of its first byte.
    pub address: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Addresses at which functions begin, sorted.
    pub starts: &'a [u64],
}

impl<'a> Text<'a> {
    /// From `address` on.
    fn from(&self, address: u64) -> Option<&'a [u8]> {
        self.bytes.get(usize::try_from(address.checked_sub(self.address)?).ok()?..)
    }

    /// The instructions of `from..to`, decoded one after another. Between functions there is padding, and
    /// assemblers put data there: at each start of a function decoding begins anew.
    fn instructions(&self, from: u64, to: u64, mut visit: impl FnMut(&Instruction)) {
        let Some(bytes) = self.from(from) else { return };
        let mut decoder = Decoder::with_ip(64, bytes, from, DecoderOptions::NONE);
        let mut next = self.starts.partition_point(|&start| start <= from);
        let mut instruction = Instruction::default();
        while decoder.can_decode() && decoder.ip() < to {
            decoder.decode_out(&mut instruction);
            while self.starts.get(next).is_some_and(|&start| start <= instruction.ip()) {
                next += 1;
            }
            if let Some(&start) = self.starts.get(next)
                && start < decoder.ip()
            {
                if decoder.set_position((start - from) as usize).is_err() {
                    return;
                }
                decoder.set_ip(start);
                continue;
            }
            if !instruction.is_invalid() {
                visit(&instruction);
            }
        }
    }
}

/// Where the direct branches of a section lead, sorted.
pub struct Targets(Vec<u64>);

impl Targets {
    /// Reads all of it: tens of megabytes a second.
    pub fn from_text(text: &Text<'_>) -> Targets {
        let mut found = Vec::new();
        text.instructions(text.address, u64::MAX, |instruction| found.extend(target(instruction)));
        found.sort_unstable();
        found.dedup();
        Targets(found)
    }

    fn any_in(&self, from: u64, to: u64) -> bool {
        let at = self.0.partition_point(|&target| target < from);
        self.0.get(at).is_some_and(|&target| target < to)
    }
}

fn target(instruction: &Instruction) -> Option<u64> {
    let near = matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
    near.then(|| instruction.near_branch_target())
}

/// How many bytes a jump at `place` displaces, whole instructions all of them. `function` is the stretch that
/// is known to be one function.
///
/// # Errors
///
/// Why no jump fits there.
pub fn displaced(text: &Text<'_>, targets: &Targets, function: (u64, u64), place: u64) -> Result<usize, Refusal> {
    let (mut begins, mut indirect) = (false, false);
    text.instructions(function.0, function.1, |instruction| {
        begins |= instruction.ip() == place;
        indirect |= instruction.flow_control() == FlowControl::IndirectBranch;
    });
    if !begins || !(function.0..function.1).contains(&place) {
        return Err(Refusal::NoInstruction);
    }
    let bytes = text.from(place).ok_or(Refusal::NoInstruction)?;
    let most = usize::try_from(function.1 - place).unwrap_or(usize::MAX).min(bytes.len());
    let mut decoder = Decoder::with_ip(64, &bytes[..most], place, DecoderOptions::NONE);
    let mut instructions: Vec<Instruction> = Vec::new();
    while decoder.position() < JUMP_BYTES {
        if !decoder.can_decode() {
            return Err(Refusal::TooShort);
        }
        // Of the one before this: what stands behind it is reached through it alone.
        match instructions.last().map(Instruction::flow_control) {
            None | Some(FlowControl::Next | FlowControl::ConditionalBranch) => {}
            Some(FlowControl::Call | FlowControl::IndirectCall) => return Err(Refusal::Call),
            Some(_) => return Err(Refusal::TooShort),
        }
        let instruction = decoder.decode();
        if instruction.is_invalid() || !can_be_copied(&instruction) {
            return Err(Refusal::Undecodable);
        }
        instructions.push(instruction);
    }
    let length = decoder.position();
    let end = place + length as u64;
    let inner = text.starts.partition_point(|&start| start <= place);
    if targets.any_in(place + 1, end) || text.starts.get(inner).is_some_and(|&start| start < end) {
        return Err(Refusal::BranchTarget);
    }
    if indirect && !(place == function.0 && is_prologue(&instructions)) && instructions.len() > 1 {
        return Err(Refusal::IndirectJump);
    }
    Ok(length)
}

/// The first place of `from..to` where a jump fits and that is always passed on the way from `from`, and how many
/// bytes it displaces. A line of source is reached whichever of its instructions is the place.
///
/// # Errors
///
/// Why no jump fits at the first place of the stretch.
pub fn nearest(
    text: &Text<'_>,
    targets: &Targets,
    function: (u64, u64),
    (from, to): (u64, u64),
) -> Result<(u64, usize), Refusal> {
    let first = displaced(text, targets, function, from);
    let Err(refusal) = first else { return first.map(|length| (from, length)) };
    let mut decoder = Decoder::with_ip(64, text.from(from).unwrap_or_default(), from, DecoderOptions::NONE);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        let next = decoder.ip();
        // Behind a call it would be too late.
        if instruction.is_invalid() || instruction.flow_control() != FlowControl::Next || next >= to.min(function.1) {
            break;
        }
        if let Ok(length) = displaced(text, targets, function, next) {
            return Ok((next, length));
        }
    }
    Err(refusal)
}

/// What the encoder and the stub can take elsewhere.
fn can_be_copied(instruction: &Instruction) -> bool {
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
            true
        }
        // Near ones: the stub pushes the address behind the original call and jumps. An operand on the stack
        // would then be eight bytes off.
        FlowControl::Call => instruction.code() == Code::Call_rel32_64,
        FlowControl::IndirectCall => {
            instruction.code() == Code::Call_rm64
                && instruction.memory_base() != Register::RSP
                && instruction.op0_register() != Register::RSP
        }
        FlowControl::IndirectBranch => instruction.code() == Code::Jmp_rm64,
        _ => false,
    }
}

/// Whether no jump table leads behind the first of these instructions at a function's entry: execution goes
/// straight on from each to one that makes the frame, and nobody makes a frame twice.
fn is_prologue(instructions: &[Instruction]) -> bool {
    let straight = instructions.iter().all(|i| i.flow_control() == FlowControl::Next);
    let saves = |i: &Instruction| {
        let register = i.op0_register();
        match i.code() {
            Code::Push_r64 => {
                use Register::{R12, R13, R14, R15, RBP, RBX};
                [RBP, RBX, R12, R13, R14, R15].contains(&register)
            }
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64 => register == Register::RBP && i.op1_register() == Register::RSP,
            Code::Sub_rm64_imm8 | Code::Sub_rm64_imm32 => register == Register::RSP,
            _ => false,
        }
    };
    straight && instructions.last().is_some_and(saves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(bytes: &[u8], place: u64) -> Result<usize, Refusal> {
        let text = Text { address: 0x1000, bytes, starts: &[0x1000] };
        displaced(&text, &Targets::from_text(&text), (0x1000, 0x1000 + bytes.len() as u64), place)
    }

    #[test]
    fn whole_instructions() {
        // push rbp; mov rbp, rsp; sub rsp, 16; leave; ret
        let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc9, 0xc3];
        assert_eq!(ask(&code, 0x1000), Ok(8));
        assert_eq!(ask(&code, 0x1001), Ok(7));
        assert_eq!(ask(&code, 0x1002), Err(Refusal::NoInstruction));
        assert_eq!(ask(&code, 0x1004), Ok(5));
        assert_eq!(ask(&code, 0x1008), Err(Refusal::TooShort));
        assert_eq!(ask(&code, 0x2000), Err(Refusal::NoInstruction));
    }

    #[test]
    fn too_short() {
        // xor eax, eax; ret; nop…
        assert_eq!(ask(&[0x31, 0xc0, 0xc3, 0x90, 0x90, 0x90], 0x1000), Err(Refusal::TooShort));
        assert_eq!(ask(&[0x31, 0xc0, 0x90], 0x1000), Err(Refusal::TooShort));
        // endbr64; ret
        assert_eq!(ask(&[0xf3, 0x0f, 0x1e, 0xfa, 0xc3], 0x1000), Ok(5));
    }

    #[test]
    fn calls() {
        // xor eax, eax; call +0; ret: the call is the last.
        assert_eq!(ask(&[0x31, 0xc0, 0xe8, 0, 0, 0, 0, 0xc3], 0x1000), Ok(7));
        // call rax; xor eax, eax; xor eax, eax
        assert_eq!(ask(&[0xff, 0xd0, 0x31, 0xc0, 0x31, 0xc0, 0xc3], 0x1000), Err(Refusal::Call));
        // xor eax, eax; call [rsp + 8]
        assert_eq!(ask(&[0x31, 0xc0, 0xff, 0x54, 0x24, 8, 0xc3], 0x1000), Err(Refusal::Undecodable));
        // int3
        assert_eq!(ask(&[0xcc, 0x90, 0x90, 0x90, 0x90, 0x90], 0x1000), Err(Refusal::Undecodable));
    }

    #[test]
    fn branches_into_it() {
        // xor eax, eax; inc eax; cmp eax, 9; jl to the inc; ret
        let code = [0x31, 0xc0, 0xff, 0xc0, 0x83, 0xf8, 9, 0x7c, 0xf9, 0xc3];
        assert_eq!(ask(&code, 0x1000), Err(Refusal::BranchTarget));
        assert_eq!(ask(&code, 0x1002), Ok(5));
        // From another function behind the first, such as its cold part.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3, 0xeb, 0xf9];
        let text = Text { address: 0x1000, bytes: &code, starts: &[0x1000, 0x1006] };
        assert_eq!(displaced(&text, &Targets::from_text(&text), (0x1000, 0x1006), 0x1000), Err(Refusal::BranchTarget));
        // Another function begins inside.
        let text = Text { address: 0x1000, bytes: &code[..6], starts: &[0x1000, 0x1001] };
        assert_eq!(displaced(&text, &Targets::from_text(&text), (0x1000, 0x1006), 0x1000), Err(Refusal::BranchTarget));
    }

    #[test]
    fn the_next_instruction_of_a_line() {
        // xor eax, eax; inc eax; cmp eax, 9; jl to the inc; ret
        let code = [0x31, 0xc0, 0xff, 0xc0, 0x83, 0xf8, 9, 0x7c, 0xf9, 0xc3];
        let text = Text { address: 0x1000, bytes: &code, starts: &[] };
        let ask = |to| nearest(&text, &Targets::from_text(&text), (0x1000, 0x100a), (0x1000, to));
        assert_eq!(ask(0x1002), Err(Refusal::BranchTarget));
        assert_eq!(ask(0x1004), Ok((0x1002, 5)));
        // A call is not stepped over: xor eax, eax; call +0; xor eax, eax; …, a branch to the call.
        let code = [0x31, 0xc0, 0xe8, 0, 0, 0, 0, 0x48, 0x31, 0xc0, 0x48, 0x31, 0xc0, 0xeb, 0xf3];
        let text = Text { address: 0x1000, bytes: &code, starts: &[] };
        assert_eq!(nearest(&text, &Targets::from_text(&text), (0x1000, 0x100f), (0x1000, 0x100f)), Ok((0x1002, 5)));
        let (targets, function) = (Targets(vec![0x1002, 0x1004]), (0x1000, 0x100f));
        assert_eq!(nearest(&text, &targets, function, (0x1000, 0x100f)), Err(Refusal::BranchTarget));
    }

    #[test]
    fn jump_tables() {
        // mov eax, edi; mov ecx, edi; xor edx, edx; jmp [rax * 8 + table]
        let code = [0x89, 0xf8, 0x89, 0xf9, 0x31, 0xd2, 0xff, 0x24, 0xc5, 0, 0x20, 0, 0];
        assert_eq!(ask(&code, 0x1000), Err(Refusal::IndirectJump));
        // The same behind push rbp; mov rbp, rsp; sub rsp, 16.
        let mut framed = vec![0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10];
        framed.extend_from_slice(&code);
        assert_eq!(ask(&framed, 0x1000), Ok(8));
        assert_eq!(ask(&framed, 0x1008), Err(Refusal::IndirectJump));
    }
}
