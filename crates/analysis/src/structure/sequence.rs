//! One rank's sequence of calls: what recurs, and after how much else.
//!
//! The *recurrence distance* of a call is the number of other letters since the same letter came last (the stack
//! distance of Mattson et al., 1970). Inside an inner loop it is small, from one turn of an outer loop to the next it
//! is the number of letters in its body, however often inner loops went round. So loops of different depth show as
//! different distances. For each class of distances the letter that first recurs with it marks a [`Level`]: it is the
//! first call of that loop. A level keeps when its turns began.

use mpiscope_store::{Call, flags};

use super::marks::Marks;
use super::robust::{Running, Sizes};
use super::tokens::{Alphabet, NO_LETTER, POLL};

/// Letters whose order of use is kept. A loop body with more of them counts as one of this many.
const DEPTH: usize = 128;
/// Letters that are compared and moved at once.
const WIDTH: usize = 16;
/// No letter.
pub(crate) const NOBODY: u16 = u16::MAX;
const CLASSES: usize = 16;
/// Slots of levels: for each class of distances the first marker, and one that recurs where the first does not.
const SLOTS: usize = 2 * CLASSES;
/// Predecessors of a letter that are told apart.
const BEFORE: usize = 4;
/// Median deviations beyond which a computation or a call stands out.
const FAR: f32 = 8.0;
/// What is shorter is not worth a word, ns.
const LEAST_NEEDLE_NS: f32 = 20_000.0;
/// Needles kept for each rank, of each kind.
const NEEDLES: usize = 12;
/// Levels kept that have ended.
const ENDED: usize = 8;
/// Turns of a level of which more is kept than the beginning.
const SAMPLES: usize = 64;

/// Class of a distance: 0, 1, 2, 3, 4–5, 6–8, 9–13 and so on by half.
const CLASS: [u8; DEPTH + 1] = {
    let mut classes = [0; DEPTH + 1];
    let (mut class, mut first, mut at) = (0u8, 0usize, 0usize);
    while at <= DEPTH {
        if at > 0 && at >= first + if first < 4 { 1 } else { first.div_ceil(2) } {
            class += 1;
            first = at;
        }
        classes[at] = class;
        at += 1;
    }
    classes
};

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

/// What is known of a letter.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub count: u32,
    pub first_ns: u64,
    /// Computing before its first use, and the letter before that.
    pub first_gap_ns: u64,
    pub first_before: u16,
    pub last_ns: u64,
    /// Last time that it came after more than a few others, and the class of distance then.
    far_ns: u64,
    far_class: u8,
    pub call_ns: u64,
    pub call: Running,
    /// Return of its last call.
    pub last_end_ns: u64,
    pub flagged: u32,
    /// Slots of levels that it marks, a bit each.
    marks: u32,
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
            far_ns: 0,
            far_class: u8::MAX,
            call_ns: 0,
            call: EMPTY,
            last_end_ns: 0,
            flagged: 0,
            marks: 0,
            steps: [Step::NONE; BEFORE],
        }
    }
}

/// Turns of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub marker: u16,
    /// Other letters in its body.
    pub distance: u8,
    pub least: u8,
    pub count: u64,
    pub first_ns: u64,
    pub last_ns: u64,
    /// Beginnings of turns, at most `most_starts`.
    pub starts: Vec<u64>,
    /// The same of all turns, thinned.
    pub marks: Marks,
    /// Other letters in the turn before each of `starts`.
    pub distances: Vec<u8>,
    /// Calls in a turn.
    calls: Sizes,
    /// Lengths of turns beyond those.
    pub later: Sizes,
    pub later_outliers: Vec<(u64, u64)>,
    later_period: Running,
    /// Letters of a turn, in order of their last use.
    pub body: Vec<u16>,
    /// Some turns: beginning, end of the last call of each letter of `body`, end of the turn.
    pub samples: Vec<Vec<u64>>,
    stride: u64,
    /// At which turn to look at the body.
    look_at: u64,
    /// Whether the first turns are those of another marker, which stands elsewhere in the loop.
    pub is_shifted: bool,
    last_distance: usize,
    previous_ns: u64,
    first_call: u64,
    last_call: u64,
    stale_at: u64,
}

/// Something much longer than its like.
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
    recent: [u16; DEPTH],
    levels: [Option<Box<Level>>; SLOTS],
    patience: [u64; SLOTS],
    ended: Vec<Level>,
    most_starts: usize,
    /// Whether turns are sampled.
    is_sampled: bool,
    calls: u64,
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
        self.lengths.take(excess_ns, FAR);
    }
}

impl Sequence {
    pub fn new(letters: usize, begin_ns: u64, most_starts: usize, is_sampled: bool) -> Sequence {
        Sequence {
            letters: vec![Letter::new(); letters],
            recent: [NOBODY; DEPTH],
            levels: Default::default(),
            patience: [64; SLOTS],
            ended: Vec::new(),
            most_starts,
            is_sampled,
            calls: 0,
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
    pub fn take(&mut self, alphabet: &Alphabet, calls: &[Call], first_row: u64, thread: u16) {
        for (at, call) in calls.iter().enumerate() {
            if call.thread != thread || call.flags & flags::NESTED != 0 {
                continue;
            }
            let Some(&letter) = alphabet.letters.get(call.facts as usize) else { continue };
            if letter < NO_LETTER {
                self.row = first_row + at as u64;
                self.step(letter, call.start_ns, call.end_ns);
            } else if letter == POLL {
                // What lies between polls is not one computation.
                self.mpi_ns += call.end_ns.saturating_sub(call.start_ns.max(self.prev_end_ns));
                self.prev_end_ns = self.prev_end_ns.max(call.end_ns);
                self.before = u16::MAX;
            }
        }
    }

    #[inline]
    fn step(&mut self, at: u16, start_ns: u64, end_ns: u64) {
        let gap_ns = start_ns.saturating_sub(self.prev_end_ns);
        let call_ns = end_ns.saturating_sub(start_ns);
        let before = std::mem::replace(&mut self.before, at);
        let gap_start_ns = self.prev_end_ns;
        self.prev_end_ns = end_ns.max(gap_start_ns);
        self.calls += 1;
        self.mpi_ns += call_ns;
        let distance = self.touch(at);
        let row = self.row;
        let letter = &mut self.letters[usize::from(at)];
        let is_new = letter.count == 0;
        letter.count = letter.count.saturating_add(1);
        letter.call_ns += call_ns;
        let long = letter.call.take(call_ns, FAR);
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
            let long = step.gap.take(gap_ns, FAR);
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
        if is_new {
            (letter.first_ns, letter.last_ns, letter.far_ns) = (start_ns, start_ns, start_ns);
            (letter.first_gap_ns, letter.first_before) = (gap_ns, before);
            letter.last_end_ns = end_ns;
            self.first_ns = self.first_ns.min(start_ns);
            return;
        }
        self.recur(at, distance, start_ns);
        let letter = &mut self.letters[usize::from(at)];
        (letter.last_ns, letter.last_end_ns) = (start_ns, end_ns);
        if distance >= 4 {
            (letter.far_ns, letter.far_class) = (start_ns, CLASS[distance]);
        }
    }

    /// Moves a letter to the front of the recently used and says where it was.
    #[inline]
    fn touch(&mut self, letter: u16) -> usize {
        if self.recent[0] == letter {
            return 0;
        }
        // Blocks before it move on by one, with what falls out of the block before; of its own block the part before
        // it. Fixed sizes and selections, so that a block is a few vector instructions.
        let mut carry = letter;
        for (nth, block) in self.recent.chunks_exact_mut(WIDTH).enumerate() {
            let mut old = [0; WIDTH];
            old.copy_from_slice(block);
            let mut found = 0u32;
            for (i, &l) in old.iter().enumerate() {
                found |= u32::from(l == letter) << i;
            }
            let at = found.trailing_zeros() as u16;
            for i in 0..WIDTH {
                let before = if i == 0 { carry } else { old[i - 1] };
                block[i] = if i as u16 <= at { before } else { old[i] };
            }
            if found != 0 {
                return nth * WIDTH + usize::from(at);
            }
            carry = old[WIDTH - 1];
            if carry == NOBODY {
                break;
            }
        }
        DEPTH
    }

    #[inline]
    fn recur(&mut self, at: u16, distance: usize, start_ns: u64) {
        let letter = &self.letters[usize::from(at)];
        let (mut left, last_ns) = (letter.marks, letter.last_ns);
        let class = usize::from(CLASS[distance]);
        // A turn with something else in it: what it usually recurs with is what counts.
        let usual = usize::from(letter.far_class).min(class);
        let is_mine = left & (1 << class | 1 << (class + CLASSES) | 1 << usual | 1 << (usual + CLASSES)) != 0;
        while left != 0 {
            let slot = left.trailing_zeros() as usize;
            left &= left - 1;
            if let Some(level) = &mut self.levels[slot]
                && distance >= usize::from(level.least)
            {
                level.mark(start_ns, distance, self.calls, self.patience[slot], self.most_starts);
                level.look(&self.recent, &self.letters, self.is_sampled);
            }
        }
        if is_mine {
            return;
        }
        // It came twice within one turn, which means that this turn was two: the marker is not in all of them.
        if let Some(level) = &self.levels[usual]
            && self.calls < level.stale_at
            && last_ns > level.last_ns
            && level.count >= 3
            && distance >= usize::from(level.least)
            && self.levels[usual + CLASSES].is_none()
        {
            self.begin(at, usual + CLASSES, distance, start_ns);
            return;
        }
        if self.levels[class].as_ref().is_none_or(|l| self.calls >= l.stale_at) {
            self.begin(at, class, distance, start_ns);
        }
    }

    #[cold]
    fn begin(&mut self, at: u16, slot: usize, distance: usize, start_ns: u64) {
        if let Some(old) = self.levels[slot].take() {
            self.letters[usize::from(old.marker)].marks &= !(1 << slot);
            self.patience[slot] = self.patience[slot].saturating_mul(2);
            self.ended.push(*old);
            if self.ended.len() > ENDED {
                let span = |l: &Level| (l.count > 3, l.last_ns - l.first_ns);
                let weakest = (0..self.ended.len()).min_by_key(|&i| span(&self.ended[i]));
                weakest.map(|i| self.ended.swap_remove(i));
            }
        }
        let letter = &mut self.letters[usize::from(at)];
        letter.marks |= 1 << slot;
        let first_ns = if distance >= 8 { letter.far_ns } else { letter.last_ns };
        let distance = distance.min(DEPTH) as u8;
        // The denser one goes on with the turns of the first.
        let first = slot.checked_sub(CLASSES).and_then(|class| self.levels[class].as_deref());
        let mut level =
            first.map_or_else(|| Level::new(distance, first_ns, self.calls, self.most_starts), Level::clone);
        level.marker = at;
        if slot >= CLASSES {
            (level.is_shifted, level.look_at) = (true, level.count + 4);
            level.body.clear();
            level.samples.clear();
        }
        level.mark(start_ns, distance.into(), self.calls, self.patience[slot], self.most_starts);
        level.look(&self.recent, &self.letters, self.is_sampled);
        self.levels[slot] = Some(Box::new(level));
    }

    /// A wait in one of the calls.
    pub fn waited(&mut self, row: u64, ns: u64) {
        if ns as f32 > LEAST_NEEDLE_NS
            && let Some(call) = self.long_calls.iter_mut().find(|c| c.row == row)
        {
            call.waited_ns += ns;
        }
    }

    /// Levels that went round at least twice.
    pub fn levels(&self) -> impl Iterator<Item = &Level> {
        let is_denser = |slot: usize, level: &Level| match slot.checked_sub(CLASSES).map(|c| &self.levels[c]) {
            // Twice as often is something that happens twice in a turn.
            Some(Some(first)) => level.count * 2 < first.count * 3 && level.count > first.count,
            _ => true,
        };
        let slots = self.levels.iter().enumerate().filter_map(|(slot, l)| Some((slot, l.as_deref()?)));
        let live = slots.filter(move |(slot, l)| is_denser(*slot, l)).map(|s| s.1);
        live.chain(&self.ended).filter(|l| l.count >= 3)
    }

    /// Beginnings of turns of any loop in a stretch of time, as far as they are kept, in order.
    pub fn turns_between(&self, from_ns: u64, until_ns: u64, found: &mut Vec<u64>) {
        found.clear();
        let levels = self.levels.iter().filter_map(|l| l.as_deref()).chain(&self.ended);
        levels.for_each(|l| found.extend(l.marks.between(from_ns, until_ns)));
        found.sort_unstable();
        found.dedup();
    }

    /// Letters since `marker` came last that are not rarer than it: what of its last turn has happened.
    pub fn of_last_turn(&self, level: &Level) -> usize {
        let often = |&&l: &&u16| u64::from(self.letters[usize::from(l)].count) * 2 >= level.count;
        self.recent.iter().take_while(|&&l| l != level.marker && l != NOBODY).filter(often).count()
    }
}

/// Keeps the longest, unless its like are so frequent that they are nothing special.
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

impl Level {
    fn new(distance: u8, first_ns: u64, call: u64, most_starts: usize) -> Level {
        Level {
            marker: 0,
            distance,
            least: distance - distance / 3,
            count: 1,
            first_ns,
            last_ns: first_ns,
            starts: vec![first_ns],
            marks: Marks::new(first_ns, most_starts),
            distances: vec![distance],
            calls: Sizes::default(),
            later: Sizes::default(),
            later_outliers: Vec::new(),
            later_period: Running::default(),
            body: Vec::new(),
            samples: Vec::new(),
            stride: 1,
            look_at: 2,
            is_shifted: false,
            last_distance: 0,
            previous_ns: first_ns,
            first_call: call,
            last_call: call,
            stale_at: u64::MAX,
        }
    }

    /// Share of the calls since its beginning that are in turns of the usual number of calls.
    pub fn fills(&self) -> f64 {
        let all = (self.last_call - self.first_call).max(1) as f64;
        (self.count.saturating_sub(2) as f64 * self.calls.median() as f64 / all).min(1.0)
    }

    #[inline]
    fn mark(&mut self, at_ns: u64, distance: usize, call: u64, patience: u64, most_starts: usize) {
        let period_ns = at_ns.saturating_sub(self.last_ns);
        self.previous_ns = std::mem::replace(&mut self.last_ns, at_ns);
        self.marks.push(self.count, at_ns);
        self.count += 1;
        // The first turn is not known in calls.
        if self.count > 2 {
            self.calls.take(call - self.last_call);
        }
        self.stale_at = call + 4 * (call - self.last_call) + patience;
        self.last_call = call;
        if self.starts.len() < most_starts {
            self.starts.push(at_ns);
            self.distances.push(distance.min(DEPTH) as u8);
        } else {
            self.later.take(period_ns);
            let excess = self.later_period.take(period_ns, FAR);
            if excess > LEAST_NEEDLE_NS && self.later_outliers.len() < NEEDLES {
                self.later_outliers.push((self.count - 2, excess as u64));
            }
        }
        self.last_distance = distance.min(DEPTH);
    }

    /// Keeps what the turn that has just ended was made of.
    #[inline]
    fn look(&mut self, recent: &[u16; DEPTH], letters: &[Letter], is_sampled: bool) {
        // The first turns are often special; later ones hardly change.
        if self.count == self.look_at || self.count == 16 && self.last_distance > self.body.len() {
            self.look_at = if self.count < 8 { 8 } else { u64::MAX };
            self.body.clear();
            self.body.extend(recent[1..].iter().take(self.last_distance.min(DEPTH - 1)).rev());
            self.samples.clear();
        }
        if is_sampled && self.count.is_multiple_of(self.stride) {
            self.sample(letters);
        }
    }

    fn sample(&mut self, letters: &[Letter]) {
        if self.samples.len() == SAMPLES {
            let mut nth = 0;
            self.samples.retain(|_| {
                nth += 1;
                nth % 2 == 0
            });
            self.stride *= 2;
        }
        let begin = self.previous_ns;
        let ends = self.body.iter().map(|&l| letters[usize::from(l)].last_end_ns);
        self.samples.push([begin].into_iter().chain(ends).chain([self.last_ns]).collect());
    }
}
