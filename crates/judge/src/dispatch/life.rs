//! Beginning and end of MPI in a process.

use mpiscope_trace::check::event::Head;

use crate::judge::Judge;
use crate::other_matches::Act;
use crate::process::{Awaited, FreedSend};
use crate::report::Draft;

impl Judge {
    pub(super) fn begun_mpi(&mut self, process: u32) {
        let process = &mut self.processes[process as usize];
        (process.has_begun, process.is_finalizing) = (true, false);
    }

    pub(super) fn ends_mpi(&mut self, process: u32, head: &Head) {
        self.others.add(process, Act::End);
        self.processes[process as usize].is_finalizing = true;
        self.freed_sends_left(process);
        self.open(process, head, Awaited::Finalize);
    }

    /// The process ends MPI, and nothing confirmed that these sends are complete.
    fn freed_sends_left(&mut self, process: u32) {
        for FreedSend { freed, begun } in std::mem::take(&mut self.processes[process as usize].freed_sends) {
            let text = format!(
                "The request of the send is freed, and nothing that rank {process} does before MPI_Finalize can confirm that the \
                 send is complete."
            );
            let draft = Draft::new("request.freed-unconfirmed").text(text);
            self.sink.add(draft.party(freed, "frees").party(begun, "started here"));
        }
    }
}
