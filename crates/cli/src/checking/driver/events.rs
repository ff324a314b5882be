//! Events from the rings to the judge, and what a process is to it.

use mpiscope_judge::{Ended, Introduction};
use mpiscope_launch::clock::monotonic_ns;
use mpiscope_trace::check::event::Body;
use mpiscope_trace::check::rule;
use mpiscope_trace::layout::state;
use mpiscope_trace::reader::TickClock;

use super::super::crash_report;
use super::super::hosts::Hub;
use super::super::other_threads::Begun;
use super::super::process::Source;
use super::super::rings::State;
use super::discovery::is_of;
use super::ending::{found, left_with};
use super::{AT_ONCE, CheckDriver};

/// Events of a process that may wait until its partners are known. With more, its ring fills up, and the process waits.
const MOST_HELD: usize = 1 << 16;
/// Error of the offset between two clocks that were not compared, ns.
const ANY_ERROR: u64 = u64::MAX / 8;

impl CheckDriver {
    /// Reads the available events; returns how many.
    pub(super) fn read_events(&mut self) -> usize {
        let now = monotonic_ns();
        let mut taken = self.receive_frames();
        let mut has_all = self.hub.as_ref().is_none_or(Hub::has_heard_all);
        for index in 0..self.processes.len() {
            // Limits the memory for events that wait until the partners of a process are known.
            let waits = self.processes[index].number.and_then(|number| self.judge.held(number));
            let most = if waits.unwrap_or(0) < MOST_HELD { AT_ONCE } else { 0 };
            let read = self.processes[index].read(now, most);
            has_all &= read < most;
            taken += read;
            self.introduce(index, false);
            self.feed_events(index);
        }
        if has_all {
            self.judge.caught_up(now.min(self.looked_ns));
        }
        for (number, event) in self.variables.findings(&self.judge) {
            self.judge.feed(number, &event);
        }
        taken
    }

    /// Gives a process its number when its rank is known, or will not become known.
    pub(super) fn introduce(&mut self, index: usize, at_last: bool) {
        let process = &mut self.processes[index];
        let Some(now) = process.state().or_else(|| at_last.then(State::default)) else { return };
        let known = now.rank >= 0 && now.state >= state::INITIALISED;
        if process.number.is_some() || !(known || at_last) {
            return;
        }
        // It has the clock of its host.
        let known_clock = match (&process.source, &self.hub) {
            (Source::Here(_), _) => Some((0, 0)).filter(|_| is_of(&process.name, &self.host)),
            (Source::There(far), Some(hub)) => hub.clock(far.speaker),
            _ => None,
        };
        if known_clock.is_none() && !at_last {
            return;
        }
        let (ahead, error) = known_clock.unwrap_or((0, ANY_ERROR));
        self.judge.clocks_differ(2 * error);
        let clock = TickClock::fit(now.clock, &now.points);
        let place = match known {
            true => self.worlds.place(now.rank.max(0) as u32, now.size.max(0) as u32, &process.definitions),
            false => self.worlds.unknown(),
        };
        let number = place.number;
        let who = Introduction {
            world: place.world,
            rank: place.rank as i32,
            size: place.size,
            is_spawned: place.is_spawned,
            ticks_per_s: (1e9 / clock.ns_per_tick) as u64,
            zero_ticks: now.points[0].0,
            zero_ns: (i128::from(now.points[0].1) - ahead).clamp(0, u64::MAX.into()) as u64,
            multiple: now.thread_level == 3,
        };
        process.number = Some(number);
        process.clock = Some(clock);
        self.judge.introduce(number, who);
        self.by_number.insert(number, index);
    }

    pub(super) fn feed_events(&mut self, index: usize) {
        let process = &mut self.processes[index];
        let Some(number) = process.number else { return };
        for definition in process.definitions.drain(..) {
            self.judge.define(number, &definition);
        }
        for event in &process.waiting {
            if let Body::Passed { .. } = &event.body {
                self.variables.request(number, event, &process.sites);
                continue;
            }
            if let Body::Begin { threads } = &event.body {
                (process.has_begun, process.has_ended) = (true, false);
                let is_session = u32::from(event.head.function) == mpiscope_abi::id::Session_init;
                process.session = is_session.then_some(event.head.site);
                let at_ns = process.clock.map_or(0, |clock| clock.ns(event.head.at));
                process.begun = Begun { at_ns, threads: threads.clone() };
            }
            process.has_ended |= event.body == Body::End;
            process.last_site = if event.head.site != 0 { event.head.site } else { process.last_site };
            self.judge.feed(number, event);
        }
        process.waiting.clear();
        for (thread, polls, at) in process.polls() {
            self.judge.poll_state(number, thread, polls, at);
        }
        let lost = process.events_lost();
        if lost > process.lost {
            process.lost = lost;
            self.judge.lost();
        }
    }

    /// Processes that have ended, according to their exit records.
    pub(super) fn note_ended_processes(&mut self) {
        for index in 0..self.processes.len() {
            let process = &self.processes[index];
            let Some(number) = process.number.filter(|_| !process.end_reported) else { continue };
            let Some(record) = crash_report::exit_record(&self.run, &process.name) else { continue };
            let (code, signal) = (record.exit_code, record.signal);
            // Its earlier events come first.
            self.read_events();
            if !self.processes[index].is_read() {
                continue;
            }
            let ended = match (code, signal) {
                (Some(code), _) => Ended::Exit(code),
                (_, Some(signal)) => Ended::Signal(signal),
                _ => Ended::Lost,
            };
            let process = &mut self.processes[index];
            process.end_reported = true;
            let aborted = process.state().is_some_and(|now| now.state == state::ABORTED);
            if process.has_begun && !process.has_ended && code == Some(0) && !aborted && self.stopping.is_none() {
                let (rule, function, site, text) = match process.session {
                    Some(site) => (rule::SESSION_LEAK, mpiscope_abi::id::Session_init as u16, site, String::new()),
                    None => (rule::NO_FINALIZE, 0, process.last_site, left_with(0)),
                };
                self.judge.feed(number, &found(rule, function, site, 0, &text));
            }
            self.judge.process_ended(number, ended);
        }
    }
}
