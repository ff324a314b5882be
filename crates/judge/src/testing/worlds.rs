//! Worlds in scenarios:
//!
//! ```text
//! world 1 = 2,3 since=55             # ranks 2 and 3 of the text are ranks 0 and 1 of a world spawned then (ns)
//! inter 5 = 0,1 | 2,3 by=Comm_spawn  # what a call on the world has made; `by=Comm_accept on=3` for connect on the other
//! comm 6 = 0,1,2,3 of=5              # made from another one
//! ```

use mpiscope_trace::defs::{elsewhere, runs};

use super::*;

/// Worlds beside the first one, and what communicators come from.
#[derive(Default)]
pub(super) struct Worlds {
    /// Processes, and when they began.
    worlds: BTreeMap<u32, (Vec<i32>, u64)>,
    /// By communicator: the function that has made it, and the one that it was made from.
    made: BTreeMap<u32, (u32, u32)>,
}

impl Worlds {
    pub fn line(&mut self, number: u32, list: &str) {
        let (ranks, since) = list.split_once(" since=").expect("since=");
        let ranks = ranks.split(',').map(|rank| parsed(rank.trim())).collect();
        self.worlds.insert(number, (ranks, moment(since)));
    }

    /// Takes what a communicator comes from off its line.
    pub fn made<'a>(&mut self, comm: u32, list: &'a str) -> &'a str {
        let facts = [" by=", " of="].into_iter().find_map(|key| Some((key, list.split_once(key)?)));
        let Some((key, (list, from))) = facts else { return list };
        let (from, parent) = from.split_once(" on=").map_or((from, 1), |(from, on)| (from, parsed(on)));
        let made = if key == " by=" { (id(from).into(), parent) } else { (id("Comm_dup").into(), parsed(from)) };
        self.made.insert(comm, made);
        list
    }

    pub fn introductions(&self) -> Vec<(u32, Introduction)> {
        let mut all = Vec::new();
        for (&world, (ranks, since)) in &self.worlds {
            for (rank, &process) in ranks.iter().enumerate() {
                let who = Introduction {
                    world,
                    rank: rank as i32,
                    size: ranks.len() as u32,
                    is_spawned: true,
                    zero_ticks: *since,
                    zero_ns: *since,
                    ..PLAIN
                };
                all.push((process as u32, who));
            }
        }
        all
    }

    /// The processes of a process's world.
    pub fn members_of(&self, process: u32, size: u32) -> Vec<i32> {
        let is_in = |ranks: &Vec<i32>, process: i32| ranks.contains(&process);
        match self.worlds.values().find(|(ranks, _)| is_in(ranks, process as i32)) {
            Some((ranks, _)) => ranks.clone(),
            None => (0..size as i32).filter(|&p| !self.worlds.values().any(|(ranks, _)| is_in(ranks, p))).collect(),
        }
    }

    /// The function that has made a communicator, for one of the first group or not, and the one that it was made from.
    pub fn origin(&self, comm: u32, is_first: bool) -> (u32, u32) {
        let Some(&(function, parent)) = self.made.get(&comm) else { return (0, 0) };
        let spawn = u32::from(id("Comm_spawn"));
        match (function, is_first) {
            (function, false) if function == spawn => (id("Comm_get_parent").into(), 0),
            (function, false) if function == u32::from(id("Comm_accept")) => (id("Comm_connect").into(), parent),
            _ => (function, parent),
        }
    }

    /// A group as a process has it: ranks in its world, places in the parent's `peers` for others.
    pub fn group(&self, world: &[i32], group: &[i32], peers: Option<&[i32]>) -> Vec<mpiscope_trace::defs::Run> {
        let name = |&process: &i32| {
            let there = peers.and_then(|peers| peers.iter().position(|&p| p == process));
            let rank = world.iter().position(|&p| p == process).map(|rank| rank as i32);
            rank.or(there.map(|place| elsewhere(place as u32))).unwrap_or(-1)
        };
        runs(&group.iter().map(name).collect::<Vec<i32>>())
    }
}
