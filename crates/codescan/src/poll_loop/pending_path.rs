//! What a round does whose answer is no: the call has written 0 where it says so, and what follows from that is known.

use std::collections::{BTreeMap, HashMap, HashSet};

use iced_x86::{
    ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};

use super::{Room, clobbered, is_call, is_zero, successors};

/// Registers of arguments (System V).
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// So far before a loop is looked for what was loaded for it, bytes.
const BEFORE: u64 = 256;

/// What follows of a round.
pub(super) struct Round {
    /// Instructions that it comes to.
    pub reached: HashSet<u64>,
    /// Those that leave what they write as it was.
    pub idle: HashSet<u64>,
}

/// Values by room, as many of their low bytes as are known; and of the flags.
#[derive(Clone, Default, PartialEq)]
struct Known {
    values: HashMap<Room, (u64, u32)>,
    flags: Option<Flags>,
}

#[derive(Clone, Copy, PartialEq)]
struct Flags {
    zero: bool,
    sign: bool,
    carry: bool,
    overflow: bool,
}

/// Where the `answer`th argument of the call of a loop points, if that is a variable of the frame. `code` is the section that
/// begins at `address`.
pub(super) fn answer_room(
    instructions: &BTreeMap<u64, Instruction>,
    (address, code): (u64, &[u8]),
    call: u64,
    answer: usize,
) -> Option<Room> {
    let mut wanted = *ARGUMENTS.get(answer)?;
    let mut after = call;
    for (_, instruction) in instructions.range(..call).rev() {
        if instruction.next_ip() != after || instruction.flow_control() != FlowControl::Next {
            break;
        }
        after = instruction.ip();
        if !writes(instruction, wanted) {
            continue;
        }
        match instruction.mnemonic() {
            Mnemonic::Mov if instruction.op0_register() == wanted && instruction.op1_kind() == OpKind::Register => {
                wanted = instruction.op1_register();
            }
            _ => return address_in_frame(instruction, wanted),
        }
    }
    // Compilers load an address that does not change before the loop.
    let stays = super::is_kept(wanted) && !instructions.values().any(|i| writes(i, wanted));
    if stays { loaded_before(*instructions.keys().next()?, (address, code), wanted) } else { None }
}

/// The variable whose address an instruction loads.
fn address_in_frame(instruction: &Instruction, into: Register) -> Option<Room> {
    let base = instruction.memory_base();
    let is_it = instruction.mnemonic() == Mnemonic::Lea
        && instruction.op0_register() == into
        && instruction.memory_index() == Register::None
        && matches!(base, Register::RSP | Register::RBP);
    is_it.then(|| Room::Frame(base, instruction.memory_displacement64() as i64, 4))
}

fn writes(instruction: &Instruction, register: Register) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let used = factory.info(instruction).used_registers();
    used.iter().any(|u| {
        let reads = matches!(u.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess);
        !reads && u.register().full_register() == register
    })
}

/// The variable whose address was loaded in front of a loop, in one place from which the code leads there straight.
fn loaded_before(begin: u64, (address, code): (u64, &[u8]), register: Register) -> Option<Room> {
    let leads_there = |from: u64| {
        let bytes = code.get(usize::try_from(from.checked_sub(address)?).ok()?..)?;
        let mut decoder = Decoder::with_ip(64, bytes, from, DecoderOptions::NONE);
        let room = address_in_frame(&decoder.decode(), register)?;
        let Room::Frame(base, ..) = room else { return None };
        while decoder.ip() < begin && decoder.can_decode() {
            let instruction = decoder.decode();
            let goes_on = matches!(
                instruction.flow_control(),
                FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall | FlowControl::ConditionalBranch
            );
            // A call leaves the stack as it was.
            let moves = !is_call(&instruction) && writes(&instruction, base);
            if !goes_on || moves || writes(&instruction, register) {
                return None;
            }
        }
        (decoder.ip() == begin).then_some(room)
    };
    let mut found = (begin.saturating_sub(BEFORE)..begin).filter_map(leads_there);
    let room = found.next()?;
    // With a prefix that has no effect it is the same one.
    found.all(|other| other == room).then_some(room)
}

/// A round from the call's return on. `answer`: where the call has written its "no".
pub(super) fn round(instructions: &BTreeMap<u64, Instruction>, begin: u64, answer: Room) -> Round {
    let mut first = Known::default();
    first.values.insert(answer, (0, 4));
    let mut at_begin: HashMap<u64, Known> = HashMap::from([(begin, first)]);
    let mut idle = HashSet::new();
    let mut ways = vec![begin];
    while let Some(at) = ways.pop() {
        let Some(instruction) = instructions.get(&at) else { continue };
        let mut known = at_begin[&at].clone();
        let decided = known.decides(instruction);
        // With less known later it may change something after all.
        if known.follow(instruction) {
            idle.insert(at);
        } else {
            idle.remove(&at);
        }
        let target = instruction.near_branch_target();
        for next in successors(instruction).unwrap_or_default() {
            let is_taken = decided.is_none_or(|taken| (next == target) == taken);
            if !is_taken || next == begin || !instructions.contains_key(&next) {
                continue;
            }
            let joined = at_begin.get(&next).map_or_else(|| known.clone(), |other| other.both(&known));
            if at_begin.get(&next) != Some(&joined) {
                at_begin.insert(next, joined);
                ways.push(next);
            }
        }
    }
    Round { reached: at_begin.into_keys().collect(), idle }
}

/// The low bytes of a number.
fn low(value: u64, bytes: u32) -> u64 {
    if bytes >= 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
}

impl Known {
    /// What is known on both ways.
    fn both(&self, other: &Known) -> Known {
        let values = self.values.iter().filter(|(room, value)| other.values.get(room) == Some(value));
        let flags = self.flags.filter(|_| self.flags == other.flags);
        Known { values: values.map(|(room, value)| (*room, *value)).collect(), flags }
    }

    fn room(instruction: &Instruction, operand: u32) -> Option<(Room, u32)> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let register = instruction.op_register(operand);
                let is_low = register.is_gpr() && !is_high_byte(register);
                is_low.then(|| (Room::Register(register.full_register()), register.size() as u32))
            }
            OpKind::Memory => {
                let (base, bytes) = (instruction.memory_base(), instruction.memory_size().size() as u32);
                let is_frame = instruction.memory_index() == Register::None
                    && matches!(base, Register::RSP | Register::RBP)
                    && (1..=8).contains(&bytes);
                is_frame.then(|| (Room::Frame(base, instruction.memory_displacement64() as i64, bytes), bytes))
            }
            _ => None,
        }
    }

    fn value(&self, instruction: &Instruction, operand: u32) -> Option<u64> {
        use OpKind as K;
        if matches!(
            instruction.op_kind(operand),
            K::Immediate8
                | K::Immediate16
                | K::Immediate32
                | K::Immediate64
                | K::Immediate8to16
                | K::Immediate8to32
                | K::Immediate8to64
                | K::Immediate32to64
        ) {
            return Some(instruction.immediate(operand));
        }
        let (room, bytes) = Self::room(instruction, operand)?;
        let known = match room {
            Room::Register(_) => self.values.get(&room),
            Room::Frame(base, at, _) => {
                let begins = |known: &&Room| matches!(known, Room::Frame(b, a, _) if (*b, *a) == (base, at));
                self.values.keys().find(begins).and_then(|room| self.values.get(room))
            }
        };
        known.filter(|(_, have)| *have >= bytes).map(|(value, _)| low(*value, bytes))
    }

    fn write(&mut self, room: Room, value: Option<(u64, u32)>) {
        // Where the two bases of a frame are to each other is not known.
        let is_apart = |known: &Room| match (known, &room) {
            (Room::Frame(a, ..), Room::Frame(b, ..)) if a != b => false,
            _ => !known.overlaps(&room),
        };
        self.values.retain(|known, _| is_apart(known));
        if let Some(value) = value {
            self.values.insert(room, value);
        }
    }

    /// Which way a condition goes; none where it is not known.
    fn decides(&self, instruction: &Instruction) -> Option<bool> {
        if instruction.flow_control() != FlowControl::ConditionalBranch {
            return None;
        }
        self.holds(instruction.condition_code())
    }

    fn holds(&self, condition: ConditionCode) -> Option<bool> {
        use ConditionCode as C;
        let Flags { zero, sign, carry, overflow } = self.flags?;
        Some(match condition {
            C::e => zero,
            C::ne => !zero,
            C::s => sign,
            C::ns => !sign,
            C::b => carry,
            C::ae => !carry,
            C::be => carry || zero,
            C::a => !(carry || zero),
            C::l => sign != overflow,
            C::ge => sign == overflow,
            C::le => zero || sign != overflow,
            C::g => !zero && sign == overflow,
            C::o => overflow,
            C::no => !overflow,
            _ => return None,
        })
    }

    /// Does what an instruction does; whether that leaves everything but flags as it was.
    fn follow(&mut self, instruction: &Instruction) -> bool {
        use Mnemonic as M;
        if is_call(instruction) {
            // It may write variables whose addresses it got.
            self.values.retain(|room, _| matches!(room, Room::Register(_)));
            for room in clobbered() {
                self.values.remove(&room);
            }
            self.flags = None;
            return false;
        }
        if instruction.op_count() == 0 || matches!(instruction.flow_control(), FlowControl::UnconditionalBranch) {
            return self.extend_or_forget(instruction);
        }
        if instruction.flow_control() == FlowControl::ConditionalBranch {
            return false;
        }
        let Some((room, bytes)) = Self::room(instruction, 0) else {
            self.forget_written(instruction);
            return false;
        };
        let (old, other) = (self.value(instruction, 0), (instruction.op_count() == 2).then_some(1));
        let other = other.and_then(|at| self.value(instruction, at)).map(|value| low(value, bytes));
        let signed = |value: u64, from: u32| ((value << (64 - 8 * from)) as i64 >> (64 - 8 * from)) as u64;
        let both = old.zip(other);
        let set = |known: &mut Known, result: Option<u64>| known.flags = result.map(|r| logic(r, bytes));
        let new = match instruction.mnemonic() {
            M::Mov | M::Movzx => other,
            M::Movsx | M::Movsxd => {
                let from = Self::room(instruction, 1).map_or(bytes, |(_, from)| from);
                other.map(|value| low(signed(value, from), bytes))
            }
            M::Cmp => {
                self.flags = both.map(|(a, b)| difference(a, b, bytes));
                return false;
            }
            M::Test => {
                set(self, both.map(|(a, b)| a & b));
                return false;
            }
            M::Add | M::Or | M::Xor | M::Sub if other == Some(0) && !is_zero(instruction) => {
                // What it was; of the flags only its owner knows.
                set(self, old);
                return true;
            }
            _ if is_zero(instruction) => {
                set(self, Some(0));
                Some(0)
            }
            M::And => {
                let result = both.map(|(a, b)| a & b).or(other.filter(|&b| b == 0)).or(old.filter(|&a| a == 0));
                set(self, result);
                result
            }
            M::Or => {
                let result = both.map(|(a, b)| a | b);
                set(self, result);
                result
            }
            M::Xor => {
                let result = both.map(|(a, b)| a ^ b);
                set(self, result);
                result
            }
            M::Sub => {
                self.flags = both.map(|(a, b)| difference(a, b, bytes));
                both.map(|(a, b)| low(a.wrapping_sub(b), bytes))
            }
            _ if instruction.op_count() == 1 && instruction.condition_code() != ConditionCode::None => {
                // SETcc.
                self.holds(instruction.condition_code()).map(u64::from)
            }
            _ => {
                self.forget_written(instruction);
                if instruction.rflags_modified() != 0 {
                    self.flags = None;
                }
                return false;
            }
        };
        // Four bytes clear the others of a register.
        let known = if bytes == 4 && matches!(room, Room::Register(_)) { 8 } else { bytes };
        self.write(room, new.map(|value| (value, known)));
        false
    }

    /// `cdqe`, and what has no operands.
    fn extend_or_forget(&mut self, instruction: &Instruction) -> bool {
        let accumulator = Room::Register(Register::RAX);
        match instruction.mnemonic() {
            Mnemonic::Nop | Mnemonic::Endbr64 | Mnemonic::Pause | Mnemonic::Jmp => {}
            Mnemonic::Cdqe => {
                let value = self.values.get(&accumulator).filter(|(_, bytes)| *bytes >= 4);
                let value = value.map(|(value, _)| (low(*value, 4) as u32 as i32 as i64 as u64, 8));
                self.write(accumulator, value);
            }
            _ => *self = Known::default(),
        }
        false
    }

    /// Whatever it writes is not known any more.
    fn forget_written(&mut self, instruction: &Instruction) {
        let mut factory = InstructionInfoFactory::new();
        match super::Uses::of(&mut factory, instruction) {
            Some(of) => of.writes.into_iter().for_each(|room| self.write(room, None)),
            None => *self = Known::default(),
        }
    }
}

fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

fn is_negative(value: u64, bytes: u32) -> bool {
    value >> (8 * bytes - 1) & 1 != 0
}

/// Flags of `and` and its like.
fn logic(result: u64, bytes: u32) -> Flags {
    Flags { zero: result == 0, sign: is_negative(result, bytes), carry: false, overflow: false }
}

/// Flags of `a - b`.
fn difference(a: u64, b: u64, bytes: u32) -> Flags {
    let result = low(a.wrapping_sub(b), bytes);
    let sign = is_negative(result, bytes);
    let overflow = is_negative(a, bytes) != is_negative(b, bytes) && sign != is_negative(a, bytes);
    Flags { zero: result == 0, sign, carry: a < b, overflow }
}
