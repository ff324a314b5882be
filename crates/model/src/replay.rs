//! The replay of a tape.

use rustc_hash::FxHashMap;

use crate::tape::{Event, On, Own, Tape, TapeNeed, TapeSlice};

/// What becomes of a need under a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// As recorded.
    Stays,
    /// The call does not need it.
    Goes,
    /// The call is made later: together with what the rank computes after it, before the next call that is not
    /// [free to move](Change::is_free).
    Moves,
    /// It comes in so many pieces, each sent when that part of what is computed before it is done. What is computed after
    /// the call is done piece by piece as well.
    Pieces(u64),
}

/// What is different from the recorded run. Ranks, facts and kinds are those that the tape was made with.
pub trait Change {
    /// How long a rank computes before it enters a call with these facts, ns. In the recorded run it computed `gap_ns`,
    /// until the moment `until_ns`.
    fn computing(&self, _rank: u32, _facts: u32, gap_ns: u64, _until_ns: u64) -> u64 {
        gap_ns
    }

    /// How long a call takes after everything that it needs has come, ns; recorded were `own.ns`, until the moment `until_ns`.
    fn inside(&self, own: Own, _until_ns: u64) -> u64 {
        own.ns
    }

    /// What becomes of a need of a call.
    fn need(&self, _rank: u32, _facts: u32, _kind: u8) -> Fate {
        Fate::Stays
    }

    /// Whether a call may be made before one that [moves](Fate::Moves).
    fn is_free(&self, _rank: u32, _facts: u32) -> bool {
        false
    }

    /// Whether a call becomes a part of the call `before` it, by the facts of both, after which the rank computed `gap_ns`: it takes no time, needs nothing, and
    /// nothing is computed between them.
    fn is_part(&self, _rank: u32, _facts: u32, _before: u32, _gap_ns: u64) -> bool {
        false
    }
}

/// No change.
pub struct AsRecorded;

impl Change for AsRecorded {}

/// What comes of a replay.
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Time from the beginning to the end of what is on the tape, ns.
    pub recorded_ns: u64,
    /// The same under the change.
    pub replayed_ns: u64,
    /// Time of all ranks in calls before the latest of what they need has come, by the kind of that need, ns.
    pub waits_ns: [u64; KINDS],
}

/// Kinds of needs are numbers below this.
pub const KINDS: usize = 32;

impl Outcome {
    /// By how much the run becomes shorter, as a share of its time; negative where it becomes longer.
    pub fn saved_share(&self) -> f64 {
        match self.recorded_ns {
            0 => 0.0,
            all => (all as f64 - self.replayed_ns as f64) / all as f64,
        }
    }
}

/// Goes through the tape under a change.
pub fn replay(tape: &Tape, change: &impl Change) -> Outcome {
    let mut outcome = Outcome::default();
    let mut machine = Machine::default();
    for segment in tape.segments() {
        let [Some(first), Some(last)] = [segment.first(), segment.last()] else { continue };
        machine.begin(first);
        segment.iter().for_each(|stretch| machine.run(stretch, change));
        machine.ranks.iter_mut().for_each(Rank::settle);
        // The first segment begins when the first rank does; later ones where the rank that was ahead stood.
        let begin_ns = match first.number {
            0 => first.starts_ns.iter().min(),
            _ => first.starts_ns.iter().max(),
        };
        let begin_ns = begin_ns.copied().unwrap_or(0);
        let until = |ends: &mut dyn Iterator<Item = u64>| ends.max().unwrap_or(begin_ns).saturating_sub(begin_ns);
        outcome.recorded_ns += until(&mut last.ends_ns.iter().copied());
        outcome.replayed_ns += until(&mut machine.ranks.iter().map(|r| r.now_ns));
    }
    outcome.waits_ns = machine.waits_ns;
    outcome
}

/// Part of the computing for a message, one in so many, that may pass between two calls which are made one right after the
/// other.
const SLIGHT: u64 = 10;

/// Where a rank is.
#[derive(Clone, Copy, Default)]
struct Rank {
    now_ns: u64,
    /// Where it was in the recorded run.
    recorded_ns: u64,
    /// Calls that move: when the latest of their needs comes, how long they and what follows them take, and how long what
    /// follows them takes.
    moved_after_ns: u64,
    moved_ns: u64,
    moved_gaps_ns: u64,
    /// The computing that follows belongs to a call that has moved.
    has_just_moved: bool,
    /// Comes in pieces, and so does the computing that follows.
    pieces: Option<Pieces>,
    /// What it has computed since it last had to wait for something; see [`Machine::computed_for`].
    made_ns: u64,
    /// Facts of its last call; none: the greatest number.
    before: u32,
    /// Whether the call that it is in is a part of that.
    is_part: bool,
}

/// What a rank has received in pieces.
#[derive(Clone, Copy)]
struct Pieces {
    number: u64,
    /// When the last one comes.
    last_ns: u64,
    /// How long the sender computes for all of them.
    made_ns: u64,
}

impl Rank {
    /// Makes the calls that have moved.
    fn settle(&mut self) {
        if self.moved_ns > 0 {
            self.now_ns = self.now_ns.max(self.moved_after_ns) + self.moved_ns;
            (self.moved_after_ns, self.moved_ns, self.moved_gaps_ns) = (0, 0, 0);
        }
        self.has_just_moved = false;
    }
}

#[derive(Default)]
struct Machine {
    ranks: Vec<Rank>,
    first_entry: u32,
    entries_ns: Vec<u64>,
    /// What was computed before each entry, for what the call sends.
    made_ns: Vec<u64>,
    /// When the last of those who have come came: here, and in the recorded run. Numbers of meetings are given long before anyone comes.
    meetings_ns: FxHashMap<u32, (u64, u64)>,
    waits_ns: [u64; KINDS],
}

impl Machine {
    fn begin(&mut self, first: &TapeSlice) {
        self.ranks.clear();
        let start = |&ns: &u64| Rank { now_ns: ns, recorded_ns: ns, before: u32::MAX, ..Rank::default() };
        self.ranks.extend(first.starts_ns.iter().map(start));
        self.first_entry = first.first_entry;
        self.entries_ns.clear();
        self.made_ns.clear();
        self.meetings_ns.clear();
    }

    fn run(&mut self, stretch: &TapeSlice, change: &impl Change) {
        let mut needs = stretch.needs.iter();
        for event in &stretch.events {
            match *event {
                Event::Enter { rank, facts, gap_ns } => {
                    let of = &mut self.ranks[rank as usize];
                    of.recorded_ns += gap_ns;
                    of.is_part = change.is_part(rank, facts, of.before, gap_ns);
                    let gap_ns = if of.is_part { 0 } else { change.computing(rank, facts, gap_ns, of.recorded_ns) };
                    if of.has_just_moved {
                        of.moved_ns += gap_ns;
                        of.moved_gaps_ns += gap_ns;
                        of.has_just_moved = false;
                    } else {
                        let settles = of.moved_ns > 0 && !change.is_free(rank, facts);
                        // What follows the last of the calls may need all of them. Only as much as the calls that have moved
                        // are followed by is taken to be work on that call alone.
                        let before_ns = if settles { gap_ns.min(of.moved_gaps_ns) } else { gap_ns };
                        of.now_ns += before_ns;
                        if settles {
                            of.settle();
                        }
                        of.now_ns += gap_ns - before_ns;
                        // One receive right after the other: the work comes after all of them.
                        let is_more = |p: &Pieces| gap_ns < p.made_ns / SLIGHT && change.is_free(rank, facts);
                        if let Some(pieces) = of.pieces.take_if(|p| !is_more(p)) {
                            of.now_ns = of.now_ns.max(pieces.last_ns + gap_ns / pieces.number);
                        }
                    }
                    // One send right after the other: they share what was computed before.
                    if gap_ns >= of.made_ns / SLIGHT {
                        of.made_ns = gap_ns;
                    }
                    self.made_ns.push(of.made_ns);
                    if of.moved_ns > 0 && !change.is_free(rank, facts) {
                        of.settle();
                    }
                    self.entries_ns.push(of.now_ns);
                }
                Event::Aside { rank, after_ns } => {
                    self.entries_ns.push(self.ranks[rank as usize].now_ns.saturating_add_signed(after_ns));
                    self.made_ns.push(0);
                }
                Event::Arrive { entry, meeting, at_ns } => {
                    let known = self.entries_ns.get(entry.wrapping_sub(self.first_entry) as usize);
                    let (last_ns, last_at_ns) = self.meetings_ns.entry(meeting).or_default();
                    *last_ns = known.copied().unwrap_or(at_ns).max(*last_ns);
                    *last_at_ns = at_ns.max(*last_at_ns);
                }
                Event::Exit { rank, facts, own_ns, needs: count, is_far } => {
                    let of = self.ranks[rank as usize];
                    let (mut begin_ns, mut recorded_ns) = (of.now_ns, of.recorded_ns);
                    let (mut moves_after_ns, mut pieces, mut latest) = (None, of.pieces, None);
                    for need in needs.by_ref().take(count as usize) {
                        recorded_ns = recorded_ns.max(need.at_ns - need.early_ns);
                        let before_ns = begin_ns;
                        match if of.is_part { Fate::Goes } else { change.need(rank, facts, need.kind) } {
                            Fate::Stays => begin_ns = begin_ns.max(self.when(need)),
                            Fate::Goes => {}
                            Fate::Pieces(number) => {
                                let (number, last_ns, made_ns) =
                                    (number.max(1), self.when(need), self.computed_for(need));
                                begin_ns = begin_ns.max(last_ns.saturating_sub(made_ns / number * (number - 1)));
                                let last_ns = last_ns.max(pieces.map_or(0, |p| p.last_ns));
                                pieces = Some(Pieces { number, last_ns, made_ns });
                            }
                            Fate::Moves => moves_after_ns = moves_after_ns.max(Some(self.when(need))),
                        }
                        if begin_ns > before_ns {
                            latest = Some(need.kind);
                        }
                    }
                    if let Some(sum) = latest.and_then(|kind| self.waits_ns.get_mut(usize::from(kind))) {
                        *sum += begin_ns - of.now_ns;
                    }
                    let own = Own { rank, facts, ns: own_ns, is_far };
                    let inside_ns = if of.is_part { 0 } else { change.inside(own, recorded_ns + own_ns) };
                    let of = &mut self.ranks[rank as usize];
                    of.before = facts;
                    of.recorded_ns = recorded_ns + own_ns;
                    of.now_ns = begin_ns;
                    of.pieces = pieces;
                    if count > 0 {
                        of.made_ns = 0;
                    }
                    match moves_after_ns {
                        None => of.now_ns += inside_ns,
                        Some(after_ns) => {
                            of.moved_after_ns = of.moved_after_ns.max(after_ns);
                            of.moved_ns += inside_ns;
                            of.has_just_moved = true;
                        }
                    }
                }
            }
        }
    }

    /// What the other rank has computed for it.
    fn computed_for(&self, need: &TapeNeed) -> u64 {
        let On::Entry(number) = need.on else { return 0 };
        self.made_ns.get(number.wrapping_sub(self.first_entry) as usize).copied().unwrap_or(0)
    }

    /// When what is needed comes. What was before the segment came when it did.
    fn when(&self, need: &TapeNeed) -> u64 {
        let known_ns = match need.on {
            On::Entry(number) => self.entries_ns.get(number.wrapping_sub(self.first_entry) as usize).copied(),
            On::Meeting(number) => {
                let last = self.meetings_ns.get(&number);
                last.map(|&(ns, at_ns)| if at_ns < need.at_ns { ns.max(need.at_ns) } else { ns })
            }
        };
        known_ns.unwrap_or(need.at_ns).saturating_sub(need.early_ns)
    }
}
