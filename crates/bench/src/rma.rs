//! `rma`: one-sided operations by each synchronisation and kind of window, one and many under one synchronisation.
//!
//! Every rank accesses the memory of the next one, in a ring. An operation is a synchronisation with 1 or 32 transfers to different places:
//! what a transfer costs, and what the synchronisation does, follow from the two.
//!
//! Source: Gropp and Lusk, *Programming in MPI for Performance*; Gropp and Thakur, *Revealing the Performance of MPI RMA Implementations* (2007).

use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::{Group, Memory, Mpi, MpiError, Rma};

use crate::error::BenchError;
use crate::experiment::{Experiment, MESSAGE_SIZE, Numbers, Rows, Table};
use crate::intervals::of_medians;
use crate::journal::Measured;
use crate::one_sided;
use crate::ratio::Ratio;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;

pub const EXPERIMENT: Experiment = Experiment {
    id: "rma",
    what: "every rank accesses the memory of the next one: put, get, accumulate, fetch_and_op, compare_and_swap, by fence, PSCW, lock, and flush under lock_all, in windows of four kinds, with 1 and 32 transfers under one synchronisation",
    measures: "time of the synchronisation with its transfers, by size: of the slowest, the median and the fastest rank",
    parameters: "time of each further transfer; time with memory of MPI_Win_create and with attached memory, divided by that with MPI_Win_allocate",
    source: "Gropp and Lusk, Programming in MPI for Performance; Gropp and Thakur, Revealing the Performance of MPI RMA (2007)",
    fewest_ranks: 2,
    weight: 3,
    is_standard: false,
    run,
    parameters_of: parameters,
    axis: |_| MESSAGE_SIZE,
    table: Table {
        numbers: Numbers::Times,
        rows: Rows::Series(&["operation", "sync", "window", "number"]),
        shown: |_, _| true,
    },
};

/// Sizes of put, get and accumulate.
const SIZES: [usize; 3] = [8, 1 << 10, 32 << 10];
/// The size of the others.
const WORD: usize = 8;
/// An MPI in which `MPI_Compare_and_swap` in memory of `MPI_Win_allocate` on the same host ends in a segmentation fault: seen with 4.1.4.
const BROKEN_SWAP: &str = "Open MPI v4.";
/// Transfers under one synchronisation.
const NUMBERS: [usize; 2] = [1, 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Put,
    Get,
    Accumulate,
    FetchAndAdd,
    CompareAndSwap,
}

const OPERATIONS: [Operation; 5] =
    [Operation::Put, Operation::Get, Operation::Accumulate, Operation::FetchAndAdd, Operation::CompareAndSwap];

impl Operation {
    /// Stable name.
    fn name(self) -> &'static str {
        match self {
            Operation::Put => "put",
            Operation::Get => "get",
            Operation::Accumulate => "accumulate",
            Operation::FetchAndAdd => "fetch-add",
            Operation::CompareAndSwap => "swap",
        }
    }

    fn function(self) -> &'static str {
        match self {
            Operation::Put => "MPI_Put",
            Operation::Get => "MPI_Get",
            Operation::Accumulate => "MPI_Accumulate",
            Operation::FetchAndAdd => "MPI_Fetch_and_op",
            Operation::CompareAndSwap => "MPI_Compare_and_swap",
        }
    }

    fn is_for(self, bytes: usize) -> bool {
        bytes == WORD || !matches!(self, Operation::FetchAndAdd | Operation::CompareAndSwap)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    Fence,
    /// Post, start, complete, wait.
    Pscw,
    Lock,
    /// `MPI_Win_flush`; the whole sample is under `MPI_Win_lock_all`.
    Flush,
}

const SYNCS: [Sync; 4] = [Sync::Fence, Sync::Pscw, Sync::Lock, Sync::Flush];

impl Sync {
    fn name(self) -> &'static str {
        match self {
            Sync::Fence => "fence",
            Sync::Pscw => "pscw",
            Sync::Lock => "lock",
            Sync::Flush => "flush",
        }
    }
}

const WINDOWS: [Memory; 4] = [Memory::Create, Memory::Allocate, Memory::Shared, Memory::Dynamic];
/// Those that a program can replace by [`Memory::Allocate`].
const REPLACEABLE: [Memory; 2] = [Memory::Create, Memory::Dynamic];

fn name_of(window: Memory) -> &'static str {
    match window {
        Memory::Create => "create",
        Memory::Allocate => "allocate",
        Memory::Shared => "shared",
        Memory::Dynamic => "dynamic",
    }
}

/// The function that makes it.
fn function_of(window: Memory) -> &'static str {
    match window {
        Memory::Create => "MPI_Win_create",
        Memory::Allocate => "MPI_Win_allocate",
        Memory::Shared => "MPI_Win_allocate_shared",
        Memory::Dynamic => "MPI_Win_create_dynamic",
    }
}

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    operation: Operation,
    sync: Sync,
    window: Memory,
    /// Its index among those of the job.
    at: usize,
    number: usize,
    bytes: usize,
}

fn series(operation: Operation, sync: Sync, window: Memory, number: usize) -> String {
    format!("{}/{}/{}/{number}", operation.name(), sync.name(), name_of(window))
}

impl Case {
    fn series(self) -> String {
        series(self.operation, self.sync, self.window, self.number)
    }

    fn room(self) -> usize {
        self.bytes * self.number
    }
}

fn cases(most: usize, kinds: &[Memory]) -> Vec<Case> {
    let mut found = Vec::new();
    for operation in OPERATIONS {
        let windows = |sync: Sync| kinds.iter().enumerate().map(move |(at, &window)| (sync, at, window));
        for (sync, at, window) in SYNCS.into_iter().flat_map(windows) {
            for (number, bytes) in NUMBERS.into_iter().flat_map(|number| SIZES.map(|bytes| (number, bytes))) {
                // The smallest size is always there.
                if operation.is_for(bytes) && (bytes <= most || bytes == WORD) {
                    found.push(Case { operation, sync, window, at, number, bytes });
                }
            }
        }
    }
    found
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    if let Some(problem) = one_sided::problem(session)? {
        if session.rank == 0 {
            session.problem(format!("{problem}: the experiment was left out"));
        }
        return Ok(());
    }
    let mut kinds = WINDOWS.to_vec();
    if session.places.iter().any(|place| place.host != session.places[0].host) {
        kinds.retain(|&window| window != Memory::Shared);
        if session.rank == 0 {
            let function = function_of(Memory::Shared);
            session.problem(format!("rma: ranks of several hosts share no memory: {function} was left out"));
        }
    }
    let mut cases = cases(session.plan.max_bytes, &kinds);
    if session.mpi.version()?.starts_with(BROKEN_SWAP) {
        cases.retain(|case| !(case.operation == Operation::CompareAndSwap && case.window == Memory::Allocate));
        if session.rank == 0 {
            session.problem(format!(
                "rma: MPI_Compare_and_swap in memory of MPI_Win_allocate may end a job of {BROKEN_SWAP}*: it was left out"
            ));
        }
    }
    let room = cases.iter().map(|case| case.room()).max().unwrap_or(WORD);
    let (rank, size) = (session.rank, session.size);
    let around = ((rank + 1) % size, (rank + size - 1) % size);
    let mut windows = Vec::new();
    for window in kinds {
        match session.mpi.rma(session.mpi.world(), window, room) {
            Ok(made) => {
                let groups = [made.group(&[around.1])?, made.group(&[around.0])?];
                windows.push((made, groups));
            }
            // The same on every rank.
            Err(MpiError::Lacks { name }) => {
                if rank == 0 {
                    session.problem(format!("rma: this MPI has no {name}: it was left out"));
                }
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let place = |case: &Case| Place { series: case.series(), x: case.bytes as u64, moved: 0.0 };
    let places = cases.iter().map(place).collect();
    let word = |_| vec![0u64; room.div_ceil(8)];
    let [out, into, compare] = [(); 3].map(word);
    let mut work =
        Work { mpi: session.mpi, rank, origin: around.1, target: around.0, cases, windows, out, into, compare };
    together(session, places, &mut work)?;
    for (window, groups) in work.windows {
        groups.into_iter().try_for_each(|group| window.free_group(group))?;
        window.free()?;
    }
    Ok(())
}

struct Work<'a> {
    mpi: &'a Mpi,
    rank: i32,
    origin: i32,
    target: i32,
    cases: Vec<Case>,
    /// Of each kind, with the ranks that access this one's memory, and those whose memory it accesses.
    windows: Vec<(Rma<'a>, [Group; 2])>,
    /// What is sent, where results go, and what is compared.
    out: Vec<u64>,
    into: Vec<u64>,
    compare: Vec<u64>,
}

impl Work<'_> {
    /// Starts the transfers of one operation.
    fn transfer(&mut self, case: Case) -> Result<(), MpiError> {
        let window = &self.windows[case.at].0;
        for at in (0..case.room()).step_by(case.bytes) {
            let out = self.out[at / WORD..].as_ptr().cast();
            let into = self.into[at / WORD..].as_mut_ptr().cast();
            let compare = self.compare[at / WORD..].as_ptr().cast();
            let place = (self.target, at);
            // SAFETY: all have room for the transfer, which no other one uses; nothing accesses them before the synchronisation.
            unsafe {
                match case.operation {
                    Operation::Put => window.put(out, case.bytes, place)?,
                    Operation::Get => window.get(into, case.bytes, place)?,
                    Operation::Accumulate => window.accumulate(out, case.bytes, place)?,
                    Operation::FetchAndAdd => window.fetch_and_add(out, into, place)?,
                    Operation::CompareAndSwap => window.compare_and_swap(out, compare, into, place)?,
                }
            }
        }
        Ok(())
    }

    fn operations(&mut self, case: Case, count: u64) -> Result<Duration, MpiError> {
        let at = case.at;
        match case.sync {
            Sync::Fence => self.windows[at].0.fence(false)?,
            Sync::Flush => self.windows[at].0.lock_all()?,
            _ => {}
        }
        let begun = Instant::now();
        for _ in 0..count {
            match case.sync {
                Sync::Fence => {
                    self.transfer(case)?;
                    self.windows[at].0.fence(false)?;
                }
                Sync::Pscw => {
                    let (window, [exposed_to, accessed]) = &self.windows[at];
                    window.post_start(exposed_to, accessed)?;
                    self.transfer(case)?;
                    self.windows[at].0.complete_wait()?;
                }
                Sync::Lock => {
                    self.windows[at].0.lock(self.target)?;
                    self.transfer(case)?;
                    self.windows[at].0.unlock(self.target)?;
                }
                Sync::Flush => {
                    self.transfer(case)?;
                    self.windows[at].0.flush(self.target)?;
                }
            }
        }
        let time = begun.elapsed();
        match case.sync {
            Sync::Fence => self.windows[at].0.fence(true)?,
            Sync::Flush => self.windows[at].0.unlock_all()?,
            _ => {}
        }
        Ok(time)
    }
}

/// What is in a rank's memory before, and what a rank sends.
fn before(rank: i32, word: usize) -> u64 {
    (rank as u64 + 1) * 1_000_003 + word as u64
}

fn sent(rank: i32, word: usize) -> u64 {
    (rank as u64 + 1) * 7_000_001 + 3 * word as u64
}

/// What is in a rank's memory after an operation of `origin`, and what the rank has as its result of that with `target`.
fn after(operation: Operation, [rank, origin, target]: [i32; 3], word: usize) -> (u64, Option<u64>) {
    let result = Some(before(target, word));
    match operation {
        Operation::Put => (sent(origin, word), None),
        Operation::Get => (before(rank, word), result),
        Operation::Accumulate => (before(rank, word) + sent(origin, word), None),
        Operation::FetchAndAdd => (before(rank, word) + sent(origin, word), result),
        Operation::CompareAndSwap => (sent(origin, word), result),
    }
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let case = self.cases[at];
        let (words, window) = (case.room() / WORD, case.at);
        for word in 0..words {
            (self.out[word], self.into[word]) = (sent(self.rank, word), 0);
            self.compare[word] = before(self.target, word);
        }
        let memory: Vec<[u8; WORD]> = (0..words).map(|word| before(self.rank, word).to_ne_bytes()).collect();
        self.windows[window].0.store(memory.as_flattened(), 0)?;
        self.mpi.barrier()?;
        self.operations(case, 1)?;
        // Others may still access this rank's memory under a lock.
        self.mpi.barrier()?;
        let mut memory = vec![[0; WORD]; words];
        self.windows[window].0.load(memory.as_flattened_mut(), 0)?;
        let ranks = [self.rank, self.origin, self.target];
        let is_wrong = |&word: &usize| {
            let (held, result) = after(case.operation, ranks, word);
            u64::from_ne_bytes(memory[word]) != held || result.is_some_and(|result| self.into[word] != result)
        };
        let wrong = (0..words).find(is_wrong);
        // Not before all have loaded their memory, the next operation changes it.
        self.mpi.barrier()?;
        match wrong {
            None => Ok(()),
            Some(at) => Err(BenchError::WrongElement { series: case.series(), bytes: case.bytes, rank: self.rank, at }),
        }
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        Ok(Some(self.operations(self.cases[at], operations)?))
    }
}

fn parameters(measured: &Measured) -> Vec<Parameter> {
    let mut found = Vec::new();
    for (operation, sync) in OPERATIONS.into_iter().flat_map(|operation| SYNCS.map(|sync| (operation, sync))) {
        for (window, bytes) in WINDOWS.into_iter().flat_map(|window| SIZES.map(|bytes| (window, bytes as u64))) {
            let [few, many] = NUMBERS;
            let at = |number: usize| measured.times_at(Scope::All, &series(operation, sync, window, number), bytes);
            let (Some(one), Some(all)) = (at(few), at(many)) else { continue };
            let (value, interval) = of_medians(&[one, all], 6, |of| (of[1] - of[0]) / (many - few) as f64);
            found.push(Parameter {
                experiment: EXPERIMENT.id.to_owned(),
                id: format!("{}_{}_{}", operation.name(), sync.name(), name_of(window)),
                from_bytes: Some(bytes),
                to_bytes: Some(bytes),
                text: format!(
                    "what each further {} adds to one under the same synchronisation ({}, {})",
                    operation.function(),
                    sync.name(),
                    function_of(window)
                ),
                ..measured.parameter(Scope::All, "ns", value, interval)
            });
        }
        for window in REPLACEABLE {
            let (made, allocated) = (function_of(window), function_of(Memory::Allocate));
            let ratio = Ratio {
                experiment: EXPERIMENT.id,
                id: format!("{}_{}_{}_to_allocate", operation.name(), sync.name(), name_of(window)),
                of: &series(operation, sync, window, NUMBERS[0]),
                by: &series(operation, sync, Memory::Allocate, NUMBERS[0]),
                text: format!(
                    "time of {} with {}, memory of {made}, divided by that with {allocated}",
                    operation.function(),
                    sync.name()
                ),
            };
            found.extend(ratio.guidelines(measured, |bytes| {
                let size = mpiscope_units::bytes(bytes);
                format!("{allocated} instead of {made} for {} with {} at {size}", operation.function(), sync.name())
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_made_in_every_way() {
        let all = cases(8 << 20, &WINDOWS);
        assert_eq!(all.len(), 3 * 4 * 4 * 2 * 3 + 2 * 4 * 4 * 2);
        assert!(cases(1, &WINDOWS).iter().all(|case| case.bytes == WORD));
        let series: std::collections::BTreeSet<String> = all.iter().map(|case| case.series()).collect();
        assert_eq!(series.len(), 5 * 4 * 4 * 2);
        let some = [Memory::Create, Memory::Dynamic];
        assert!(cases(8, &some).iter().all(|case| some[case.at] == case.window));
    }

    #[test]
    fn what_an_operation_leaves_is_known() {
        let ranks = [1, 0, 2];
        assert_eq!(after(Operation::Put, ranks, 5), (sent(0, 5), None));
        assert_eq!(after(Operation::FetchAndAdd, ranks, 5), (before(1, 5) + sent(0, 5), Some(before(2, 5))));
        assert_ne!(after(Operation::Get, ranks, 5), after(Operation::Get, ranks, 6));
    }

    #[test]
    fn a_further_transfer_is_the_difference() {
        let mut measured = Measured::default();
        for (number, ns) in [(1, 1000.0), (32, 4100.0)] {
            for (window, factor) in [(Memory::Create, 2.0), (Memory::Allocate, 1.0), (Memory::Dynamic, 3.0)] {
                let key = (Scope::All, series(Operation::Put, Sync::Lock, window, number), 8);
                measured.times.insert(key, vec![ns * factor; 9]);
            }
        }
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(
            values,
            [
                ("put_lock_create", 200.0),
                ("put_lock_allocate", 100.0),
                ("put_lock_dynamic", 300.0),
                ("put_lock_create_to_allocate", 2.0),
                ("put_lock_dynamic_to_allocate", 3.0)
            ]
        );
        assert_eq!(
            found[3].advice.as_deref(),
            Some("MPI_Win_allocate instead of MPI_Win_create for MPI_Put with lock at 8 B: 2.0 times as fast")
        );
    }
}
