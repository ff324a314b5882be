//! Searches other matches: with one choice changed, then with two…

use rustc_hash::FxHashMap;

use super::playback::{Alike, Play, Stage};

/// Most acts that are replayed in total.
const MOST_STEPS: usize = 1 << 24;
/// Most changes of the same pair of call sites that are replayed.
const MOST_ALIKE: u32 = 64;
/// Most choices that are changed in one play.
const MOST_CHANGES: usize = 6;

/// The result of a play.
pub(crate) enum End {
    /// A receive has received a message that may not fit. The play continues.
    Pair(u32, u32),
    /// No process can continue, as far as is known.
    Over,
}

/// Examines the result of a play; returns whether a pair is wrong.
pub(crate) type Look<'a> = dyn FnMut(&Play, &Stage<'_>, End) -> bool + 'a;

pub(crate) struct Search<'s, 'a> {
    pub stage: &'s mut Stage<'a>,
    pub alike: &'s mut Alike<'s>,
    pub look: &'s mut Look<'s>,
    /// States that were reached, by their choices, with the number of further changes that were allowed then.
    seen: FxHashMap<u64, usize>,
    played: FxHashMap<[u64; 2], u32>,
    /// More changes would lead to more states.
    has_more: bool,
    is_cut: bool,
}

impl<'s, 'a> Search<'s, 'a> {
    pub fn new(stage: &'s mut Stage<'a>, alike: &'s mut Alike<'s>, look: &'s mut Look<'s>) -> Search<'s, 'a> {
        let (seen, played) = Default::default();
        Search { stage, alike, look, seen, played, has_more: false, is_cut: false }
    }

    /// Whether all plays with one changed choice were made.
    pub fn all(&mut self, first: &Play) -> bool {
        let mut has_singles = true;
        for changes in 1..=MOST_CHANGES {
            (self.seen, self.played, self.has_more) = Default::default();
            self.explore(first.clone(), changes, changes);
            if changes == 1 {
                has_singles = !self.is_cut;
            }
            if self.is_cut || !self.has_more {
                break;
            }
        }
        has_singles
    }

    fn explore(&mut self, mut play: Play, most: usize, left: usize) {
        loop {
            play.run(self.stage, self.alike);
            for (r, m) in std::mem::take(&mut play.news) {
                if (self.look)(&play, self.stage, End::Pair(r, m)) {
                    play.fails(r);
                }
            }
            if self.stage.steps > MOST_STEPS {
                self.is_cut = true;
                return;
            }
            let open = play.open(self.stage);
            if open.is_empty() {
                (self.look)(&play, self.stage, End::Over);
                return;
            }
            if self.seen.get(&play.key).is_some_and(|&known| known >= left) {
                return;
            }
            self.seen.insert(play.key, left);
            let posted = |r: u32| &self.stage.log.posted[r as usize];
            let kept = open.iter().position(|&(r, m)| posted(r).took == m).unwrap_or(0);
            for (at, &choice) in open.iter().enumerate() {
                if at == kept {
                    continue;
                }
                if left == 0 {
                    self.has_more = true;
                    break;
                }
                if left == most && self.is_known(choice) {
                    continue;
                }
                self.stage.steps += self.stage.copy_cost();
                let mut other = play.clone();
                other.choose(choice, self.stage);
                self.explore(other, most, left - 1);
                if self.is_cut {
                    return;
                }
            }
            self.stage.steps += 1;
            play.choose(open[kept], self.stage);
        }
    }

    /// Whether enough changes of the same calls were replayed.
    fn is_known(&mut self, (r, m): (u32, u32)) -> bool {
        let log = self.stage.log;
        let key = [log.posted[r as usize].place, log.sent[m as usize].place]
            .map(|place| place.key << 16 ^ place.key >> 48 ^ u64::from(place.function));
        let played = self.played.entry(key).or_insert(0);
        *played += 1;
        *played > MOST_ALIKE
    }
}
