//! The recorded run, as far as a replay needs it: entries and exits of calls, in an order in which everything that a
//! call needs comes before its exit.
//!
//! A run is cut into *stretches* of so many calls. While there is room all of them are kept. When the room is used up,
//! every second one is dropped, and from then on only every second one is recorded, then every fourth, … So the tape of
//! a short run has all of it, and that of a long one has stretches spread evenly over it. Kept stretches that follow
//! each other are one *segment*: the replay goes through it without a break. At the beginning of a segment every rank
//! is where it was in the recorded run.

use rustc_hash::FxHashMap;

/// How much a tape keeps.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Calls of a stretch.
    pub calls: u32,
    /// Stretches that are kept at most; even, 2 at least.
    pub stretches: usize,
}

impl Default for Limits {
    /// 2^17 calls, some 10 MB: a replay of them takes a few ms.
    fn default() -> Limits {
        Limits { calls: 1 << 14, stretches: 8 }
    }
}

/// What the exit of a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The entry with this number.
    Entry(u32),
    /// All who come to the meeting with this number.
    Meeting(u32),
}

/// Something that the exit of a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What.
    pub on: On,
    /// What kind of wait this would be: a number of the caller's.
    pub kind: u8,
    /// When it came in the recorded run, ns.
    pub at_ns: u64,
}

/// A need on the tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeNeed {
    pub on: On,
    pub kind: u8,
    pub at_ns: u64,
    /// By how much it came after the exit: clocks of several hosts may say so. The replay lets it come at the exit then.
    pub early_ns: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A rank has computed and enters a call.
    Enter { rank: u32, facts: u32, gap_ns: u64 },
    /// A call that takes no time of the rank begins, so long after (before) where the rank is.
    Aside { rank: u32, after_ns: i64 },
    /// An entry comes to a meeting, at this moment in the recorded run.
    Arrive { entry: u32, meeting: u32, at_ns: u64 },
    /// A rank leaves its call; it needs the next so many of the needs. See [`Tape::mark_far`].
    Exit { rank: u32, facts: u32, own_ns: u64, needs: u32, is_far: bool },
}

/// A stretch of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct TapeSlice {
    /// Which one of the run, from 0.
    pub number: u64,
    /// Number of its first entry.
    pub first_entry: u32,
    /// Where each rank is at its beginning and at its end, ns.
    pub starts_ns: Vec<u64>,
    pub ends_ns: Vec<u64>,
    /// Calls in it.
    pub calls: u32,
    pub events: Vec<Event>,
    pub needs: Vec<TapeNeed>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    limits: Limits,
    /// Every so many-th stretch is kept.
    every: u64,
    kept: Vec<TapeSlice>,
    now: TapeSlice,
    is_recording: bool,
    /// Calls in the present stretch, and in all of the run.
    calls: u32,
    all_calls: u64,
    entries: u32,
    meetings: u32,
    /// Where each rank is.
    clocks_ns: Vec<u64>,
}

impl Tape {
    /// Of ranks that begin at these moments, ns.
    pub fn new(starts_ns: Vec<u64>, limits: Limits) -> Tape {
        let now = TapeSlice { starts_ns: starts_ns.clone(), ..TapeSlice::default() };
        Tape {
            limits,
            every: 1,
            kept: Vec::new(),
            now,
            is_recording: true,
            calls: 0,
            all_calls: 0,
            entries: 0,
            meetings: 0,
            clocks_ns: starts_ns,
        }
    }

    /// Whether the coming events are kept. Others need not be complete.
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// A rank enters a call; gives the number of the entry.
    #[inline]
    pub fn enter(&mut self, rank: u32, facts: u32, start_ns: u64) -> u32 {
        if self.calls >= self.limits.calls {
            self.turn();
        }
        self.calls += 1;
        self.all_calls += 1;
        let clock_ns = &mut self.clocks_ns[rank as usize];
        let gap_ns = start_ns.saturating_sub(*clock_ns);
        *clock_ns += gap_ns;
        self.entered(Event::Enter { rank, facts, gap_ns })
    }

    /// A call begins that takes no time of the rank: that of another thread. Gives the number of the entry.
    pub fn aside(&mut self, rank: u32, start_ns: u64) -> u32 {
        let after_ns = start_ns.cast_signed().wrapping_sub(self.clocks_ns[rank as usize].cast_signed());
        self.entered(Event::Aside { rank, after_ns })
    }

    #[inline]
    fn entered(&mut self, event: Event) -> u32 {
        if self.is_recording {
            self.now.events.push(event);
        }
        let number = self.entries;
        self.entries = self.entries.wrapping_add(1);
        number
    }

    /// A meeting to which entries may come; gives its number.
    pub fn meeting(&mut self) -> u32 {
        let number = self.meetings;
        self.meetings = self.meetings.wrapping_add(1);
        number
    }

    /// An entry comes to a meeting, at this moment, ns.
    pub fn arrive(&mut self, entry: u32, meeting: u32, at_ns: u64) {
        if self.is_recording {
            self.now.events.push(Event::Arrive { entry, meeting, at_ns });
        }
    }

    /// A rank leaves the call that it has entered last.
    #[inline]
    pub fn exit(&mut self, rank: u32, facts: u32, end_ns: u64, needs: impl Iterator<Item = Need>) {
        let clock_ns = &mut self.clocks_ns[rank as usize];
        let entered_ns = *clock_ns;
        let end_ns = end_ns.max(entered_ns);
        *clock_ns = end_ns;
        if !self.is_recording {
            return;
        }
        let (mut count, mut begin_ns) = (0, entered_ns);
        for Need { on, kind, at_ns } in needs {
            count += 1;
            begin_ns = begin_ns.max(at_ns.min(end_ns));
            self.now.needs.push(TapeNeed { on, kind, at_ns, early_ns: at_ns.saturating_sub(end_ns) });
        }
        self.now.events.push(Event::Exit { rank, facts, own_ns: end_ns - begin_ns, needs: count, is_far: false });
    }

    /// A rank computes until this moment, after its last call.
    pub fn end(&mut self, rank: u32, end_ns: u64) {
        if end_ns > self.clocks_ns[rank as usize] {
            self.enter(rank, u32::MAX, end_ns);
        }
    }

    /// The next stretch begins.
    #[cold]
    fn turn(&mut self) {
        let next = TapeSlice { number: self.now.number + 1, first_entry: self.entries, ..TapeSlice::default() };
        let mut last = std::mem::replace(&mut self.now, next);
        last.calls = std::mem::take(&mut self.calls);
        if self.is_recording {
            last.ends_ns.clone_from(&self.clocks_ns);
            last.events.shrink_to_fit();
            last.needs.shrink_to_fit();
            self.kept.push(last);
            if self.kept.len() >= self.limits.stretches {
                self.every *= 2;
                self.kept.retain(|s| s.number.is_multiple_of(self.every));
            }
        }
        self.is_recording = self.now.number.is_multiple_of(self.every);
        if self.is_recording {
            self.now.starts_ns.clone_from(&self.clocks_ns);
        }
    }

    /// The run is over.
    pub fn finish(&mut self) {
        if self.is_recording && !self.now.events.is_empty() {
            self.now.ends_ns.clone_from(&self.clocks_ns);
            self.now.calls = self.calls;
            self.kept.push(std::mem::take(&mut self.now));
        }
        self.is_recording = false;
    }

    /// Kept stretches that follow each other without a gap, in order.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &[TapeSlice]> {
        self.kept.chunk_by(|a, b| a.number + 1 == b.number)
    }

    /// How many ranks.
    pub fn ranks(&self) -> usize {
        self.clocks_ns.len()
    }

    /// Share of the calls of the run that are on the tape.
    pub fn share_of_calls(&self) -> f64 {
        let kept: u64 = self.kept.iter().map(|s| u64::from(s.calls)).sum();
        kept as f64 / self.all_calls.max(1) as f64
    }

    /// Own time in calls, ns, of which `wanted` is true, by rank and facts: what [`crate::Change::inside`] can change.
    pub fn own_ns(&self, mut wanted: impl FnMut(u32, u32) -> bool) -> u64 {
        let mut sum_ns = 0;
        self.each_own(|own| sum_ns += if wanted(own.rank, own.facts) { own.ns } else { 0 });
        sum_ns
    }

    /// The own time of each call.
    pub fn each_own(&self, mut see: impl FnMut(Own)) {
        for event in self.kept.iter().flat_map(|s| &s.events) {
            if let Event::Exit { rank, facts, own_ns: ns, is_far, .. } = *event {
                see(Own { rank, facts, ns, is_far });
            }
        }
    }

    /// Finds out which calls need something of a rank on another host: [`Own::is_far`]. By rank, the number of its host.
    pub fn mark_far(&mut self, host_of: &[u32]) {
        let host = |rank: u32| host_of.get(rank as usize).copied();
        let mut segment = Segment::default();
        let mut last = None;
        for slice in &mut self.kept {
            if last.replace(slice.number) != slice.number.checked_sub(1) {
                segment = Segment { first_entry: slice.first_entry, ..Segment::default() };
            }
            let mut needs = slice.needs.iter();
            for event in &mut slice.events {
                match event {
                    Event::Enter { rank, .. } | Event::Aside { rank, .. } => segment.entries.push(host(*rank)),
                    Event::Arrive { entry, meeting, .. } => {
                        let of = segment.host_of(*entry);
                        segment.meetings.entry(*meeting).and_modify(|host| host.meet(of)).or_insert(Hosts::One(of));
                    }
                    Event::Exit { rank, needs: count, is_far, .. } => {
                        let own = host(*rank);
                        let is_of_other = |need: &&TapeNeed| match need.on {
                            On::Entry(entry) => segment.host_of(entry).is_some_and(|host| Some(host) != own),
                            On::Meeting(meeting) => segment.meetings.get(&meeting) == Some(&Hosts::Several),
                        };
                        // All of them: the next ones are those of the next call.
                        *is_far = needs.by_ref().take(*count as usize).filter(is_of_other).count() > 0;
                    }
                }
            }
        }
    }
}

/// The own time of a call: after all that it needs has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// Whose call.
    pub rank: u32,
    /// As it was entered.
    pub facts: u32,
    /// How long, ns.
    pub ns: u64,
    /// Whether it needs something of a rank on another host, so that this is also the time of the network.
    pub is_far: bool,
}

/// Where the entries of a segment are from.
#[derive(Default)]
struct Segment {
    first_entry: u32,
    entries: Vec<Option<u32>>,
    meetings: FxHashMap<u32, Hosts>,
}

impl Segment {
    fn host_of(&self, entry: u32) -> Option<u32> {
        self.entries.get(entry.wrapping_sub(self.first_entry) as usize).copied().flatten()
    }
}

/// Hosts of those who come to a meeting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hosts {
    One(Option<u32>),
    Several,
}

impl Hosts {
    fn meet(&mut self, host: Option<u32>) {
        if *self != Hosts::One(host) {
            *self = Hosts::Several;
        }
    }
}
