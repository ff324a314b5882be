//! One rank's sequence of calls, letter by letter: how often each comes, when, after which other, and what is unusual.
//!
//! When it came is kept exactly for the first some thousand times and thinned after that. Loops are read from that when all
//! is known (see `nest`): which letter is called once in an iteration cannot be told from a beginning.

use mpiscope_store::{Call, flags};

use super::marks::{Marks, push_up_to};
use super::robust::{Running, Sizes};
use super::tokens::{Alphabet, NO_LETTER, POLL};

/// No letter.
pub(crate) const NOBODY: u16 = u16::MAX;
/// At most this many predecessors of a letter are distinguished.
const BEFORE: usize = 4;
/// A computation or a call is an outlier beyond this many median deviations.
const FAR: f32 = 8.0;
/// What is shorter is not worth a word, ns.
const LEAST_NEEDLE_NS: f32 = 20_000.0;
/// Needles kept for each rank, of each kind.
const NEEDLES: usize = 12;
/// A letter that came after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub from: u16,
    pub count: u32,
    pub flagged: u32,
    /// Time between the two calls.
    pub gap_ns: u64,
    pub gap: Running,
}

impl Step {
    const NONE: Step = Step { from: u16::MAX, count: 0, flagged: 0, gap_ns: 0, gap: EMPTY };
}

const EMPTY: Running = Running::EMPTY;

/// The facts about a letter.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub count: u32,
    pub first_ns: u64,
    /// Computing before its first use, and the letter before that.
    pub first_gap_ns: u64,
    pub first_before: u16,
    pub last_ns: u64,
    pub call_ns: u64,
    pub call: Running,
    /// Return of its last call.
    pub last_end_ns: u64,
    pub flagged: u32,
    pub track: Track,
    pub steps: [Step; BEFORE],
}

impl Letter {
    fn new() -> Letter {
        Letter {
            count: 0,
            first_ns: 0,
            first_gap_ns: 0,
            first_before: NOBODY,
            last_ns: 0,
            call_ns: 0,
            call: EMPTY,
            last_end_ns: 0,
            flagged: 0,
            track: Track::default(),
            steps: [Step::NONE; BEFORE],
        }
    }
}

/// When a letter came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// The first times.
    pub starts: Vec<u64>,
    /// How long the call took then, ns.
    pub lengths: Vec<u32>,
    /// All times, thinned.
    pub marks: Marks,
    /// From one time to the next, beyond the first ones.
    pub later: Option<Box<Later>>,
}

/// Times between calls of a letter beyond those that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Later {
    pub periods: Sizes,
    /// Number of the time, and how much longer than usual it took to the next.
    pub outliers: Vec<(u64, u64)>,
    running: Running,
}

impl Track {
    /// Time number `nth` from 0; `last_ns` is when the one before was.
    #[inline(always)]
    fn take(&mut self, nth: u64, at_ns: u64, call_ns: u64, last_ns: u64, most: usize) {
        self.marks.push(nth, at_ns, most);
        if self.starts.len() < most {
            push_up_to(&mut self.starts, at_ns, most);
            push_up_to(&mut self.lengths, u32::try_from(call_ns).unwrap_or(u32::MAX), most);
        } else {
            self.beyond(nth, at_ns.saturating_sub(last_ns));
        }
    }

    #[inline]
    fn beyond(&mut self, nth: u64, period_ns: u64) {
        let later = self.later.get_or_insert_default();
        later.periods.add(period_ns);
        let excess = later.running.add(period_ns, FAR);
        if excess > LEAST_NEEDLE_NS && later.outliers.len() < NEEDLES {
            later.outliers.push((nth - 1, excess as u64));
        }
    }

    /// End of a call that is kept.
    pub fn end(&self, nth: usize) -> u64 {
        self.starts[nth].saturating_add(self.lengths[nth].into())
    }

    /// Whether some times are not among `starts`.
    pub fn is_cut(&self) -> bool {
        self.later.is_some()
    }
}

/// Something much longer than comparable events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needle {
    pub start_ns: u64,
    pub end_ns: u64,
    pub excess_ns: u64,
    /// Row of the call, or of the one that ends the computation.
    pub row: u64,
    /// Call before it and after it; of a call the second is itself.
    pub before: u16,
    pub after: u16,
    /// Of a call: how much of it is waiting for others.
    pub waited_ns: u64,
}

/// State of one rank.
pub(crate) struct Sequence {
    pub letters: Vec<Letter>,
    /// By function of the program: rows of calls that it makes, without one of another function between them.
    pub visits: Vec<Letter>,
    /// That of the last call.
    function: u16,
    most_starts: usize,
    /// Calls that are no letters as well.
    row: u64,
    before: u16,
    prev_end_ns: u64,
    pub first_ns: u64,
    pub mpi_ns: u64,
    pub long_gaps: Vec<Needle>,
    pub long_calls: Vec<Needle>,
    pub noise: Noise,
    /// Calls that return later are not looked at.
    pub until_ns: u64,
}

/// Small delays between calls: moments of the last ones, and sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noise {
    pub count: u64,
    pub excess_ns: u64,
    pub longest_ns: u64,
    pub lengths: Running,
    /// Time of computations of the kind that can be judged.
    pub judged_ns: u64,
    /// The newest overwrite the oldest.
    pub moments: Vec<u64>,
}

const MOMENTS: usize = 256;

impl Noise {
    fn take(&mut self, at_ns: u64, excess_ns: u64) {
        if self.moments.len() < MOMENTS {
            self.moments.push(at_ns);
        } else {
            self.moments[self.count as usize % MOMENTS] = at_ns;
        }
        self.count += 1;
        self.excess_ns += excess_ns;
        self.longest_ns = self.longest_ns.max(excess_ns);
        self.lengths.add(excess_ns, FAR);
    }
}

impl Sequence {
    pub fn new(letters: usize, functions: usize, begin_ns: u64, most_starts: usize) -> Sequence {
        Sequence {
            letters: vec![Letter::new(); letters],
            visits: vec![Letter::new(); functions],
            function: NOBODY,
            most_starts,
            row: 0,
            before: u16::MAX,
            prev_end_ns: begin_ns,
            until_ns: u64::MAX,
            first_ns: u64::MAX,
            mpi_ns: 0,
            long_gaps: Vec::new(),
            long_calls: Vec::new(),
            noise: Noise::default(),
        }
    }

    /// Takes calls of one thread; `thread` says which.
    pub fn add_calls(&mut self, alphabet: &Alphabet, calls: &[Call], first_row: u64, thread: u16) {
        for (at, call) in calls.iter().enumerate() {
            if call.thread != thread || call.flags & flags::NESTED != 0 {
                continue;
            }
            let Some(&letter) = alphabet.letters.get(call.facts as usize) else { continue };
            if letter < NO_LETTER {
                self.row = first_row + at as u64;
                if let Some(&function) = alphabet.functions.get(usize::from(letter)) {
                    self.visit(function, call.start_ns, call.end_ns);
                }
                self.step(letter, call.start_ns, call.end_ns);
            } else if letter == POLL {
                // What lies between polls is not one computation.
                self.mpi_ns += call.end_ns.saturating_sub(call.start_ns.max(self.prev_end_ns));
                self.prev_end_ns = self.prev_end_ns.max(call.end_ns);
                self.before = u16::MAX;
            }
        }
    }

    /// A call that a function of the program makes.
    #[inline]
    fn visit(&mut self, function: u16, start_ns: u64, end_ns: u64) {
        let Some(visit) = self.visits.get_mut(usize::from(function)) else { return };
        visit.last_end_ns = visit.last_end_ns.max(end_ns);
        if self.function == function {
            return;
        }
        let before = std::mem::replace(&mut self.function, function);
        if let Some(step) = visit.steps.iter_mut().find(|s| s.from == before || s.count == 0) {
            (step.from, step.count) = (before, step.count.saturating_add(1));
        }
        let start_ns = start_ns.max(visit.last_ns);
        if visit.count == 0 {
            visit.first_ns = start_ns;
        }
        let call_ns = end_ns.saturating_sub(start_ns);
        visit.track.take(visit.count.into(), start_ns, call_ns, visit.last_ns, self.most_starts);
        visit.count = visit.count.saturating_add(1);
        visit.last_ns = start_ns;
    }

    #[inline]
    fn step(&mut self, at: u16, start_ns: u64, end_ns: u64) {
        let gap_ns = start_ns.saturating_sub(self.prev_end_ns);
        let call_ns = end_ns.saturating_sub(start_ns);
        let before = std::mem::replace(&mut self.before, at);
        let gap_start_ns = self.prev_end_ns;
        self.prev_end_ns = end_ns.max(gap_start_ns);
        self.mpi_ns += call_ns;
        let row = self.row;
        let letter = &mut self.letters[usize::from(at)];
        let is_new = letter.count == 0;
        letter.count = letter.count.saturating_add(1);
        letter.call_ns += call_ns;
        let long = letter.call.add(call_ns, FAR);
        if long > LEAST_NEEDLE_NS {
            letter.flagged += 1;
            let needle = Needle { start_ns, end_ns, excess_ns: long as u64, row, before, after: at, waited_ns: 0 };
            keep(&mut self.long_calls, needle, letter.flagged, letter.count);
        }
        if let Some(step) = letter.steps.iter_mut().find(|s| s.from == before || s.count == 0) {
            step.from = before;
            step.count = step.count.saturating_add(1);
            step.gap_ns += gap_ns;
            // Noise is what adds a little to a computation whose length hardly varies.
            if step.gap.is_steady() {
                self.noise.judged_ns += gap_ns;
                let (usual_ns, spread_ns) = (step.gap.median(), step.gap.spread());
                let excess_ns = gap_ns.saturating_sub(usual_ns);
                if excess_ns > spread_ns * 8 && excess_ns > 1_000 && excess_ns < usual_ns.max(10_000_000) {
                    self.noise.take(start_ns, excess_ns);
                }
            }
            let long = step.gap.add(gap_ns, FAR);
            if long > LEAST_NEEDLE_NS {
                step.flagged += 1;
                let excess_ns = long as u64;
                let needle = Needle {
                    start_ns: gap_start_ns,
                    end_ns: start_ns,
                    excess_ns,
                    row,
                    before,
                    after: at,
                    waited_ns: 0,
                };
                keep(&mut self.long_gaps, needle, step.flagged, step.count);
            }
        }
        let nth = u64::from(letter.count) - 1;
        // Times of a damaged file go back now and then.
        let start_ns = start_ns.max(letter.last_ns);
        letter.track.take(nth, start_ns, call_ns, letter.last_ns, self.most_starts);
        (letter.last_ns, letter.last_end_ns) = (start_ns, end_ns.max(start_ns));
        if is_new {
            letter.first_ns = start_ns;
            (letter.first_gap_ns, letter.first_before) = (gap_ns, before);
            self.first_ns = self.first_ns.min(start_ns);
        }
    }

    /// A wait in one of the calls.
    pub fn waited(&mut self, row: u64, ns: u64) {
        if ns as f32 > LEAST_NEEDLE_NS
            && let Some(call) = self.long_calls.iter_mut().find(|c| c.row == row)
        {
            call.waited_ns += ns;
        }
    }

    /// Beginnings of iterations of any loop in a stretch of time, as far as they are kept, in order: of letters that come
    /// equally often the first.
    pub fn turns_between(&self, from_ns: u64, until_ns: u64, found: &mut Vec<u64>) {
        found.clear();
        let mut first: Vec<&Letter> = self.letters.iter().filter(|l| l.count > 2).collect();
        first.sort_by_key(|l| (l.count, l.first_ns));
        first.dedup_by(|b, a| b.count <= a.count + 1);
        first.iter().for_each(|l| found.extend(l.track.marks.between(from_ns, until_ns)));
        found.sort_unstable();
        found.dedup();
    }
}

/// Keeps the longest, unless comparable ones are so frequent that they are not special.
#[cold]
fn keep(needles: &mut Vec<Needle>, needle: Needle, flagged: u32, count: u32) {
    if flagged > 8 + count / 50 {
        return;
    }
    if needles.len() < NEEDLES {
        needles.push(needle);
    } else if let Some(least) = needles.iter_mut().min_by_key(|n| n.excess_ns)
        && least.excess_ns < needle.excess_ns
    {
        *least = needle;
    }
}
