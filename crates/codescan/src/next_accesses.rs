//! Which words of some memory the code that runs next is going to touch.
//!
//! There are four watchpoints for buffers of any size, so whoever sets them wants to know beforehand. The code after a call is
//! gone through as the processor would ([`machine`]), with the registers that are known and the memory as it is: `mem[i]` is then a load of
//! what a variable on the stack points to, plus four times another one. Functions of the program are entered and left, loops go round.
//! Where a condition is not known both ways are taken, one after the other. What comes out is a guess, and a good one.

mod machine;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpKind, Register};

use machine::{Accesses, Machine, Memory};

/// Instructions that are gone through, and those of one way.
const MOST_INSTRUCTIONS: usize = 4096;
const MOST_ON_A_WAY: usize = 2048;
/// Those of one way behind a call that may have ended what is looked for.
const MOST_LATER: usize = 256;
/// So often a jump goes where its condition says, then the other way: loops end, also those that would go on for long.
const MOST_ROUNDS: u32 = 200;
/// Other ways that are kept for later.
const MOST_WAYS: usize = 16;
/// Touched words that are enough, and those of one instruction: behind a loop there may be others.
const MOST_TOUCHES: usize = 16;
const MOST_OF_ONE: u32 = 8;

/// Where the program goes on.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Return address of the call.
    pub at: u64,
    /// Registers rsp and rbp after it.
    pub stack: u64,
    /// See `stack`.
    pub frame: u64,
    /// rbx and r12 to r15, where they are known: a call leaves them as they are.
    pub saved: Option<[u64; 5]>,
}

/// What code elsewhere does that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// It returns this, or something else.
    Returns(Option<u64>),
    /// It returns 0, and what is looked for may be over by then.
    Ends,
}

/// An instruction that is going to touch the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// First address.
    pub address: u64,
    /// How much it takes at once.
    pub bytes: u64,
    /// It stores there, and perhaps loads as well.
    pub stores: bool,
    /// It loads.
    pub loads: bool,
    /// How many times the instruction has touched the memory before.
    pub round: u32,
    /// It comes behind a call that [ends](Elsewhere::Ends) what is looked for, perhaps.
    pub later: bool,
}

/// What the instructions from `start` on touch of some stretches of `memory`, in their order, each address once. `code` is the mapped
/// segment that begins at an address; `read` fills bytes from memory, where there is some; `elsewhere` says what is called at an address
/// outside of the segment.
pub fn touches_ahead(
    start: Start,
    code: (u64, &[u8]),
    memory: &[Range<u64>],
    read: impl FnMut(u64, &mut [u8]) -> bool,
    elsewhere: impl FnMut(u64) -> Elsewhere,
) -> Vec<Ahead> {
    let memory: Vec<Range<u64>> = memory.iter().filter(|m| !m.is_empty()).cloned().collect();
    if memory.is_empty() {
        return Vec::new();
    }
    let mut walk = Walk {
        code,
        factory: InstructionInfoFactory::new(),
        decoder: Decoder::with_ip(64, code.1, code.0, DecoderOptions::NONE),
        memory,
        base: Memory::new(read),
        elsewhere,
        found: Vec::new(),
        guessed: Vec::new(),
        rounds: HashMap::new(),
        touches: HashMap::new(),
        forks: HashSet::new(),
        ways: vec![Way { machine: Machine::new(&start), at: start.at, calls: Vec::new(), is_later: false }],
    };
    walk.go();
    let mut all = walk.found;
    // What was known of no way comes behind what was.
    for guess in walk.guessed {
        if !all.iter().any(|a| a.address == guess.address) {
            all.push(guess);
        }
    }
    all
}

/// Where to go on.
#[derive(Clone)]
struct Way {
    machine: Machine,
    at: u64,
    /// Where the return addresses of its calls are.
    calls: Vec<Option<u64>>,
    is_later: bool,
}

/// What comes after an instruction.
enum Next {
    At(u64),
    Nothing,
}

struct Walk<'a, R, E> {
    code: (u64, &'a [u8]),
    decoder: Decoder<'a>,
    factory: InstructionInfoFactory,
    memory: Vec<Range<u64>>,
    base: Memory<R>,
    elsewhere: E,
    found: Vec<Ahead>,
    /// Offsets from a pointer that is not known, which may be one to the memory.
    guessed: Vec<Ahead>,
    /// How often a jump was decided by its known condition.
    rounds: HashMap<u64, u32>,
    /// How often an instruction has touched the memory.
    touches: HashMap<u64, u32>,
    /// Jumps both ways of which were taken.
    forks: HashSet<u64>,
    ways: Vec<Way>,
}

impl<R: FnMut(u64, &mut [u8]) -> bool, E: FnMut(u64) -> Elsewhere> Walk<'_, R, E> {
    fn go(&mut self) {
        let mut left = MOST_INSTRUCTIONS;
        let mut instruction = Instruction::default();
        while let Some(mut way) = self.ways.pop() {
            let mut later = 0;
            for _ in 0..MOST_ON_A_WAY.min(left) {
                left -= 1;
                later += usize::from(way.is_later);
                if later > MOST_LATER {
                    break;
                }
                let position = way.at.checked_sub(self.code.0).and_then(|at| usize::try_from(at).ok());
                if position.is_none_or(|at| at >= self.code.1.len() || self.decoder.set_position(at).is_err()) {
                    break;
                }
                self.decoder.set_ip(way.at);
                self.decoder.decode_out(&mut instruction);
                if instruction.is_invalid() {
                    break;
                }
                self.note_accesses(&instruction, &way);
                if self.found.len() >= MOST_TOUCHES {
                    return;
                }
                match self.step(&instruction, &mut way) {
                    Next::At(at) => way.at = at,
                    Next::Nothing => break,
                }
            }
        }
    }

    fn is_code(&self, at: u64) -> bool {
        at.checked_sub(self.code.0).is_some_and(|at| at < self.code.1.len() as u64)
    }

    /// Notes what an instruction touches.
    fn note_accesses(&mut self, instruction: &Instruction, way: &Way) {
        let size = instruction.memory_size().size() as u64;
        let inside = |memory: &[Range<u64>], bytes: &Range<u64>| {
            let part = memory.iter().find(|m| m.start < bytes.end && bytes.start < m.end)?;
            Some(bytes.start.max(part.start))
        };
        let round = self.touches.get(&instruction.ip()).copied().unwrap_or(0);
        let ahead =
            |address, (loads, stores)| Ahead { address, bytes: size, stores, loads, round, later: way.is_later };
        if round >= MOST_OF_ONE {
            return;
        }
        if instruction.is_string_instruction() {
            for Accesses { bytes, loads, stores } in way.machine.string(instruction) {
                if let Some(address) = inside(&self.memory, &bytes) {
                    self.touches.insert(instruction.ip(), round + 1);
                    add(&mut self.found, ahead(address, (loads, stores)));
                }
            }
            return;
        }
        if !machine::has_memory(instruction) {
            return;
        }
        if let Some(bytes) = way.machine.operand(instruction) {
            if let Some(address) = inside(&self.memory, &bytes)
                && let Some(does) = machine::does(instruction, &mut self.factory)
            {
                self.touches.insert(instruction.ip(), round + 1);
                add(&mut self.found, ahead(address, does));
            }
            return;
        }
        let base = instruction.memory_base();
        if base.is_gpr64()
            && way.machine.register(base).is_none()
            && instruction.memory_index() == Register::None
            && self.guessed.len() < MOST_TOUCHES
        {
            let address = self.memory[0].start.wrapping_add(instruction.memory_displacement64());
            if self.memory[0].contains(&address)
                && let Some(does) = machine::does(instruction, &mut self.factory)
            {
                add(&mut self.guessed, ahead(address, does));
            }
        }
    }

    /// Executes it.
    fn step(&mut self, instruction: &Instruction, way: &mut Way) -> Next {
        let next = instruction.next_ip();
        match instruction.flow_control() {
            FlowControl::Next => {
                way.machine.execute(instruction, &mut self.base, &mut self.factory);
                Next::At(next)
            }
            FlowControl::UnconditionalBranch => Next::At(instruction.near_branch_target()),
            FlowControl::ConditionalBranch => self.choose(instruction, way),
            FlowControl::Call | FlowControl::IndirectCall => {
                let to = self.target(instruction, way);
                way.machine.push(Some(next));
                way.calls.push(way.machine.register(Register::RSP));
                match to {
                    Some(to) if self.is_code(to) => Next::At(to),
                    to => self.leave(to, way),
                }
            }
            FlowControl::IndirectBranch => match self.target(instruction, way) {
                Some(to) if self.is_code(to) => Next::At(to),
                // A jump of the linker's tables to another object, or the last call of a function. A switch over what is not known ends
                // the way.
                Some(to) => self.leave(Some(to), way),
                None if instruction.is_ip_rel_memory_operand() => self.leave(None, way),
                None => Next::Nothing,
            },
            FlowControl::Return => {
                way.calls.pop();
                self.back(way)
            }
            _ => Next::Nothing,
        }
    }

    /// To the return address at the top of the stack.
    fn back(&mut self, way: &mut Way) -> Next {
        let to = way.machine.pop(&mut self.base).filter(|&to| self.is_code(to));
        to.map_or(Next::Nothing, Next::At)
    }

    fn target(&mut self, instruction: &Instruction, way: &Way) -> Option<u64> {
        match instruction.op0_kind() {
            OpKind::NearBranch64 => Some(instruction.near_branch_target()),
            _ => way.machine.value(instruction, 0, &mut self.base),
        }
    }

    /// Code of another object runs, and returns.
    fn leave(&mut self, to: Option<u64>, way: &mut Way) -> Next {
        let result = match to.map(|to| (self.elsewhere)(to)) {
            Some(Elsewhere::Returns(result)) => result,
            Some(Elsewhere::Ends) => {
                way.is_later = true;
                Some(0)
            }
            None => None,
        };
        // Functions that are called for the first time go by the linker, which is given more words on the stack.
        if let Some(at) = way.calls.pop() {
            way.machine.set_stack(at);
        }
        way.machine.called(result);
        self.back(way)
    }

    fn choose(&mut self, instruction: &Instruction, way: &mut Way) -> Next {
        let (at, next, to) = (instruction.ip(), instruction.next_ip(), instruction.near_branch_target());
        match way.machine.holds(instruction.condition_code()) {
            Some(holds) => {
                let rounds = self.rounds.entry(at).or_default();
                *rounds += 1;
                // The other way for once: the loop around this one is to go on as well.
                let gives_up = rounds.is_multiple_of(MOST_ROUNDS);
                Next::At(if holds != gives_up { to } else { next })
            }
            None if self.forks.insert(at) => {
                if self.ways.len() < MOST_WAYS {
                    self.ways.push(Way { at: to, ..way.clone() });
                }
                Next::At(next)
            }
            // Once more around a loop that nobody knows the end of.
            None => Next::At(to),
        }
    }
}

fn add(all: &mut Vec<Ahead>, ahead: Ahead) {
    match all.iter_mut().find(|a| a.address == ahead.address) {
        Some(known) if !ahead.later || known.later => {
            known.stores |= ahead.stores;
            known.bytes = known.bytes.min(ahead.bytes);
            known.loads |= ahead.loads;
        }
        Some(_) => {}
        None => all.push(ahead),
    }
}

#[cfg(test)]
mod tests;
