//! A processor of which some registers are known, and memory of which what was stored is kept apart.
//!
//! What integers and addresses are made with is carried out; what any other instruction writes is not known afterwards. Values of
//! vector registers are not followed: they are seldom indices.

use std::collections::HashMap;
use std::ops::Range;

use iced_x86::{
    ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedRegister,
};

use super::Start;

/// Bytes of memory that are read at once.
const BLOCK: u64 = 256;
/// A repeated instruction stores so many bytes at most that are kept track of.
const MOST_REPEATED: u64 = 4096;
const STACK: usize = 4;
const FRAME: usize = 5;

/// Memory as it is.
pub struct Memory<R> {
    read: R,
    blocks: HashMap<u64, Option<Box<[u8; BLOCK as usize]>>>,
}

impl<R: FnMut(u64, &mut [u8]) -> bool> Memory<R> {
    pub fn new(read: R) -> Memory<R> {
        Memory { read, blocks: HashMap::new() }
    }

    /// The aligned word at an address.
    fn word(&mut self, at: u64) -> Option<u64> {
        let start = at / BLOCK * BLOCK;
        let block = self.blocks.entry(start).or_insert_with(|| {
            let mut block = Box::new([0; BLOCK as usize]);
            (self.read)(start, &mut block[..]).then_some(block)
        });
        let from = (at - start) as usize;
        block.as_ref()?.get(from..from + 8)?.try_into().ok().map(u64::from_le_bytes)
    }
}

/// A word that was stored: its bytes, which of them were, and which of those are known.
#[derive(Clone, Copy, Default)]
struct Stored {
    value: u64,
    stored: u64,
    known: u64,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    zero: Option<bool>,
    sign: Option<bool>,
    carry: Option<bool>,
    overflow: Option<bool>,
}

/// Bytes that an instruction touches.
pub struct Accesses {
    pub bytes: Range<u64>,
    pub loads: bool,
    pub stores: bool,
}

#[derive(Clone)]
pub struct Machine {
    registers: [Option<u64>; 16],
    flags: Flags,
    stored: HashMap<u64, Stored>,
}

/// Ones in so many bytes.
fn mask(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

fn extended(value: u64, bytes: usize) -> u64 {
    let shift = 64 - 8 * bytes.clamp(1, 8) as u32;
    ((value << shift) as i64 >> shift) as u64
}

fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    full.is_gpr64().then(|| full.number())
}

/// Whether an instruction has an operand in memory. What a hint or an address names is not touched.
pub fn has_memory(instruction: &Instruction) -> bool {
    !matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
        && instruction.op_kinds().any(|kind| kind == OpKind::Memory)
}

/// Whether such an operand loads, and stores.
pub fn does(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Option<(bool, bool)> {
    let info = factory.info(instruction);
    let (loads, stores) = (0..instruction.op_count())
        .filter(|&operand| instruction.op_kind(operand) == OpKind::Memory)
        .map(|operand| access(info.op_access(operand)))
        .fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
    (loads || stores).then_some((loads, stores))
}

fn access(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::Read | OpAccess::CondRead => (true, false),
        OpAccess::Write | OpAccess::CondWrite => (false, true),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
        _ => (false, false),
    }
}

impl Machine {
    pub fn new(start: &Start) -> Machine {
        let mut registers = [None; 16];
        // What an MPI call returns.
        registers[0] = Some(0);
        registers[STACK] = Some(start.stack);
        registers[FRAME] = Some(start.frame);
        for (place, value) in [3, 12, 13, 14, 15].into_iter().zip(start.saved.iter().flatten()) {
            registers[place] = Some(*value);
        }
        Machine { registers, flags: Flags::default(), stored: HashMap::new() }
    }

    pub fn register(&self, register: Register) -> Option<u64> {
        let value = self.registers[number(register)?]?;
        match register.size() {
            // ah and its like.
            1 if matches!(register, Register::AH | Register::BH | Register::CH | Register::DH) => {
                Some(value >> 8 & 255)
            }
            bytes => Some(value & mask(bytes)),
        }
    }

    fn set_register(&mut self, register: Register, value: Option<u64>) {
        let Some(n) = number(register) else { return };
        let before = self.registers[n];
        self.registers[n] = match (register.size(), value) {
            (8, value) => value,
            (4, value) => value.map(|v| v & mask(4)),
            (bytes @ (1 | 2), Some(value)) => {
                let shift =
                    if matches!(register, Register::AH | Register::BH | Register::CH | Register::DH) { 8 } else { 0 };
                let mask = mask(bytes) << shift;
                before.map(|before| before & !mask | value << shift & mask)
            }
            _ => None,
        };
    }

    pub fn set_stack(&mut self, at: Option<u64>) {
        self.registers[STACK] = at;
    }

    /// The address of an instruction's operand in memory.
    fn address(&self, instruction: &Instruction) -> Option<u64> {
        if instruction.has_segment_prefix() {
            return None;
        }
        if instruction.is_ip_rel_memory_operand() {
            return Some(instruction.ip_rel_memory_address());
        }
        self.sum(
            instruction.memory_base(),
            (instruction.memory_index(), instruction.memory_index_scale()),
            instruction.memory_displacement64(),
        )
    }

    fn sum(&self, base: Register, (index, scale): (Register, u32), displacement: u64) -> Option<u64> {
        let value = |register: Register| match register {
            Register::None => Some(0),
            register => self.register(register),
        };
        let index = value(index)?.wrapping_mul(scale.into());
        Some(value(base)?.wrapping_add(index).wrapping_add(displacement))
    }

    /// The bytes of an instruction's operand in memory, where they are known.
    pub fn operand(&self, instruction: &Instruction) -> Option<Range<u64>> {
        let bytes = instruction.memory_size().size().max(1) as u64;
        self.address(instruction).map(|at| at..at.saturating_add(bytes))
    }

    /// What an instruction on strings touches, which may be a repeated one.
    pub fn string(&self, instruction: &Instruction) -> Vec<Accesses> {
        let times = if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
            self.register(Register::RCX).unwrap_or(1)
        } else {
            1
        };
        let element = instruction.memory_size().size() as u64;
        let bytes = element.saturating_mul(times);
        let at = |kind: OpKind| match kind {
            OpKind::MemorySegRSI => Some((Register::RSI, true)),
            OpKind::MemoryESRDI => Some((Register::RDI, false)),
            _ => None,
        };
        let compares =
            matches!(instruction.mnemonic(), Mnemonic::Scasb | Mnemonic::Cmpsb | Mnemonic::Scasw | Mnemonic::Cmpsw);
        let all = instruction.op_kinds().filter_map(at).filter_map(|(register, loads)| {
            let from = self.register(register)?;
            let loads = loads || compares;
            Some(Accesses { bytes: from..from.saturating_add(bytes), loads, stores: !loads })
        });
        all.filter(|a| !a.bytes.is_empty()).collect()
    }

    fn load<R: FnMut(u64, &mut [u8]) -> bool>(&self, at: u64, bytes: usize, memory: &mut Memory<R>) -> Option<u64> {
        let first = at & !7;
        let shift = (at - first) as usize;
        let mut value = 0;
        let mut have = 0;
        for (number, word_at) in [first, first.wrapping_add(8)].into_iter().enumerate() {
            if number == 1 && shift + bytes <= 8 {
                break;
            }
            let stored = self.stored.get(&word_at).copied().unwrap_or_default();
            // The bytes of this word that are wanted.
            let wanted = match number {
                0 => mask(bytes) << (8 * shift),
                _ => mask(shift + bytes - 8),
            };
            if wanted & stored.stored & !stored.known != 0 {
                return None;
            }
            let base = if wanted & !stored.stored == 0 { 0 } else { memory.word(word_at)? };
            let word = base & !stored.stored | stored.value & stored.stored;
            if number == 0 {
                value = word >> (8 * shift);
                have = 8 - shift;
            } else {
                value = value & mask(have) | word << (8 * have);
            }
        }
        Some(value & mask(bytes))
    }

    fn store(&mut self, at: u64, bytes: usize, value: Option<u64>) {
        for i in 0..bytes as u64 {
            let address = at.wrapping_add(i);
            let shift = 8 * (address & 7);
            let word = self.stored.entry(address & !7).or_default();
            let mask = 255 << shift;
            word.stored |= mask;
            match value.filter(|_| i < 8) {
                Some(value) => {
                    word.known |= mask;
                    word.value = word.value & !mask | (value >> (8 * i) & 255) << shift;
                }
                None => word.known &= !mask,
            }
        }
    }

    fn bytes_of(instruction: &Instruction, operand: u32) -> usize {
        match instruction.op_kind(operand) {
            OpKind::Register => instruction.op_register(operand).size(),
            OpKind::Memory => instruction.memory_size().size(),
            _ => 8,
        }
    }

    /// An operand's value.
    pub fn value<R: FnMut(u64, &mut [u8]) -> bool>(
        &self,
        instruction: &Instruction,
        operand: u32,
        memory: &mut Memory<R>,
    ) -> Option<u64> {
        match instruction.op_kind(operand) {
            OpKind::Register => self.register(instruction.op_register(operand)),
            OpKind::Memory => {
                let bytes = instruction.memory_size().size();
                let at = self.address(instruction)?;
                if (1..=8).contains(&bytes) { self.load(at, bytes, memory) } else { None }
            }
            OpKind::Immediate8
            | OpKind::Immediate16
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to16
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64 => Some(instruction.immediate(operand)),
            _ => None,
        }
    }

    fn set(&mut self, instruction: &Instruction, operand: u32, value: Option<u64>) {
        match instruction.op_kind(operand) {
            OpKind::Register => self.set_register(instruction.op_register(operand), value),
            OpKind::Memory => {
                if let Some(at) = self.address(instruction) {
                    self.store(at, instruction.memory_size().size(), value);
                }
            }
            _ => {}
        }
    }

    /// A call's return address, or another word.
    pub fn push(&mut self, value: Option<u64>) {
        self.registers[STACK] = self.registers[STACK].map(|at| at.wrapping_sub(8));
        if let Some(at) = self.registers[STACK] {
            self.store(at, 8, value);
        }
    }

    pub fn pop<R: FnMut(u64, &mut [u8]) -> bool>(&mut self, memory: &mut Memory<R>) -> Option<u64> {
        let at = self.registers[STACK]?;
        self.registers[STACK] = Some(at.wrapping_add(8));
        self.load(at, 8, memory)
    }

    /// Somebody else's function has returned.
    pub fn called(&mut self, result: Option<u64>) {
        // rbx, rsp, rbp and r12 to r15 are as they were.
        for n in [1, 2, 6, 7, 8, 9, 10, 11] {
            self.registers[n] = None;
        }
        self.registers[0] = result;
        self.flags = Flags::default();
    }

    /// Whether a condition holds.
    pub fn holds(&self, condition: ConditionCode) -> Option<bool> {
        let Flags { zero, sign, carry, overflow } = self.flags;
        let or = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let less = || sign.zip(overflow).map(|(s, o)| s != o);
        let not = |is: Option<bool>| is.map(|is| !is);
        match condition {
            ConditionCode::o => overflow,
            ConditionCode::no => not(overflow),
            ConditionCode::b => carry,
            ConditionCode::ae => not(carry),
            ConditionCode::e => zero,
            ConditionCode::ne => not(zero),
            ConditionCode::be => or(carry, zero),
            ConditionCode::a => not(or(carry, zero)),
            ConditionCode::s => sign,
            ConditionCode::ns => not(sign),
            ConditionCode::l => less(),
            ConditionCode::ge => not(less()),
            ConditionCode::le => or(less(), zero),
            ConditionCode::g => not(or(less(), zero)),
            _ => None,
        }
    }

    fn set_flags(&mut self, result: Option<u64>, bytes: usize, carry: Option<bool>, overflow: Option<bool>) {
        let result = result.map(|r| r & mask(bytes));
        let sign = result.map(|r| r >> (8 * bytes - 1) & 1 == 1);
        self.flags = Flags { zero: result.map(|r| r == 0), sign, carry, overflow };
    }

    /// Of `a - b` or `a + b`, flags included.
    fn difference(&mut self, a: Option<u64>, b: Option<u64>, bytes: usize, adds: bool) -> Option<u64> {
        let Some((a, b)) = a.zip(b) else {
            self.flags = Flags::default();
            return None;
        };
        let (a, b) = (a & mask(bytes), b & mask(bytes));
        let result = if adds { a.wrapping_add(b) } else { a.wrapping_sub(b) } & mask(bytes);
        let carry = if adds { result < a } else { a < b };
        let changes = if adds { (a ^ result) & (b ^ result) } else { (a ^ b) & (a ^ result) };
        self.set_flags(Some(result), bytes, Some(carry), Some(changes >> (8 * bytes - 1) & 1 == 1));
        Some(result)
    }

    /// An instruction that does not lead elsewhere.
    pub fn execute<R: FnMut(u64, &mut [u8]) -> bool>(
        &mut self,
        instruction: &Instruction,
        memory: &mut Memory<R>,
        factory: &mut InstructionInfoFactory,
    ) {
        if self.bare(instruction, memory) {
            return;
        }
        let bytes = Machine::bytes_of(instruction, 0);
        let is_plain = (1..=8).contains(&bytes) && !instruction.is_string_instruction();
        if !is_plain || !self.integer(instruction, bytes, memory) {
            self.other(instruction, factory);
        }
    }

    /// Executes an instruction without operands; `false` if it has operands.
    fn bare<R: FnMut(u64, &mut [u8]) -> bool>(&mut self, instruction: &Instruction, memory: &mut Memory<R>) -> bool {
        match instruction.mnemonic() {
            Mnemonic::Cdqe => self.registers[0] = self.registers[0].map(|v| extended(v, 4)),
            Mnemonic::Cwde => {
                let value = self.registers[0].map(|v| extended(v, 2));
                self.set_register(Register::EAX, value);
            }
            Mnemonic::Cdq => {
                let value = self.registers[0].map(|v| extended(v, 4) >> 32);
                self.set_register(Register::EDX, value);
            }
            Mnemonic::Cqo => self.registers[2] = self.registers[0].map(|v| (v as i64 >> 63) as u64),
            Mnemonic::Leave => {
                self.registers[STACK] = self.registers[FRAME];
                self.registers[FRAME] = self.pop(memory);
            }
            _ => return false,
        }
        true
    }

    /// Carries out an instruction on integers; `false` when it is another one.
    fn integer<R: FnMut(u64, &mut [u8]) -> bool>(
        &mut self,
        instruction: &Instruction,
        bytes: usize,
        memory: &mut Memory<R>,
    ) -> bool {
        // Moves of vector registers have the names of others.
        let is_vector = |operand: u32| {
            instruction.op_kind(operand) == OpKind::Register && number(instruction.op_register(operand)).is_none()
        };
        if (0..instruction.op_count()).any(is_vector) {
            return false;
        }
        let mut get = |machine: &Machine, operand| machine.value(instruction, operand, memory);
        let is_zeroed = instruction.op_count() == 2
            && instruction.op_kind(1) == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        match instruction.mnemonic() {
            Mnemonic::Mov | Mnemonic::Movzx => {
                let value = get(self, 1);
                self.set(instruction, 0, value);
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let from = Machine::bytes_of(instruction, 1);
                let value = get(self, 1).map(|v| extended(v, from));
                self.set(instruction, 0, value);
            }
            Mnemonic::Lea => {
                let value = self.address(instruction);
                self.set(instruction, 0, value);
            }
            Mnemonic::Xor | Mnemonic::Sub if is_zeroed => {
                self.set(instruction, 0, Some(0));
                self.set_flags(Some(0), bytes, Some(false), Some(false));
            }
            Mnemonic::Add | Mnemonic::Sub | Mnemonic::Cmp => {
                let (a, b) = (get(self, 0), get(self, 1));
                let result = self.difference(a, b, bytes, instruction.mnemonic() == Mnemonic::Add);
                if instruction.mnemonic() != Mnemonic::Cmp {
                    self.set(instruction, 0, result);
                }
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let carry = self.flags.carry;
                let a = get(self, 0);
                let result = self.difference(a, Some(1), bytes, instruction.mnemonic() == Mnemonic::Inc);
                self.flags.carry = carry;
                self.set(instruction, 0, result);
            }
            Mnemonic::Neg => {
                let a = get(self, 0);
                let result = self.difference(Some(0), a, bytes, false);
                self.set(instruction, 0, result);
            }
            Mnemonic::Not => {
                let value = get(self, 0).map(|v| !v);
                self.set(instruction, 0, value);
            }
            name @ (Mnemonic::And | Mnemonic::Or | Mnemonic::Xor | Mnemonic::Test) => {
                let both = get(self, 0).zip(get(self, 1));
                let value = both.map(|(a, b)| match name {
                    Mnemonic::Or => a | b,
                    Mnemonic::Xor => a ^ b,
                    _ => a & b,
                });
                self.set_flags(value, bytes, Some(false), Some(false));
                if name != Mnemonic::Test {
                    self.set(instruction, 0, value);
                }
            }
            name @ (Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar) => {
                let both = get(self, 0).zip(get(self, 1));
                let value = both.map(|(a, by)| {
                    let by = (by & if bytes == 8 { 63 } else { 31 }) as u32;
                    let a = a & mask(bytes);
                    match name {
                        Mnemonic::Shl => a << by,
                        Mnemonic::Shr => a >> by,
                        _ => (extended(a, bytes) as i64 >> by) as u64,
                    }
                });
                self.set_flags(value, bytes, None, None);
                self.set(instruction, 0, value);
            }
            Mnemonic::Imul if instruction.op_count() >= 2 => {
                let (a, b) = match instruction.op_count() {
                    2 => (get(self, 0), get(self, 1)),
                    _ => (get(self, 1), get(self, 2)),
                };
                let value = a.zip(b).map(|(a, b)| a.wrapping_mul(b));
                self.flags = Flags::default();
                self.set(instruction, 0, value);
            }
            Mnemonic::Idiv if bytes >= 4 => {
                let by = get(self, 0).map(|v| extended(v, bytes) as i64);
                // What cdq and cqo make: numbers that fit.
                let of = self.registers[0].map(|v| extended(v, bytes) as i64);
                let both = of.zip(by).and_then(|(of, by)| of.checked_div(by).zip(of.checked_rem(by)));
                let (quotient, rest) =
                    if bytes == 8 { (Register::RAX, Register::RDX) } else { (Register::EAX, Register::EDX) };
                self.set_register(quotient, both.map(|b| b.0 as u64));
                self.set_register(rest, both.map(|b| b.1 as u64));
                self.flags = Flags::default();
            }
            Mnemonic::Push => {
                let value = get(self, 0);
                self.push(value);
            }
            Mnemonic::Pop => {
                let value = self.pop(memory);
                self.set(instruction, 0, value);
            }
            _ if instruction.condition_code() != ConditionCode::None && instruction.op_count() == 1 => {
                let value = self.holds(instruction.condition_code()).map(u64::from);
                self.set(instruction, 0, value);
            }
            // A conditional move.
            _ if instruction.condition_code() != ConditionCode::None && instruction.op_count() == 2 => {
                let both = (get(self, 0), get(self, 1));
                let value = self.holds(instruction.condition_code()).and_then(|is| if is { both.1 } else { both.0 });
                self.set(instruction, 0, value);
            }
            _ => return false,
        }
        true
    }

    /// Any other: what it writes is not known.
    fn other(&mut self, instruction: &Instruction, factory: &mut InstructionInfoFactory) {
        if instruction.is_string_instruction() {
            for Accesses { bytes, .. } in self.string(instruction).into_iter().filter(|a| a.stores) {
                let length = (bytes.end - bytes.start).min(MOST_REPEATED);
                self.store(bytes.start, length as usize, None);
            }
        } else if has_memory(instruction)
            && does(instruction, factory).is_some_and(|(_, stores)| stores)
            && let Some(bytes) = self.operand(instruction)
        {
            self.store(bytes.start, (bytes.end - bytes.start) as usize, None);
        }
        let info = factory.info(instruction);
        let is_written = |used: &&UsedRegister| {
            !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess | OpAccess::None)
        };
        for used in info.used_registers().iter().filter(is_written) {
            if let Some(n) = number(used.register()) {
                self.registers[n] = None;
            }
        }
        if instruction.rflags_modified() != 0 {
            self.flags = Flags::default();
        }
    }
}
