//! New findings, to the terminal and into the run.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use mpiscope_judge::{Finding, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE, Party};
use mpiscope_query::Checks;
use mpiscope_symbols::ModuleFile;
use mpiscope_trace::check::rule;

use super::super::findings::{ReportedFinding, called};
use super::super::process::Source;
use super::super::text;
use super::{CheckDriver, NAPS};
use crate::say;

/// Time that a finding waits for source lines from another host.
const PLACES: Duration = Duration::from_secs(1);

impl CheckDriver {
    /// Reads the debug information of each module once for all places of new findings.
    pub(super) fn resolve_sites(&self, findings: &[Finding]) {
        let mut modules: HashMap<ModuleFile, Vec<u64>> = HashMap::new();
        for party in findings.iter().flat_map(|finding| &finding.parties) {
            let process = self.by_number.get(&party.process).and_then(|&index| self.processes.get(index));
            for (module, address) in process.into_iter().flat_map(|p| p.sites.unknown(party.site)) {
                modules.entry(module).or_default().push(address);
            }
        }
        for (module, addresses) in modules {
            self.resolver.resolve(&module, &addresses);
        }
    }

    /// Reports new findings and writes them to the run at once, so that they remain whatever happens later.
    pub(super) fn report_findings(&mut self) {
        let findings = self.judge.findings();
        if findings.is_empty() {
            return;
        }
        if findings.iter().any(|finding| self.awaits_lines(&finding.parties)) {
            let begin = Instant::now();
            while findings.iter().any(|finding| self.awaits_lines(&finding.parties)) && begin.elapsed() < PLACES {
                if let Some(hub) = &mut self.hub {
                    hub.wait(NAPS[0]);
                }
                self.receive_frames();
            }
            // Lines that have not arrived by now will not arrive.
            self.processes.iter_mut().for_each(|process| process.sites.ask_no_more());
        }
        self.resolve_sites(&findings);
        for mut finding in findings {
            let (processes, by_number, resolver) = (&mut self.processes, &self.by_number, &self.resolver);
            // A returned error is a finding only if the program ignores it, which its machine code shows.
            if finding.id == rule::id(rule::ERROR_IGNORED).unwrap_or_default() {
                let mut sites = finding.parties.iter().take(1);
                let drops = sites.any(|party| {
                    by_number.get(&party.process).is_some_and(|&at| processes[at].sites.drops_result(party.site))
                });
                if !drops {
                    continue;
                }
            }
            let touches = |process: u32, site: u32, stores: bool| {
                by_number.get(&process).is_some_and(|&at| processes[at].sites.touches_one_number(site, stores))
            };
            if !confirm(&mut finding, touches) {
                continue;
            }
            let mut reported = ReportedFinding::new(finding, &self.worlds, |party| {
                let Some(&index) = by_number.get(&party.process) else { return (Vec::new(), None) };
                let process = &mut processes[index];
                let stack = process.sites.lines(party.site, called(party), resolver);
                let at_ns = process.clock.filter(|_| party.at != 0).map(|clock| clock.ns(party.at));
                (stack, at_ns)
            });
            let finding = &mut reported.finding;
            if !self.wishes.only.wants(&finding.id) {
                continue;
            }
            finding.suppressed = self.wishes.suppressions.know(finding);
            if !finding.suppressed {
                say::line(text::finding_text(finding, text::WIDTH).trim_end());
            }
            let wrong = finding.is_wrong();
            match self.reported.iter_mut().find(|known| known.number == reported.number) {
                // The finding was possible and is now certain.
                Some(known) => *known = reported,
                None => self.reported.push(reported),
            }
            if wrong && self.wishes.stop_on_first {
                self.stop("ending the program at the first finding (--stop-on-first)");
            }
        }
        if let Err(error) = self.checks().write(&self.run) {
            say::warning(format_args!("cannot write the findings to {}: {error}", self.run.display()));
        }
    }

    /// The findings so far.
    pub fn checks(&self) -> Checks {
        Checks {
            format: Checks::FORMAT,
            program: self.program.clone(),
            processes: self.processes(),
            events_lost: self.lost(),
            notes: self.notes.clone(),
            findings: self.reported.iter().map(|reported| reported.finding.clone()).collect(),
        }
    }

    /// Whether source lines of these calls have been requested and have not arrived.
    pub(super) fn awaits_lines(&self, parties: &[Party]) -> bool {
        self.hub.is_some()
            && parties.iter().any(|party| {
                let process = self.by_number.get(&party.process).map(|&index| &self.processes[index]);
                process.is_some_and(|p| matches!(p.source, Source::There(_)) && p.sites.is_asked(party.site))
            })
    }
}

/// Decides about an instruction that may have needed only bytes beside a buffer (a vector instruction, or the next element
/// of a structure). `false` if nothing remains of the finding.
fn confirm(finding: &mut Finding, touches_one_number: impl Fn(u32, u32, bool) -> bool) -> bool {
    let may = |party: &Party| [MAY_READ, MAY_WRITE, MAY_HAVE_WRITTEN].contains(&party.role.as_str());
    // Two processes may touch memory that they share.
    while let Some(at) = finding.parties.iter().position(may) {
        let party = &mut finding.parties[at];
        let stores = party.role != MAY_READ;
        if touches_one_number(party.process, party.site, stores) {
            party.role = if stores { "writes" } else { "reads" }.into();
            continue;
        }
        // It is certain that something was written.
        let remains = party.role == MAY_HAVE_WRITTEN;
        finding.parties.remove(at);
        if !remains {
            return false;
        }
    }
    true
}
