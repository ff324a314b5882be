//! Texts about deadlocks and hanging ranks.

use mpiscope_units::{ranks_text, time};

use super::needs::Kind;
use crate::explanation::stuck::{Awaited, Stuck, StuckRank};

/// For a call that was open for less than this, the time of its entry is given.
const LEAST_NS: u64 = 1_000_000;

/// At most this many groups of ranks are named on the one line.
const NAMED: usize = 4;

/// Ranks in the same call, for the same reason.
struct Group<'a> {
    first: &'a StuckRank,
    ranks: Vec<i32>,
    /// The shortest and the longest time.
    open_ns: (u64, u64),
}

/// In the order of first occurrence. Ranks are grouped if they wait in the same call for the same reason.
fn groups<'a>(ranks: impl Iterator<Item = &'a StuckRank>) -> Vec<Group<'a>> {
    let mut found: Vec<Group<'a>> = Vec::new();
    for rank in ranks {
        let alike = |g: &&mut Group<'_>| {
            let first = g.first;
            first.function == rank.function && first.what == rank.what && first.site == rank.site
        };
        match found.iter_mut().find(alike) {
            Some(group) => {
                group.ranks.push(rank.rank);
                group.open_ns = (group.open_ns.0.min(rank.open_ns), group.open_ns.1.max(rank.open_ns));
            }
            None => found.push(Group { first: rank, ranks: vec![rank.rank], open_ns: (rank.open_ns, rank.open_ns) }),
        }
    }
    for group in &mut found {
        group.ranks.sort_unstable();
    }
    found
}

impl Group<'_> {
    /// `rank 0 in MPI_Recv from 1 (tag 7) for 12.3 s`.
    fn text(&self) -> String {
        self.text_at("")
    }

    fn with_site(&self) -> String {
        self.text_at(&self.first.site.as_ref().map(|site| format!(", at {site},")).unwrap_or_default())
    }

    fn text_at(&self, site: &str) -> String {
        let StuckRank { function, what, since_ns, .. } = self.first;
        let time = match self.open_ns {
            (low, _) if low < LEAST_NS => format!("entered at {}", time(*since_ns)),
            (low, high) if time(low) == time(high) => format!("for {}", time(high)),
            (low, high) => format!("for {} to {}", time(low), time(high)),
        };
        let what = if what.is_empty() { String::new() } else { format!(" {what}") };
        format!("{} in {function}{what}{site} {time}", ranks_text(&self.ranks))
    }
}

/// A deadlock: the ranks of the ring, with others that wait in the same way as one of them.
pub(super) fn ring(ranks: &[StuckRank]) -> String {
    let groups = groups(ranks.iter());
    let in_ring: Vec<&Group<'_>> = groups.iter().filter(|g| g.first.in_ring).collect();
    let shown: Vec<String> = in_ring.iter().take(NAMED).map(|g| g.text()).collect();
    let left: usize = in_ring.iter().skip(NAMED).map(|g| g.ranks.len()).sum();
    let more = if left > 0 { format!(" ← {left} more ranks in a row") } else { String::new() };
    let back = in_ring.first().map_or(0, |g| g.ranks[0]);
    let others = ranks.len() - in_ring.iter().map(|g| g.ranks.len()).sum::<usize>();
    let others = match others {
        0 => String::new(),
        1 => "; 1 more rank waits for them".to_owned(),
        n => format!("; {n} more ranks wait for them"),
    };
    format!("{}{more} ← rank {back}{others}", shown.join(" ← "))
}

/// Which ranks wait for which, where a rank could still act.
pub(super) fn chain(ranks: &[StuckRank], awaited: &[Awaited]) -> String {
    let groups = groups(ranks.iter());
    let mut shown: Vec<String> = groups.iter().take(NAMED).map(Group::text).collect();
    let left: usize = groups.iter().skip(NAMED).map(|g| g.ranks.len()).sum();
    if left > 0 {
        shown.push(format!("{left} more ranks wait as well"));
    }
    shown.extend(awaited.iter().take(NAMED).map(awaits));
    shown.join("; ")
}

fn awaits(awaited: &Awaited) -> String {
    let time = if awaited.ns > 0 { format!(", for {}", time(awaited.ns)) } else { String::new() };
    format!("rank {} {}{time}", awaited.rank, awaited.what)
}

/// One line.
pub(super) fn title(found: &Stuck) -> String {
    let groups = groups(found.ranks.iter());
    let mut in_ring: Vec<i32> =
        groups.iter().filter(|g| g.first.in_ring).flat_map(|g| g.ranks.iter().copied()).collect();
    in_ring.sort_unstable();
    match in_ring.len() {
        1 => format!("Deadlock: {} waits for itself", ranks_text(&in_ring)),
        2.. if found.is_certain => format!("Deadlock: {} wait for each other", ranks_text(&in_ring)),
        2.. => format!("Possible deadlock: {} wait for each other", ranks_text(&in_ring)),
        0 => {
            let ranks: Vec<i32> = found.ranks.iter().map(|r| r.rank).collect();
            let awaited: Vec<i32> = found.awaited.iter().map(|a| a.rank).collect();
            let verb = if found.waiting == 1 { "waits" } else { "wait" };
            match awaited.is_empty() {
                true => format!("Hang: {} {verb} in calls that do not return", ranks_text(&ranks)),
                false => format!("Hang: {} {verb} for {}", ranks_text(&ranks), ranks_text(&awaited)),
            }
        }
    }
}

/// The whole text, with call sites.
pub(super) fn text(found: &Stuck) -> String {
    let groups = groups(found.ranks.iter());
    let mut parts: Vec<String> = groups.iter().take(2 * NAMED).map(Group::with_site).collect();
    let left: usize = groups.iter().skip(2 * NAMED).map(|g| g.ranks.len()).sum();
    if left > 0 {
        parts.push(format!("{left} more ranks wait as well"));
    }
    parts.extend(found.awaited.iter().take(2 * NAMED).map(awaits));
    let mut text = parts.join("; ") + ".";
    // It begins a sentence.
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// What to change about a ring.
pub(super) fn advice(kinds: &[Kind]) -> String {
    let has = |kind| kinds.contains(&kind);
    match () {
        () if has(Kind::Mismatch) => {
            "All ranks of a communicator must call the same collective operations in the same order: compare the two call \
             sites."
        }
        () if has(Kind::Collective) => {
            "One rank has not entered the operation because it first waits for a message: on the other rank, move the send \
             before the operation, or move the operation after the exchange."
        }
        () if has(Kind::Send) && has(Kind::Receive) => {
            "Compare the order of sends and receives on these ranks, and their tags and communicators: one side expects a \
             different message from the one that is being sent."
        }
        () if has(Kind::Send) => {
            "All of them send first, and the messages are too large for the MPI to buffer: use MPI_Sendrecv, or post the \
             receives with MPI_Irecv before sending."
        }
        () => {
            "All of them receive first: let one rank send first, or use MPI_Sendrecv, or MPI_Isend before the receive. If a send \
             was intended before the receive, compare tags and communicators."
        }
    }
    .into()
}

/// What to check where there is no ring.
pub(super) fn advice_for(kinds: &[Kind], is_certain: bool) -> String {
    match kinds.contains(&Kind::Receive) && is_certain {
        true => "The message was never sent, and its sender has finalized MPI: look for a missing send or an extra receive; \
                 compare tags and communicators."
            .into(),
        false => "Check what the rank that the others wait for does at this place: a loop that does not end, missing input, or a \
                  condition that holds only on some ranks."
            .into(),
    }
}
