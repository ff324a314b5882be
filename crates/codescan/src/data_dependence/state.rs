//! What registers, flags and memory hold at a place of a function.

use std::collections::BTreeMap;

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory};

use super::{ARGUMENTS, ReportedCall};
use crate::poll_loop::{FLAGS, clobbered_registers, is_zero};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// What it would be whatever was received.
    Plain,
    /// The same: an address of the frame, counted from the stack at the function's entry.
    Frame(i64),
    /// The same: a number in the code, such as an address of static memory.
    Number(u64),
    /// Anything.
    Tainted,
}

impl Value {
    fn joined(self, other: Value) -> Value {
        match (self, other) {
            _ if self == other => self,
            (Value::Tainted, _) | (_, Value::Tainted) => Value::Tainted,
            _ => Value::Plain,
        }
    }
}

/// Bytes of memory: where, how many.
type Span = (i64, u64);

fn overlap(one: Span, other: Span) -> bool {
    one.0 < other.0.saturating_add_unsigned(other.1) && other.0 < one.0.saturating_add_unsigned(one.1)
}

#[derive(Clone, PartialEq)]
pub(super) struct State {
    /// What is not in it is plain.
    registers: BTreeMap<Register, Value>,
    frame: BTreeMap<Span, Value>,
    /// Tainted static memory.
    statics: Vec<Span>,
}

/// Where an operand in memory is.
enum OperandLocation {
    Frame(i64),
    Static(i64),
    Unknown,
}

impl State {
    pub fn entry() -> State {
        State {
            registers: BTreeMap::from([(Register::RSP, Value::Frame(0))]),
            frame: BTreeMap::new(),
            statics: Vec::new(),
        }
    }

    pub fn register(&self, register: Register) -> Value {
        self.registers.get(&register.full_register()).copied().unwrap_or(Value::Plain)
    }

    pub fn flags(&self) -> Value {
        self.register(FLAGS)
    }

    fn set(&mut self, register: Register, value: Value) {
        self.registers.insert(register.full_register(), value);
    }

    /// An argument on the stack, before the call.
    pub fn argument(&self, number: usize) -> Value {
        match self.register(Register::RSP) {
            Value::Frame(at) => self.load_frame((at + 8 * number as i64, 8)),
            _ => Value::Plain,
        }
    }

    /// Memory that a value points to is another one from now on.
    pub fn taint(&mut self, pointer: Value, bytes: u64) -> Option<()> {
        match pointer {
            _ if bytes == 0 => {}
            Value::Frame(at) => {
                self.frame.retain(|&span, _| !overlap(span, (at, bytes)));
                self.frame.insert((at, bytes), Value::Tainted);
            }
            Value::Number(at) => self.taint_static((at as i64, bytes)),
            _ => return None,
        }
        Some(())
    }

    fn taint_static(&mut self, span: Span) {
        if !self.statics.contains(&span) {
            self.statics.push(span);
            self.statics.sort_unstable();
        }
    }

    /// After a call: what it may have left in registers.
    pub fn called(&mut self) {
        for register in clobbered_registers() {
            self.set(register, Value::Tainted);
        }
        // Whether it succeeded.
        self.set(Register::RAX, Value::Plain);
    }

    /// A function that is not known may have changed variables whose addresses it knows.
    pub fn forget_pointers(&mut self) {
        self.frame.values_mut().filter(|value| **value != Value::Tainted).for_each(|value| *value = Value::Plain);
        for register in clobbered_registers() {
            self.set(register, Value::Plain);
        }
    }

    /// Whether what a call is asked for is what it would be anyway.
    pub fn has_plain_arguments(&self, of: ReportedCall) -> bool {
        ARGUMENTS.iter().take(of.arguments).enumerate().all(|(number, &register)| {
            let value = self.register(register);
            let is_data = of.has_buffer && number == 0;
            let content = || match value {
                Value::Frame(at) => self.load_frame((at, 4)) != Value::Tainted,
                Value::Number(at) => !self.is_static_tainted((at as i64, 4)),
                _ => false,
            };
            value != Value::Tainted && (!of.by_reference || is_data || content())
        })
    }

    fn is_static_tainted(&self, span: Span) -> bool {
        self.statics.iter().any(|&other| overlap(span, other))
    }

    fn load_frame(&self, span: Span) -> Value {
        if let Some(&value) = self.frame.get(&span) {
            return value;
        }
        let mut over = self.frame.iter().filter(|&(&other, _)| overlap(span, other));
        if over.any(|(_, &value)| value == Value::Tainted) { Value::Tainted } else { Value::Plain }
    }

    fn store_frame(&mut self, span: Span, value: Value) {
        for (_, known) in self.frame.iter_mut().filter(|&(&other, _)| other != span && overlap(span, other)) {
            *known = if *known == Value::Tainted || value == Value::Tainted { Value::Tainted } else { Value::Plain };
        }
        self.frame.insert(span, value);
    }

    fn place_of(&self, memory: &UsedMemory) -> OperandLocation {
        let at = memory.displacement();
        if !matches!(memory.segment(), Register::DS | Register::SS | Register::ES | Register::None)
            || memory.index() != Register::None
        {
            return OperandLocation::Unknown;
        }
        match memory.base() {
            Register::None | Register::RIP => OperandLocation::Static(at as i64),
            base => match self.register(base) {
                Value::Frame(from) if base.size() == 8 => OperandLocation::Frame(from.wrapping_add(at as i64)),
                Value::Number(from) if base.size() == 8 => OperandLocation::Static(from.wrapping_add(at) as i64),
                _ => OperandLocation::Unknown,
            },
        }
    }

    /// Whether what decides where an operand is, is tainted.
    fn is_address_tainted(&self, memory: &UsedMemory) -> bool {
        [memory.base(), memory.index()]
            .into_iter()
            .any(|register| register != Register::None && self.register(register) == Value::Tainted)
    }

    fn load(&self, memory: &UsedMemory) -> Value {
        let bytes = memory.memory_size().size() as u64;
        match self.place_of(memory) {
            OperandLocation::Frame(at) if bytes > 0 => self.load_frame((at, bytes)),
            OperandLocation::Static(at) if bytes > 0 && !self.is_static_tainted((at, bytes)) => Value::Plain,
            _ => Value::Tainted,
        }
    }

    /// None for what is not understood.
    fn store(&mut self, memory: &UsedMemory, value: Value) -> Option<()> {
        let bytes = memory.memory_size().size() as u64;
        match self.place_of(memory) {
            OperandLocation::Frame(at) if bytes > 0 => self.store_frame((at, bytes), value),
            OperandLocation::Static(at) if bytes > 0 && value == Value::Tainted => self.taint_static((at, bytes)),
            OperandLocation::Static(_) if bytes > 0 => {}
            _ if value == Value::Tainted || self.is_address_tainted(memory) => return None,
            // It may be any variable.
            _ => self.frame.values_mut().filter(|v| **v != Value::Tainted).for_each(|v| *v = Value::Plain),
        }
        Some(())
    }

    pub fn joined(&self, other: &State) -> State {
        let both = |a: &BTreeMap<Register, Value>, b: &BTreeMap<Register, Value>| {
            let of = |map: &BTreeMap<Register, Value>, key: &Register| map.get(key).copied().unwrap_or(Value::Plain);
            a.keys().chain(b.keys()).map(|key| (*key, of(a, key).joined(of(b, key)))).collect()
        };
        let frame = self.frame.keys().chain(other.frame.keys());
        let frame = frame.map(|&span| (span, self.load_frame(span).joined(other.load_frame(span)))).collect();
        let mut statics: Vec<Span> = self.statics.iter().chain(&other.statics).copied().collect();
        statics.sort_unstable();
        statics.dedup();
        State { registers: both(&self.registers, &other.registers), frame, statics }
    }

    /// An instruction other than a call. None for one that is not understood.
    pub fn step(&mut self, instruction: &Instruction) -> Option<()> {
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(instruction);
        let known = self.written_value(instruction);
        let mut value = Value::Plain;
        let reads = |access: OpAccess| !matches!(access, OpAccess::Write | OpAccess::None | OpAccess::NoMemAccess);
        let writes = |access: OpAccess| {
            !matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess)
        };
        for used in info.used_registers() {
            let register = used.register();
            let is_part = writes(used.access()) && register.is_gpr() && register.size() < 4;
            let is_stack = register.full_register() == Register::RSP;
            if (reads(used.access()) || is_part) && !is_stack && self.register(register) == Value::Tainted {
                value = Value::Tainted;
            }
        }
        for memory in info.used_memory().iter().filter(|memory| reads(memory.access())) {
            if self.load(memory) == Value::Tainted {
                value = Value::Tainted;
            }
        }
        if instruction.rflags_read() != 0 && self.flags() == Value::Tainted {
            value = Value::Tainted;
        }
        if is_zero(instruction) {
            value = Value::Plain;
        }
        let value = known.unwrap_or(value);
        let stores: Vec<UsedMemory> = info.used_memory().iter().filter(|m| writes(m.access())).copied().collect();
        for memory in &stores {
            self.store(memory, value)?;
        }
        let moved = self.stack_after(instruction);
        let written: Vec<Register> =
            info.used_registers().iter().filter(|r| writes(r.access())).map(|r| r.register()).collect();
        for register in written {
            match register.full_register() {
                Register::RSP => self.set(Register::RSP, moved),
                Register::RIP => {}
                full => self.set(full, if register.size() >= 4 { value } else { self.narrowed(value) }),
            }
        }
        if instruction.rflags_modified() != 0 {
            let value = if value == Value::Tainted { Value::Tainted } else { Value::Plain };
            self.set(FLAGS, value);
        }
        Some(())
    }

    fn narrowed(&self, value: Value) -> Value {
        if value == Value::Tainted { value } else { Value::Plain }
    }

    /// Where the stack is after an instruction.
    fn stack_after(&self, instruction: &Instruction) -> Value {
        let stack = self.register(Register::RSP);
        let moved = |by: i64| match stack {
            Value::Frame(at) => Value::Frame(at + by),
            other => other,
        };
        match instruction.mnemonic() {
            Mnemonic::Push | Mnemonic::Pop if instruction.op0_register() != Register::RSP => {
                moved(i64::from(instruction.stack_pointer_increment()))
            }
            Mnemonic::Leave => match self.register(Register::RBP) {
                Value::Frame(at) => Value::Frame(at + 8),
                _ => Value::Plain,
            },
            _ => self.written_value(instruction).unwrap_or(Value::Plain),
        }
    }

    /// What an instruction writes, where that is an address or a number.
    fn written_value(&self, instruction: &Instruction) -> Option<Value> {
        let is_immediate = |operand: u32| {
            matches!(
                instruction.op_kind(operand),
                OpKind::Immediate8
                    | OpKind::Immediate8to32
                    | OpKind::Immediate8to64
                    | OpKind::Immediate16
                    | OpKind::Immediate32
                    | OpKind::Immediate64
                    | OpKind::Immediate32to64
            )
        };
        let offset = |value: Value, by: i64| match value {
            Value::Frame(at) => Some(Value::Frame(at.wrapping_add(by))),
            Value::Number(at) => Some(Value::Number(at.wrapping_add_signed(by))),
            _ => None,
        };
        let operands = instruction.op_count();
        match instruction.mnemonic() {
            Mnemonic::Mov if operands == 2 && is_immediate(1) => Some(Value::Number(instruction.immediate(1))),
            Mnemonic::Push if is_immediate(0) => Some(Value::Number(instruction.immediate(0))),
            Mnemonic::Push if instruction.op0_kind() == OpKind::Register => {
                Some(self.register(instruction.op0_register()))
            }
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Register && instruction.op1_register().size() == 8 => {
                Some(self.register(instruction.op1_register()))
            }
            Mnemonic::Mov | Mnemonic::Pop
                if instruction.op0_kind() == OpKind::Register && instruction.op0_register().size() == 8 =>
            {
                // Loaded again from where it was kept.
                let mut factory = InstructionInfoFactory::new();
                let info = factory.info(instruction);
                let memory = info.used_memory().iter().find(|memory| memory.access() == OpAccess::Read)?;
                Some(self.load(memory))
            }
            Mnemonic::Lea if instruction.op0_register().size() == 8 && instruction.memory_index() == Register::None => {
                let at = instruction.memory_displacement64();
                match instruction.memory_base() {
                    Register::RIP | Register::None => Some(Value::Number(at)),
                    base => offset(self.register(base), at as i64),
                }
            }
            Mnemonic::Add | Mnemonic::Sub if is_immediate(1) && instruction.op0_kind() == OpKind::Register => {
                let by = instruction.immediate(1) as i64;
                let by = if instruction.mnemonic() == Mnemonic::Sub { -by } else { by };
                offset(self.register(instruction.op0_register()), by).filter(|_| instruction.op0_register().size() == 8)
            }
            Mnemonic::Xor | Mnemonic::Sub if is_zero(instruction) => Some(Value::Number(0)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poll_loop::is_kept;

    #[test]
    fn registers_that_are_kept() {
        let mut state = State::entry();
        state.called();
        assert!(is_kept(Register::RBX) && state.register(Register::RBX) == Value::Plain);
        assert_eq!(state.register(Register::RDI), Value::Tainted);
        assert_eq!(state.register(Register::RSP), Value::Frame(0));
    }
}
