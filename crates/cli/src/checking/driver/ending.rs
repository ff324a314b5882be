//! What remains when the program has ended.

use mpiscope_judge::Stranger;
use mpiscope_trace::check::event::{Body, Event, Head, flag};
use mpiscope_trace::check::rule;
use mpiscope_trace::defs::Definition;

use super::super::abort_message;
use super::super::crash_report::{self, At};
use super::CheckDriver;
use super::outside::Outside;

/// Site number of the call in which a process died; no process uses this number.
const DEATH: u32 = u32::MAX;

impl CheckDriver {
    /// Reports a process that died inside a call, or exited without MPI_Finalize or MPI_Abort, if no finding explains it.
    pub(super) fn report_death(&mut self, code: i32, stderr: &str) {
        if self.reported.iter().any(|f| f.finding.is_wrong()) {
            return;
        }
        let first = crash_report::first(&self.run, &self.processes);
        let Some(death) = first.or_else(|| crash_report::given_up(&self.run, &self.processes, code)) else { return };
        let process = &mut self.processes[death.index];
        let Some(number) = process.number else { return };
        let (function, caller) = match death.at {
            At::Call(function, caller) => (function, caller),
            At::Exit(code) => {
                return self
                    .judge
                    .feed(number, &found(rule::NO_FINALIZE, 0, process.last_site, code, &left_with(code)));
            }
        };
        let site = process.sites.at(caller).unwrap_or(DEATH);
        if site == DEATH {
            process.sites.define(&Definition::Site { id: DEATH, frames: vec![caller] });
        }
        let printed = abort_message::why(stderr, mpiscope_abi::name(function));
        let how = printed.map_or(death.how.clone(), |why| format!("{} (the MPI library printed “{why}”)", death.how));
        self.judge.feed(number, &found(rule::DIED, function as u16, site, 0, &how));
    }

    /// Notes once what is not checked because the partners of a process are unknown.
    pub(super) fn note_strangers(&mut self) {
        for Stranger { process, function, others } in self.judge.strangers() {
            let who = self.worlds.position_of(process).map_or_else(String::new, |place| place.name());
            self.note(match (function, others) {
                (0, _) => format!(
                    "{who} was spawned by an unknown call of MPI_Comm_spawn: communication with its parents is not checked"
                ),
                (_, n) => format!(
                    "{who} connected to {n} unknown {} by {}: communication between them is not checked",
                    if n == 1 { "process" } else { "processes" },
                    mpiscope_abi::name(function),
                ),
            });
        }
    }

    /// Checks what remains at the end, and other orders of messages.
    pub(super) fn finish_judge(&mut self) {
        let CheckDriver { judge, processes, by_number, loops, python_loops, alikes, sleepers, .. } = self;
        judge.report_at_end_with(&mut Outside { processes, by_number, loops, python_loops, alikes, sleepers });
        if self.judge.has_unplayed() && self.wishes.only.wants_some(&["race."]) {
            self.note(
                "the program has too many wildcard receives to try all other orders of messages (race.deadlock, \
                 race.truncated, race.datatype)"
                    .to_owned(),
            );
        }
    }

    /// Waits for pending lookups in debug information.
    pub(super) fn compare_last_variables(&mut self) {
        let mut found = Vec::new();
        if !self.variables.last_findings(&self.judge, &mut found) {
            self.note("debug information took too long to read: some buffers were not compared with it".to_owned());
        }
        for (number, event) in found {
            self.judge.feed(number, &event);
        }
    }

    /// Called after all processes have ended, with the launcher's exit code and the end of its stderr.
    pub fn judge_rest(&mut self, code: i32, stderr: &str) {
        self.find_processes();
        self.receive_frames();
        self.read_moved_files();
        while self.read_events() > 0 {}
        for index in 0..self.processes.len() {
            self.introduce(index, true);
            self.feed_events(index);
        }
        while self.judge.is_holding() {
            self.judge.settle_all();
            while self.read_events() > 0 {}
        }
        self.compare_last_variables();
        self.note_ended_processes();
        // Operations that are incomplete because the checker ended the program are not errors.
        if self.stopping.is_none() {
            self.judge.standstill(self.began.elapsed().as_nanos() as u64);
            self.finish_judge();
            self.note_strangers();
            self.report_findings();
            self.report_death(code, stderr);
        }
        self.report_findings();
        let counts = self.judge.counts().to_vec();
        for reported in &mut self.reported {
            reported.finding.count = counts.get(reported.number as usize).copied().unwrap_or(reported.finding.count);
        }
    }
}

/// How a process ended that did not call `MPI_Finalize`.
pub(super) fn left_with(code: i32) -> String {
    format!("exit code {code}; the last MPI call is shown")
}

/// A finding in the form in which a process would have reported it.
pub(super) fn found(rule: u16, function: u16, site: u32, value: i32, text: &str) -> Event {
    let head = Head { function, site, flags: flag::CUT, ..Head::default() };
    Event {
        head,
        body: Body::Finding {
            rule,
            argument: 255,
            withheld: false,
            origin: 0,
            values: [value.into(), 0, 0],
            text: text.into(),
        },
    }
}
