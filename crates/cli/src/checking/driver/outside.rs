//! Facts outside of the events: machine code, sources, other threads.

use std::collections::HashMap;

use mpiscope_judge::Beyond;

use super::super::data_dependence::Alikes;
use super::super::other_threads::{self, Sleepers};
use super::super::poll_loops::Loops;
use super::super::process::{Process, Source};
use super::super::python_poll_loops::{PythonLoops, catches_signals};

/// Facts outside of the events, for the judge.
pub(super) struct Outside<'a> {
    pub(super) processes: &'a [Process],
    pub(super) by_number: &'a HashMap<u32, usize>,
    pub(super) loops: &'a mut Loops,
    pub(super) python_loops: &'a mut PythonLoops,
    pub(super) alikes: &'a mut Alikes,
    pub(super) sleepers: &'a mut Sleepers,
}

impl Outside<'_> {
    fn process(&self, number: u32) -> Option<&Process> {
        self.by_number.get(&number).and_then(|&index| self.processes.get(index))
    }
}

impl Beyond for Outside<'_> {
    fn may_help(&mut self, process: u32) -> bool {
        let Some(&number) = self.by_number.get(&process) else { return true };
        let Some(Process { source: Source::Here(rank), begun, .. }) = self.processes.get(number) else { return true };
        other_threads::any(rank.state().pid, &rank.tids(), begun, self.sleepers)
    }

    fn may_give_up(&mut self, process: u32, site: u32) -> bool {
        let Some(process) = self.by_number.get(&process).and_then(|&index| self.processes.get(index)) else {
            return true;
        };
        if let Some((module, stack)) = process.sites.calls(site) {
            return self.loops.may_give_up(module, stack);
        }
        // Sources of another host may be others.
        let Source::Here(rank) = &process.source else { return true };
        let may = |(file, line)| self.python_loops.may_give_up(file, line) || catches_signals(rank.state().pid);
        process.sites.python_line(site).is_none_or(may)
    }

    fn is_asleep(&mut self, process: u32, thread: u8) -> bool {
        let Some(Process { source: Source::Here(rank), .. }) = self.process(process) else { return false };
        let (pid, tid) = (rank.state().pid, rank.tid(thread));
        tid.is_some_and(|tid| self.sleepers.is_asleep(pid, tid))
    }

    fn is_alike(&mut self, process: u32, calls: &[(u32, u64)], through: &[u32], next: u32) -> bool {
        let process = self.by_number.get(&process).and_then(|&index| self.processes.get(index));
        process.is_some_and(|process| self.alikes.is_alike(&process.sites, calls, through, next))
    }
}
