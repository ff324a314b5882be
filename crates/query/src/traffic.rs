//! What ranks send to each other in some of their calls, and how long that takes them.

use std::collections::{BTreeMap, HashMap};

use mpiscope_abi::role::Role;
use mpiscope_analysis::Explanation;
use mpiscope_ingest::{Ingest, Tables};
use mpiscope_place::Sent;
use mpiscope_run::{Resolver, Run};
use mpiscope_store::{CallInfo, End, SiteId, flags};

use crate::batches::each_batch;
use crate::transfers::{Transfers, of_tables};
use crate::{QueryError, Watch};

/// What ranks send to each other.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// In messages and accesses to windows.
    pub messages: Vec<Sent>,
    /// In collective operations.
    pub transfers: Transfers,
}

/// In all calls of a run, or in those of one phase of an iteration, which is its place among those of the explanation.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn traffic(
    run: &Run,
    resolver: &Resolver,
    phase: Option<(&Explanation, usize)>,
    watch: &mut Watch<'_>,
) -> Result<Traffic, QueryError> {
    let mut ingest = Ingest::new(run, resolver)?;
    let tables = ingest.tables();
    let wanted = phase.map(|(explanation, phase)| in_phase(&tables, explanation, phase));
    let is_wanted = |rank: usize, facts: usize| wanted.as_ref().is_none_or(|of| of[rank].get(facts) == Some(&true));
    let mut between = BTreeMap::<(u32, u32), Sent>::new();
    each_batch(&mut ingest, watch, |_, batch| {
        for message in batch.messages.iter().filter(|message| message.receiver.is_some()) {
            let Some(sender) = message.sender.index().filter(|at| is_wanted(*at, message.send.facts as usize)) else {
                continue;
            };
            let time_ns = time_ns(&message.send).saturating_add(time_ns(&message.receive));
            add(&mut between, (sender as u32, message.receiver.0), 1, message.bytes, time_ns);
        }
        Ok(())
    })?;
    add_accesses(&mut between, &tables, &is_wanted);
    Ok(Traffic { messages: between.into_values().collect(), transfers: of_tables(&tables, is_wanted) })
}

/// Which facts of each rank are those of calls in a phase. Of a rank that has other phases than most ranks, calls at the same places.
fn in_phase(tables: &Tables, explanation: &Explanation, phase: usize) -> Vec<Vec<bool>> {
    let mut at_place: HashMap<(SiteId, u32), usize> = HashMap::new();
    for (rank, facts) in tables.facts.iter().enumerate() {
        for (at, info) in facts.iter().enumerate() {
            if let Some(phase) = explanation.phase_of(rank, at) {
                at_place.entry((info.site, info.function)).or_insert(phase);
            }
        }
    }
    let of_rank = |(rank, facts): (usize, &Vec<CallInfo>)| {
        let has_phases = (0..facts.len()).any(|at| explanation.phase_of(rank, at).is_some());
        let of = |(at, info): (usize, &CallInfo)| match has_phases {
            true => explanation.phase_of(rank, at) == Some(phase),
            false => at_place.get(&(info.site, info.function)) == Some(&phase),
        };
        facts.iter().enumerate().map(of).collect()
    };
    tables.facts.iter().enumerate().map(of_rank).collect()
}

fn add(between: &mut BTreeMap<(u32, u32), Sent>, (from, to): (u32, u32), messages: u64, bytes: u64, time_ns: u64) {
    let sum = between.entry((from, to)).or_insert(Sent { from, to, messages: 0, bytes: 0, time_ns: 0 });
    sum.messages += messages;
    sum.bytes = sum.bytes.saturating_add(bytes);
    sum.time_ns = sum.time_ns.saturating_add(time_ns);
}

/// Time in the call of one side, and its share of the call that completed it.
fn time_ns(end: &End) -> u64 {
    let own_ns = end.end_ns.saturating_sub(end.start_ns);
    if !end.is_done() || end.done_row == end.row {
        return own_ns;
    }
    own_ns + end.done_end_ns.saturating_sub(end.done_start_ns) / u64::from(end.done_with.max(1))
}

/// Accesses to windows are in the sums of calls alone.
fn add_accesses(between: &mut BTreeMap<(u32, u32), Sent>, tables: &Tables, is_wanted: &impl Fn(usize, usize) -> bool) {
    for (rank, facts) in tables.facts.iter().enumerate() {
        let accesses = facts.iter().enumerate().filter(|(at, info)| {
            info.role == Role::Access && info.flags & flags::SPELLED == 0 && info.calls > 0 && is_wanted(rank, *at)
        });
        for (_, info) in accesses.filter(|(_, info)| info.peer.is_some()) {
            let (own, peer) = (rank as u32, info.peer.0);
            let time_ns = info.time_ns;
            if info.bytes_sent > 0 {
                add(between, (own, peer), info.calls, info.bytes_sent.saturating_mul(info.calls), time_ns);
            }
            if info.bytes_received > 0 {
                add(between, (peer, own), info.calls, info.bytes_received.saturating_mul(info.calls), time_ns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use mpiscope_ingest::testing;

    use super::*;

    #[test]
    fn messages_take_the_time_of_both_sides() {
        let text = "\
host a = 0,1
0 0 10 Send to=1 tag=0 bytes=100
1 5 10 Recv from=0 tag=0 bytes=100
0 20 50 Send to=1 tag=0 bytes=7
1 40 50 Recv from=0 tag=0 bytes=7
";
        let folder = tempfile::tempdir().unwrap();
        testing::write(text, folder.path());
        let run = Run::open(folder.path(), &Default::default()).unwrap();
        let of = |phase: Option<(&Explanation, usize)>| {
            traffic(&run, &Resolver::default(), phase, &mut |_, _| ControlFlow::Continue(())).unwrap().messages
        };
        assert_eq!(of(None), [Sent { from: 0, to: 1, messages: 2, bytes: 107, time_ns: 55_000 }]);
        assert_eq!(of(Some((&Explanation::default(), 0))), []);
    }
}
