//! Frames from processes on other hosts.

use mpiscope_query::CheckLine;
use mpiscope_symbols::Frame as SiteFrame;
use mpiscope_trace::defs::Definition;

use super::super::hosts::{Frame, RemoteProcess};
use super::super::process::{Process, Source};
use super::CheckDriver;

impl CheckDriver {
    /// Takes frames of other hosts; returns the number of events, at least 1 if other news about processes arrived.
    pub(super) fn receive_frames(&mut self) -> usize {
        let Some(hub) = &mut self.hub else { return 0 };
        let mut taken = 0;
        for frame in hub.receive() {
            let of = match &frame {
                Frame::Process { process, speaker, name } => {
                    let at =
                        self.far.get(process).copied().or_else(|| self.processes.iter().position(|p| p.name == *name));
                    match at.map(|at| &mut self.processes[at].source) {
                        // It introduces itself again after its connection was lost.
                        Some(Source::There(far)) => far.speaker = *speaker,
                        Some(Source::Here(_)) => {}
                        None => {
                            self.far.insert(*process, self.processes.len());
                            let far = RemoteProcess::new(*speaker);
                            self.processes.push(Process::new(name.clone(), Source::There(far)));
                        }
                    }
                    continue;
                }
                Frame::State { process, .. }
                | Frame::Definitions { process, .. }
                | Frame::Words { process, .. }
                | Frame::Polls { process, .. }
                | Frame::Lost { process, .. }
                | Frame::Over { process }
                | Frame::Lines { process, .. }
                | Frame::Tail { process, .. } => *process,
                _ => continue,
            };
            let Some(process) = self.far.get(&of).and_then(|&at| self.processes.get_mut(at)) else { continue };
            let Source::There(far) = &mut process.source else { continue };
            taken = taken.max(1);
            match frame {
                Frame::State { state, .. } => far.state = Some(state),
                Frame::Words { thread, from, words, .. } => {
                    let before = process.waiting.len();
                    if let Some(read) = far.words(thread, from, &words, &mut process.waiting) {
                        hub.send(of, &Frame::Taken { process: of, thread, read });
                    }
                    taken += process.waiting.len() - before;
                }
                Frame::Definitions { from, bytes, .. } => {
                    let definitions = far.definitions(from, &bytes);
                    let sites = definitions.iter().filter_map(|definition| match definition {
                        Definition::Site { id, .. } => Some(*id),
                        _ => None,
                    });
                    let sites: Vec<u32> = sites.collect();
                    process.define(definitions);
                    for site in sites {
                        if !process.sites.is_here(site) {
                            process.sites.request(site);
                            hub.send(of, &Frame::Where { process: of, site });
                        }
                    }
                }
                Frame::Polls { thread, polls, at, .. } => far.polls(thread, polls, at),
                Frame::Lost { events, .. } => far.lost = far.lost.max(events),
                Frame::Over { .. } => far.is_over = true,
                Frame::Lines { site, lines, .. } => process.sites.store_stack(site, frames(lines)),
                Frame::Tail { site, stem, lines, .. } => process.sites.store_tail(site, stem, frames(lines)),
                _ => {}
            }
        }
        for note in hub.notes() {
            self.note(note);
        }
        taken
    }
}

fn frames(lines: Vec<CheckLine>) -> Vec<SiteFrame> {
    let frame = |l: CheckLine| SiteFrame { function: l.function, file: l.file, line: l.line };
    lines.into_iter().map(frame).collect()
}
