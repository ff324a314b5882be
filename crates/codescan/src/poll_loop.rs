//! Whether a polling loop can end before its operation is complete.
//!
//! A loop around `MPI_Test` or `MPI_Iprobe` repeats until the answer is yes. It cannot give up if nothing that decides its path
//! changes from one round to the next. This is shown for a loop of one function that calls only polls, pauses and small functions
//! that only compute ([`harmless`]), that stores only to its own frame, and whose conditions all follow from values that are the
//! same in each round: the answer, values from before the loop, constants. Counters, clocks, global variables (a signal handler
//! may set them) and anything read through a pointer are not such values: a loop that reads them may give up.
//!
//! All rounds then take the same path. A path through a call that mpiscope would have recorded is not that path. If it is known
//! where the call writes its "no" (a 0), it does not matter what the program would do after a "yes" ([`pending_path`]).
//!
//! Variables of the frame are assumed to be changed only by this thread, which holds while the process has no other thread.

mod harmless;
mod helper;
mod pending_path;

use std::collections::{BTreeMap, HashMap, HashSet};

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register,
    UsedMemory,
};

/// Most instructions that are followed; longer paths are not analysed.
const MOST: usize = 4096;

/// What a function does in such a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// It polls as well, or only pauses. The number of the argument that points to its answer, if that is 0 for "no".
    Asks(Option<u8>),
    /// Its call would have been recorded, and was not.
    Tells,
    /// Any other function.
    Anything,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// Code of the module.
    Code(u64),
    /// Address of a slot of the module (an entry of its global offset table).
    Slot(u64),
}

/// The target of a call to code that is only a jump through a slot (an entry of a procedure linkage table).
pub fn through_slot(address: u64, bytes: &[u8], at: u64) -> Option<u64> {
    let from = bytes.get(usize::try_from(at.checked_sub(address)?).ok()?..)?;
    let mut decoder = Decoder::with_ip(64, from, at, DecoderOptions::NONE);
    let mut instruction = decoder.decode();
    if instruction.code() == Code::Endbr64 {
        instruction = decoder.decode();
    }
    let jumps = instruction.flow_control() == FlowControl::IndirectBranch && instruction.is_ip_rel_memory_operand();
    jumps.then(|| instruction.ip_rel_memory_address())
}

/// Whether the loop around a call certainly repeats until the call says yes. `stack` has the return address of the call and those
/// of the calls around it, innermost first: the loop may be in a caller of a function that polls ([`helper`]). `bytes` is the
/// code section that begins at `address`. The program has completed at least two rounds.
pub fn asks_for_ever(address: u64, bytes: &[u8], stack: &[u64], calls: &mut dyn FnMut(Callee) -> Calls) -> bool {
    let mut helpers = Vec::new();
    for (depth, &at) in stack.iter().enumerate() {
        if depth > 0 {
            let Some(to) = called(address, bytes, at) else { return false };
            if !helper::polls((address, bytes), to, &mut |callee| asked(&helpers, callee, calls)) {
                return false;
            }
            helpers.push(to);
        }
        let mut calls = |callee| asked(&helpers, callee, calls);
        if Body::of(address, bytes, at, &mut calls).is_some_and(|body| body.is_steady(&mut calls)) {
            return true;
        }
    }
    false
}

/// Classifies calls; some functions of the program are known to poll.
fn asked(helpers: &[u64], callee: Callee, calls: &mut dyn FnMut(Callee) -> Calls) -> Calls {
    match callee {
        Callee::Code(to) if helpers.contains(&to) => Calls::Asks(None),
        _ => calls(callee),
    }
}

/// The instruction at an address of a code section.
pub(crate) fn instruction_at((address, bytes): (u64, &[u8]), at: u64) -> Option<Instruction> {
    let from = bytes.get(usize::try_from(at.checked_sub(address)?).ok()?..)?;
    let instruction = Decoder::with_ip(64, from, at, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// The function that the call instruction before an address calls, if the instruction contains it.
fn called(address: u64, bytes: &[u8], at: u64) -> Option<u64> {
    /// `call` with a relative address.
    const LENGTH: u64 = 5;
    let instruction = instruction_at((address, bytes), at.checked_sub(LENGTH)?)?;
    match callee(&instruction).filter(|_| instruction.next_ip() == at)? {
        Callee::Code(to) => Some(to),
        Callee::Slot(_) => None,
    }
}

/// A place of a value: a register, or bytes of the frame by the register from which they are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Room {
    Register(Register),
    Frame(Register, i64, u32),
}

impl Room {
    fn overlaps(&self, other: &Room) -> bool {
        match (self, other) {
            (Room::Frame(a, at, n), Room::Frame(b, from, m)) => {
                a == b && *at < from + i64::from(*m) && *from < at + i64::from(*n)
            }
            _ => self == other,
        }
    }
}

use pending_path::Round;

/// Places whose values may differ between rounds.
type Varying = HashSet<Room>;

/// The instructions from the return of the call to its next execution.
struct Body<'a> {
    /// The code section, and its address.
    section: (u64, &'a [u8]),
    begin: u64,
    call: u64,
    instructions: BTreeMap<u64, Instruction>,
}

pub(crate) fn successors(instruction: &Instruction) -> Option<Vec<u64>> {
    let near = matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
    Some(match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => vec![instruction.next_ip()],
        FlowControl::UnconditionalBranch if near => vec![instruction.near_branch_target()],
        FlowControl::ConditionalBranch if near => vec![instruction.near_branch_target(), instruction.next_ip()],
        FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => Vec::new(),
        _ => return None,
    })
}

pub(crate) fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

/// The target of a call, if the instruction contains it.
pub(crate) fn callee(instruction: &Instruction) -> Option<Callee> {
    match instruction.flow_control() {
        FlowControl::Call if instruction.op0_kind() == OpKind::NearBranch64 => {
            Some(Callee::Code(instruction.near_branch_target()))
        }
        FlowControl::IndirectCall if instruction.is_ip_rel_memory_operand() => {
            Some(Callee::Slot(instruction.ip_rel_memory_address()))
        }
        _ => None,
    }
}

/// Registers that a callee preserves (System V).
pub(crate) fn is_kept(register: Register) -> bool {
    use Register as R;
    matches!(register, R::RBX | R::RBP | R::RSP | R::R12 | R::R13 | R::R14 | R::R15)
}

fn room_of(memory: &UsedMemory) -> Option<Room> {
    let base = memory.base();
    let plain = memory.index() == Register::None && matches!(base, Register::RSP | Register::RBP);
    let bytes = memory.memory_size().size() as u32;
    (plain && bytes > 0 && matches!(memory.segment(), Register::SS | Register::DS)).then_some(Room::Frame(
        base,
        memory.displacement() as i64,
        bytes,
    ))
}

/// Reads and writes of an instruction; `None` for an unsupported one.
struct Uses {
    reads: Vec<Room>,
    /// It reads a value that is unknown.
    reads_unknown: bool,
    writes: Vec<Room>,
}

impl Uses {
    fn of(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> Option<Uses> {
        let (mut reads, mut writes, mut reads_unknown) = (Vec::new(), Vec::new(), false);
        let info = factory.info(instruction);
        for used in info.used_registers() {
            let (register, full) = (used.register(), used.register().full_register());
            if full == Register::RIP || register.is_segment_register() {
                continue;
            }
            let room = Room::Register(full);
            let writes_it =
                !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess);
            let is_whole = register.size() >= 4;
            // What is left of the rest of a register counts as read.
            if used.access() != OpAccess::Write && used.access() != OpAccess::NoMemAccess || (writes_it && !is_whole) {
                reads.push(room);
            }
            if writes_it {
                writes.push(room);
            }
        }
        for memory in info.used_memory() {
            let access = memory.access();
            if access == OpAccess::NoMemAccess || access == OpAccess::None {
                continue;
            }
            let room = room_of(memory);
            if access != OpAccess::Write {
                match room {
                    Some(room) => reads.push(room),
                    None => reads_unknown = true,
                }
            }
            if !matches!(access, OpAccess::Read | OpAccess::CondRead) {
                writes.push(room?);
            }
        }
        Some(Uses { reads, reads_unknown, writes })
    }
}

impl<'a> Body<'a> {
    /// `None` if the code is not a loop.
    fn of(address: u64, bytes: &'a [u8], begin: u64, calls: &mut dyn FnMut(Callee) -> Calls) -> Option<Body<'a>> {
        let mut all: HashMap<u64, (Instruction, Vec<u64>)> = HashMap::new();
        let mut ways = vec![begin];
        while let Some(at) = ways.pop() {
            if all.contains_key(&at) {
                continue;
            }
            let instruction = instruction_at((address, bytes), at)?;
            if all.len() >= MOST {
                return None;
            }
            // A way that cannot be followed may lead back as well.
            let mut next = successors(&instruction)?;
            if is_call(&instruction) && callee(&instruction).map(&mut *calls) == Some(Calls::Tells) {
                next.clear();
            }
            ways.extend(&next);
            all.insert(at, (instruction, next));
        }
        let (&call, _) = all.iter().find(|(_, (i, _))| i.next_ip() == begin && is_call(i))?;
        let mut before: HashMap<u64, Vec<u64>> = HashMap::new();
        for (&at, (_, next)) in &all {
            next.iter().for_each(|&next| before.entry(next).or_default().push(at));
        }
        let (mut instructions, mut ways) = (BTreeMap::new(), vec![call]);
        while let Some(at) = ways.pop() {
            if instructions.insert(at, all[&at].0).is_none() {
                ways.extend(before.get(&at).into_iter().flatten());
            }
        }
        Some(Body { section: (address, bytes), begin, call, instructions })
    }

    /// The path of a round: every path, unless the path after a "no" is known.
    fn round(&self, calls: &mut dyn FnMut(Callee) -> Calls) -> Round {
        let answer = match callee(&self.instructions[&self.call]).map(calls) {
            Some(Calls::Asks(answer)) => answer,
            _ => None,
        };
        let room =
            answer.and_then(|at| pending_path::answer_room(&self.instructions, self.section, self.call, at.into()));
        let all = || Round { reached: self.instructions.keys().copied().collect(), idle: HashSet::new() };
        room.map_or_else(all, |room| pending_path::round(&self.instructions, self.begin, room))
    }

    /// Whether a round calls nothing with an effect, and every condition is the same in each round.
    fn is_steady(&self, calls: &mut dyn FnMut(Callee) -> Calls) -> bool {
        let Round { reached, idle } = self.round(calls);
        let round = || self.instructions.iter().filter(|(at, _)| reached.contains(at));
        // What they return: the same in each round where they ask.
        let mut returns = HashMap::new();
        for (&at, instruction) in round().filter(|(_, i)| is_call(i)) {
            let Some(to) = callee(instruction) else { return false };
            let asks = matches!(calls(to), Calls::Asks(_));
            let is_harmless = || matches!(to, Callee::Code(to) if harmless::is_harmless(self.section, to));
            if !asks && !is_harmless() {
                return false;
            }
            returns.insert(at, asks);
        }
        if !reached.contains(&self.call) {
            return false;
        }
        let mut factory = InstructionInfoFactory::new();
        let mut uses = HashMap::new();
        // What is stored, and what where only one constant is.
        let mut stored: HashMap<Room, Option<u64>> = HashMap::new();
        for (&at, instruction) in round() {
            if is_call(instruction) {
                continue;
            }
            let Some(mut of) = Uses::of(&mut factory, instruction).filter(|_| is_plain(instruction)) else {
                return false;
            };
            // A frame that moves is not followed.
            if of.writes.contains(&Room::Register(Register::RSP)) {
                return false;
            }
            if idle.contains(&at) {
                of.writes.clear();
            }
            let constant = constant_of(instruction);
            for room in &of.writes {
                let known = stored.entry(*room).or_insert(constant);
                *known = known.filter(|_| *known == constant);
            }
            uses.insert(at, of);
        }
        let bases = |base: Register| stored.keys().any(|room| matches!(room, Room::Frame(b, ..) if *b == base));
        if bases(Register::RSP) && bases(Register::RBP) || stored.contains_key(&Room::Register(Register::RBP)) {
            return false;
        }
        // At the return of the call: what it may have destroyed, and what is another value in each round.
        let mut first: Varying =
            stored.iter().filter(|(_, constant)| constant.is_none()).map(|(room, _)| *room).collect();
        first.extend(clobbered());
        first.remove(&Room::Register(Register::RAX));
        let mut at_begin: HashMap<u64, Varying> = HashMap::from([(self.begin, first)]);
        let mut ways = vec![self.begin];
        let mut is_steady = true;
        while let Some(at) = ways.pop() {
            let instruction = &self.instructions[&at];
            let mut varying = at_begin[&at].clone();
            match uses.get(&at) {
                None => {
                    varying.extend(clobbered());
                    if returns.get(&at).is_some_and(|asks| *asks) {
                        varying.remove(&Room::Register(Register::RAX));
                    }
                }
                Some(of) => {
                    let varies = |room: &Room| varying.iter().any(|known| known.overlaps(room));
                    let flags = Room::Register(FLAGS);
                    let reads_flags = instruction.rflags_read() != 0;
                    let is_unsteady = !is_zero(instruction)
                        && (of.reads_unknown || of.reads.iter().any(varies) || (reads_flags && varies(&flags)));
                    if instruction.flow_control() == FlowControl::ConditionalBranch {
                        is_steady &= !is_unsteady;
                    }
                    let sets_flags = instruction.rflags_modified() != 0;
                    let written = of.writes.iter().copied().chain(sets_flags.then_some(flags));
                    for room in written.collect::<Vec<_>>() {
                        if is_unsteady {
                            varying.insert(room);
                        } else {
                            varying.remove(&room);
                        }
                    }
                }
            }
            if !is_steady {
                return false;
            }
            for next in successors(instruction).unwrap_or_default() {
                // The next round is as this one, and what is outside of the loop does not matter.
                if next == self.begin || !reached.contains(&next) {
                    continue;
                }
                let known = at_begin.get(&next);
                let joined: Varying = known.into_iter().flatten().chain(&varying).copied().collect();
                if known != Some(&joined) {
                    at_begin.insert(next, joined);
                    ways.push(next);
                }
            }
        }
        is_steady
    }
}

/// Represents the flags: no operand has this register.
pub(crate) const FLAGS: Register = Register::RIP;

/// What a callee may overwrite.
fn clobbered() -> impl Iterator<Item = Room> {
    clobbered_registers().map(Room::Register)
}

/// The same as registers.
pub(crate) fn clobbered_registers() -> impl Iterator<Item = Register> {
    let general = Register::values().filter(|&r| r.is_gpr64() && !is_kept(r));
    let vectors = Register::values().filter(|r| r.is_zmm() || r.is_k() || r.is_mm() || r.is_st());
    general.chain(vectors).chain([FLAGS])
}

/// Its results follow from its operands, not from a clock, a random number or the system.
fn is_plain(instruction: &Instruction) -> bool {
    use iced_x86::Mnemonic as M;
    // Jumps, SETcc and CMOVcc.
    instruction.condition_code() != iced_x86::ConditionCode::None
        || matches!(
            instruction.mnemonic(),
            M::Mov
                | M::Movzx
                | M::Movsx
                | M::Movsxd
                | M::Lea
                | M::Cdqe
                | M::Cwde
                | M::Cdq
                | M::Cqo
                | M::Cmp
                | M::Test
                | M::Bt
                | M::And
                | M::Or
                | M::Xor
                | M::Not
                | M::Neg
                | M::Add
                | M::Sub
                | M::Inc
                | M::Dec
                | M::Imul
                | M::Shl
                | M::Shr
                | M::Sar
                | M::Movaps
                | M::Movups
                | M::Movdqa
                | M::Movdqu
                | M::Movd
                | M::Movq
                | M::Pxor
                | M::Xorps
                | M::Nop
                | M::Endbr64
                | M::Jmp
                | M::Pause
        )
}

/// `xor a, a`, which does not depend on `a`.
pub(crate) fn is_zero(instruction: &Instruction) -> bool {
    let same = instruction.op_count() == 2
        && instruction.op0_kind() == OpKind::Register
        && instruction.op1_kind() == OpKind::Register
        && instruction.op0_register() == instruction.op1_register();
    use iced_x86::Mnemonic as M;
    same && matches!(instruction.mnemonic(), M::Xor | M::Sub | M::Pxor | M::Xorps)
}

/// The value that it stores, if the instruction contains it.
fn constant_of(instruction: &Instruction) -> Option<u64> {
    if is_zero(instruction) {
        return Some(0);
    }
    let is_move = instruction.mnemonic() == iced_x86::Mnemonic::Mov && instruction.op_count() == 2;
    let is_immediate = matches!(
        instruction.op1_kind(),
        OpKind::Immediate8 | OpKind::Immediate16 | OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64
    );
    (is_move && is_immediate).then(|| instruction.immediate(1))
}

#[cfg(test)]
mod tests {
    use iced_x86::code_asm::*;

    use super::*;

    const BASE: u64 = 0x1000;
    const TEST: u64 = 0x9000;
    const OTHER: u64 = 0xa000;
    const RECEIVE: u64 = 0xb000;

    fn calls(callee: Callee) -> Calls {
        match callee {
            Callee::Code(TEST) => Calls::Asks(Some(1)),
            Callee::Code(RECEIVE) => Calls::Tells,
            _ => Calls::Anything,
        }
    }

    /// A loop whose first call is the question.
    fn asks(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> bool {
        let mut assembler = CodeAssembler::new(64).unwrap();
        write(&mut assembler).unwrap();
        let bytes = assembler.assemble(BASE).unwrap();
        let mut decoder = Decoder::with_ip(64, &bytes, BASE, DecoderOptions::NONE);
        let at = decoder.iter().find(|i| i.flow_control() == FlowControl::Call).unwrap().next_ip();
        asks_for_ever(BASE, &bytes, &[at], &mut calls)
    }

    /// A loop that calls a function of its own, between the question and the look at its answer or not.
    fn asks_beside(function: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>, decides: bool) -> bool {
        asks(|a| {
            let (mut again, mut own) = (a.create_label(), a.create_label());
            a.set_label(&mut again)?;
            a.mov(rdi, rbx)?;
            a.lea(rsi, ptr(rbp - 8))?;
            a.call(TEST)?;
            a.mov(eax, dword_ptr(rbp - 8))?;
            a.test(eax, eax)?;
            let mut end = a.create_label();
            a.jne(end)?;
            a.mov(rdi, rbx)?;
            a.call(own)?;
            if decides {
                a.test(eax, eax)?;
                a.je(end)?;
            }
            a.jmp(again)?;
            a.set_label(&mut end)?;
            a.ret()?;
            a.set_label(&mut own)?;
            function(a)
        })
    }

    #[test]
    fn a_loop_around_a_function_that_asks() {
        // while (!done(&request)), and done(): the loop may also look at a counter.
        let asks = |counts: bool| {
            let mut a = CodeAssembler::new(64).unwrap();
            let (mut again, mut done, mut end) = (a.create_label(), a.create_label(), a.create_label());
            let mut write = || {
                a.set_label(&mut again)?;
                a.mov(rdi, rbx)?;
                a.call(done)?;
                a.test(eax, eax)?;
                a.jne(end)?;
                if counts {
                    a.dec(r12d)?;
                    a.je(end)?;
                }
                a.jmp(again)?;
                a.set_label(&mut end)?;
                a.ret()?;
                a.set_label(&mut done)?;
                a.sub(rsp, 24)?;
                a.lea(rsi, ptr(rsp + 12))?;
                a.call(TEST)?;
                a.mov(eax, dword_ptr(rsp + 12))?;
                a.add(rsp, 24)?;
                a.ret()
            };
            write().unwrap();
            let bytes = a.assemble(BASE).unwrap();
            let calls_of = |code: u64| {
                let mut decoder = Decoder::with_ip(64, &bytes, BASE, DecoderOptions::NONE);
                decoder
                    .iter()
                    .filter(move |i| {
                        i.flow_control() == FlowControl::Call && (i.near_branch_target() == TEST) == (code == TEST)
                    })
                    .map(|i| i.next_ip())
                    .next()
                    .unwrap()
            };
            let stack = [calls_of(TEST), calls_of(BASE)];
            assert!(!asks_for_ever(BASE, &bytes, &stack[..1], &mut calls));
            asks_for_ever(BASE, &bytes, &stack, &mut calls)
        };
        assert!(asks(false));
        assert!(!asks(true));
    }

    #[test]
    fn small_functions_beside_the_question() {
        let computes = |a: &mut CodeAssembler| {
            a.mov(rax, qword_ptr(rdi))?;
            a.ret()
        };
        assert!(asks_beside(computes, false));
        // What it returns may be another value each time.
        assert!(!asks_beside(computes, true));
        let counts = |a: &mut CodeAssembler| {
            a.inc(dword_ptr(rdi))?;
            a.ret()
        };
        assert!(!asks_beside(counts, false));
    }

    #[test]
    fn nothing_but_the_answer_ends_it() {
        // while (!flag) MPI_Test(&request, &flag, …), as -O2 has it.
        assert!(asks(|a| {
            let mut again = a.create_label();
            a.set_label(&mut again)?;
            a.lea(rsi, ptr(rsp + 12))?;
            a.mov(rdi, rbx)?;
            a.call(TEST)?;
            a.mov(eax, dword_ptr(rsp + 12))?;
            a.test(eax, eax)?;
            a.je(again)?;
            a.ret()
        }));
        // flag = 0 before it in each round, as -O0 has it, and a pause.
        assert!(asks(|a| {
            let (mut again, mut first) = (a.create_label(), a.create_label());
            a.jmp(first)?;
            a.set_label(&mut again)?;
            a.mov(edi, 100)?;
            a.call(TEST)?;
            a.mov(dword_ptr(rbp - 8), 0)?;
            a.lea(rsi, ptr(rbp - 8))?;
            a.call(TEST)?;
            a.set_label(&mut first)?;
            a.mov(eax, dword_ptr(rbp - 8))?;
            a.test(eax, eax)?;
            a.je(again)?;
            a.ret()
        }));
        // A result that is looked at: it is the same each time.
        assert!(asks(|a| {
            let (mut again, mut out) = (a.create_label(), a.create_label());
            a.set_label(&mut again)?;
            a.call(TEST)?;
            a.test(eax, eax)?;
            a.jne(out)?;
            a.cmp(dword_ptr(rsp + 12), 0)?;
            a.je(again)?;
            a.set_label(&mut out)?;
            a.ret()
        }));
    }

    #[test]
    fn what_is_done_with_the_answer_does_not_matter() {
        // for (;;) { MPI_Iprobe(…, &flag, …); if (flag) { MPI_Recv(…); count(); } }
        assert!(asks(|a| {
            let (mut again, mut receive) = (a.create_label(), a.create_label());
            a.set_label(&mut again)?;
            a.call(TEST)?;
            a.cmp(dword_ptr(rsp + 12), 0)?;
            a.jne(receive)?;
            a.jmp(again)?;
            a.set_label(&mut receive)?;
            a.call(RECEIVE)?;
            a.call(OTHER)?;
            a.jmp(again)
        }));
    }

    fn with(extra: impl FnOnce(&mut CodeAssembler, CodeLabel) -> Result<(), IcedError>) -> bool {
        asks(|a| {
            let (mut again, mut out) = (a.create_label(), a.create_label());
            a.set_label(&mut again)?;
            a.call(TEST)?;
            extra(a, out)?;
            a.cmp(dword_ptr(rsp + 12), 0)?;
            a.je(again)?;
            a.set_label(&mut out)?;
            a.ret()
        })
    }

    #[test]
    fn what_may_give_up() {
        assert!(with(|_, _| Ok(())));
        // Counters in a register and in the frame.
        assert!(!with(|a, out| {
            a.sub(ebx, 1)?;
            a.je(out)
        }));
        assert!(!with(|a, out| {
            a.add(dword_ptr(rsp + 20), 1)?;
            a.cmp(dword_ptr(rsp + 20), 1000)?;
            a.jg(out)
        }));
        assert!(!with(|a, out| {
            a.mov(eax, dword_ptr(rsp + 20))?;
            a.add(eax, 1)?;
            a.mov(dword_ptr(rsp + 20), eax)?;
            a.cmp(eax, 1000)?;
            a.jg(out)
        }));
        // A global variable, a pointer, a clock, another function.
        assert!(!with(|a, out| {
            a.cmp(dword_ptr(0x5000), 0)?;
            a.jne(out)
        }));
        assert!(!with(|a, out| {
            a.cmp(dword_ptr(rbx), 0)?;
            a.jne(out)
        }));
        assert!(!with(|a, out| {
            a.rdtsc()?;
            a.cmp(eax, ebx)?;
            a.ja(out)
        }));
        assert!(!with(|a, _| a.call(OTHER)));
        // A store somewhere.
        assert!(!with(|a, _| a.mov(dword_ptr(rbx), 1)));
        // A variable that the round before has left: a pair of rounds is not like another.
        assert!(!with(|a, out| {
            a.xor(dword_ptr(rsp + 20), 1)?;
            a.je(out)
        }));
        // A counter that nothing depends on.
        assert!(with(|a, _| a.add(ebx, 1)));
        // What was there before the loop.
        assert!(with(|a, out| {
            a.cmp(r12d, 7)?;
            a.je(out)
        }));
    }

    #[test]
    fn what_is_no_loop() {
        assert!(!asks(|a| {
            a.call(TEST)?;
            a.ret()
        }));
        assert!(!asks_for_ever(BASE, &[0x90], &[BASE], &mut calls));
        assert!(!asks_for_ever(BASE, &[], &[BASE + 9], &mut calls));
    }

    #[test]
    fn entries_of_linkage_tables() {
        let mut assembler = CodeAssembler::new(64).unwrap();
        assembler.endbr64().unwrap();
        assembler.jmp(qword_ptr(0x4018u64)).unwrap();
        let bytes = assembler.assemble(BASE).unwrap();
        // `jmp [abs]` is not relative to the instruction.
        assert_eq!(through_slot(BASE, &bytes, BASE), None);
        // endbr64; jmp [rip+0x10]
        let bytes = [0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x10, 0, 0, 0];
        assert_eq!(through_slot(BASE, &bytes, BASE), Some(BASE + 10 + 0x10));
        assert_eq!(through_slot(BASE, &[0x90], BASE), None);
    }

    /// A loop until something has been answered often enough; `counts` is what it does between looking at the answer, which
    /// stands in `eax`, and comparing the number.
    fn counts(
        flag: i32,
        prepare: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>,
        counts: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>,
    ) -> bool {
        asks(|a| {
            let mut again = a.create_label();
            a.set_label(&mut again)?;
            prepare(a)?;
            a.call(TEST)?;
            a.mov(eax, dword_ptr(rbp + flag))?;
            counts(a)?;
            a.cmp(dword_ptr(rbp - 4), 1)?;
            a.jle(again)?;
            a.ret()
        })
    }

    #[test]
    fn what_is_done_with_an_answer_does_not_matter() {
        let points = |a: &mut CodeAssembler| {
            a.lea(rax, ptr(rbp - 24))?;
            a.mov(rsi, rax)
        };
        let on = |answered: bool| {
            move |a: &mut CodeAssembler| {
                let mut over = a.create_label();
                a.test(eax, eax)?;
                if answered {
                    a.je(over)?
                } else {
                    a.jne(over)?
                }
                a.call(OTHER)?;
                a.add(dword_ptr(rbp - 4), 1)?;
                a.set_label(&mut over)?;
                a.nop()
            }
        };
        assert!(counts(-24, points, on(true)));
        // It counts how often it was not answered.
        assert!(!counts(-24, points, on(false)));
        // Another variable; one that nobody knows.
        assert!(!counts(-28, points, on(true)));
        assert!(!counts(-24, |a| a.mov(rsi, rbx), on(true)));
        // As many as were answered.
        assert!(counts(-24, points, |a| a.add(dword_ptr(rbp - 4), eax)));
        assert!(!counts(-24, points, |a| a.sub(dword_ptr(rbp - 4), ecx)));
        // Fortran's way.
        assert!(counts(-24, points, |a| {
            let mut over = a.create_label();
            a.xor(eax, 1)?;
            a.test(eax, eax)?;
            a.jne(over)?;
            a.add(dword_ptr(rbp - 4), 1)?;
            a.set_label(&mut over)?;
            a.nop()
        }));
        // As a truth value of its own.
        assert!(counts(-24, points, |a| {
            let mut over = a.create_label();
            a.cmp(eax, 1)?;
            a.sete(al)?;
            a.movzx(eax, al)?;
            a.cmp(eax, 0)?;
            a.jle(over)?;
            a.call(OTHER)?;
            a.set_label(&mut over)?;
            a.nop()
        }));
        // It writes an answer itself.
        assert!(!counts(-24, points, |a| {
            let mut over = a.create_label();
            a.mov(dword_ptr(rbp - 24), 1)?;
            a.mov(eax, dword_ptr(rbp - 24))?;
            a.test(eax, eax)?;
            a.je(over)?;
            a.add(dword_ptr(rbp - 4), 1)?;
            a.set_label(&mut over)?;
            a.nop()
        }));
        // It leaves, whatever it counts.
        assert!(!counts(-24, points, |a| {
            let mut over = a.create_label();
            a.test(eax, eax)?;
            a.jne(over)?;
            a.ret()?;
            a.set_label(&mut over)?;
            a.nop()
        }));
    }

    #[test]
    fn an_address_that_was_loaded_before_the_loop() {
        let loaded = |again_loaded: bool, is_pushed: bool| {
            let mut a = CodeAssembler::new(64).unwrap();
            let mut write = || {
                let mut again = a.create_label();
                a.lea(r12, ptr(rsp + 28))?;
                if is_pushed {
                    a.push(rax)?;
                }
                a.call(OTHER)?;
                a.set_label(&mut again)?;
                a.mov(rsi, r12)?;
                a.call(TEST)?;
                a.sub(ebx, dword_ptr(rsp + 28))?;
                if again_loaded {
                    a.lea(r12, ptr(rsp + 28))?;
                }
                a.test(ebx, ebx)?;
                a.jg(again)?;
                a.ret()
            };
            write().unwrap();
            let bytes = a.assemble(BASE).unwrap();
            let mut decoder = Decoder::with_ip(64, &bytes, BASE, DecoderOptions::NONE);
            let is_test = |i: &Instruction| callee(i) == Some(Callee::Code(TEST));
            let at = decoder.iter().find(is_test).unwrap().next_ip();
            asks_for_ever(BASE, &bytes, &[at], &mut calls)
        };
        assert!(loaded(false, false));
        assert!(!loaded(false, true), "the frame has moved");
        assert!(!loaded(true, false), "not the same in each round, as far as is seen");
    }
}
