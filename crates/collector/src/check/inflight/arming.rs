//! How instructions that access a buffer in flight are caught (`--guard`): page protection for whole pages, watchpoints for the
//! rest. By default only watchpoints, for the first flights of each call site and for fewer and fewer of the later ones.

use super::instruction_access::{Kind, Touch};
use super::layout::Layout;
use super::page_guard;
use super::watchpoints::{Watches, Watching};
use crate::check::tracked::WordMap;
use crate::config::Guard;

/// Most words of one flight: one of the four watchpoints is left to distinguish writes from reads.
pub const MOST_WORDS: usize = 3;
/// A buffer of up to this many bytes is watched completely, if there is room.
const SMALL: u64 = 24;
/// Most pieces of a buffer that are considered.
const MOST_STEPS: u64 = 1 << 16;
/// Most call sites that are remembered.
const MOST_KNOWN: usize = 4096;
/// This many flights of a call site are watched one after another; then every second, fourth, eighth…
const FIRST: u32 = 8;
/// Most threads that watch.
const MOST_THREADS: usize = 64;
/// The same by default: each thread costs four descriptors, and system calls for each flight.
const FEW_THREADS: usize = 8;
/// After this many flights that are not watched, the processor's watchpoints are released for others, such as debuggers.
const REST: u32 = 64;

/// The largest number that a processor loads at once, bytes.
#[cfg(target_arch = "x86_64")]
pub const NUMBER: u64 = 10;

/// Addresses of a flight that the program accesses next, in order.
#[derive(Debug, Default)]
pub struct Ahead {
    /// Before any call that may complete the flight.
    pub before: Vec<u64>,
    /// After such a call.
    pub later: Vec<u64>,
}

/// The means for one flight, or for a window.
#[derive(Debug, Default)]
pub struct Armed {
    pages: Option<page_guard::Guarded>,
    words: Option<Watching>,
}

impl Armed {
    /// Nothing is caught.
    pub fn is_nothing(&self) -> bool {
        self.pages.is_none() && self.words.is_none()
    }
}

/// The state of the process.
#[derive(Default)]
pub struct Arms {
    pages: page_guard::Guards,
    words: Watches,
    /// By call site: the offset at which an unknown instruction changed a buffer the last time, if known. It is watched the next
    /// time.
    known: WordMap<(u32, u16), Option<i64>>,
    /// By call site: number of flights.
    begun: WordMap<(u32, u16), u32>,
    /// Flights since the last one that was watched.
    idle: u32,
    /// Number of flights for which there was no room.
    without: u64,
}

impl Arms {
    /// A flight begins. It `writes` if it receives. Parameters: whether only the program accesses the memory, and whether it is
    /// redirected; the call site and function that started it; how many of its words may be watched; and what is accessed next,
    /// which takes some time to find out.
    pub fn arm(
        &mut self,
        guard: Guard,
        (base, layout): (u64, &Layout),
        writes: bool,
        (only_program, redirected): (bool, bool),
        (begun, most_words): ((u32, u16), usize),
        ahead: impl FnOnce() -> Ahead,
    ) -> Armed {
        let mut armed = Armed::default();
        let most_threads = match guard {
            Guard::Off => return armed,
            Guard::First if !self.is_due(begun) => {
                self.idle += 1;
                if self.idle == REST {
                    self.words.rest();
                }
                return armed;
            }
            Guard::First => FEW_THREADS,
            Guard::All => MOST_THREADS,
        };
        self.idle = 0;
        if only_program {
            let stretches =
                if redirected && guard == Guard::All { page_guard::whole_pages(base, layout) } else { Vec::new() };
            armed.pages = self.pages.guard(&stretches, !writes);
            let guarded = if armed.pages.is_some() { &stretches[..] } else { &[] };
            let mut words = words(base, layout, self.known.get(&begun).copied().flatten(), &ahead(), guarded);
            words.truncate(most_words);
            armed.words = self.words.watch(&words, writes, most_threads);
        }
        self.without += u64::from(guard == Guard::All && armed.is_nothing());
        armed
    }

    /// Watches words of other memory than a flight's, if [`Arms::is_due`].
    pub fn arm_words(&mut self, words: &[(u64, u64)]) -> Armed {
        Armed { pages: None, words: self.words.watch(words, true, FEW_THREADS) }
    }

    /// The accesses to watched words until now.
    pub fn noted(&mut self, armed: &Armed) -> Vec<Touch> {
        armed.words.as_ref().map(|words| self.words.noted(words)).unwrap_or_default()
    }

    /// Whether the next flight of a call site is watched by default.
    pub fn is_due(&mut self, begun: (u32, u16)) -> bool {
        if self.begun.len() >= MOST_KNOWN {
            self.begun.clear();
        }
        let count = self.begun.entry(begun).or_default();
        *count = count.saturating_add(1);
        *count <= FIRST || count.is_power_of_two() || self.is_suspect(begun)
    }

    /// The flight has ended, or is no longer of interest.
    pub fn disarm(&mut self, armed: Armed) -> Vec<Touch> {
        if let Some(pages) = &armed.pages {
            self.pages.open(pages);
        }
        let mut touches = armed.words.map(|words| self.words.unwatch(&words)).unwrap_or_default();
        // The C library looks for the end of a string in blocks, with whatever lies around it.
        touches.retain(|t| t.kind == Kind::Write || !is_libc(t.frames[0]));
        touches
    }

    /// Whether an unknown instruction changed a buffer of a call site.
    pub fn is_suspect(&self, begun: (u32, u16)) -> bool {
        self.known.contains_key(&begun)
    }

    /// An unknown instruction changed a buffer of a call site, perhaps at a known offset.
    pub fn changed(&mut self, begun: (u32, u16), offset: Option<i64>) {
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(begun, offset);
    }

    /// A note for the end of the run, if some buffers were not guarded.
    pub fn note_at_end(&self) -> Option<String> {
        let why = match self.words.are_refused() {
            Some(why) => format!("the system does not allow watchpoints ({why})"),
            None => "only four watchpoints exist at a time".to_owned(),
        };
        (self.without > 0).then(|| format!("{} buffers in flight were not guarded: {why}", self.without))
    }
}

/// Whether an instruction is in the C library.
fn is_libc(pc: u64) -> bool {
    let object = crate::elf::containing(pc.saturating_sub(1) as usize);
    let name = object.as_ref().and_then(|o| o.path.rsplit('/').next()).unwrap_or_default();
    ["libc.so", "libc-", "ld-musl"].iter().any(|start| name.starts_with(start))
}

/// The words of a buffer that are worth watching, outside of guarded pages: where it was changed before, what is accessed next,
/// its beginning and end, all of a small one, its middle.
fn words(base: u64, layout: &Layout, known: Option<i64>, ahead: &Ahead, guarded: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let last = layout.payload - 1;
    let offsets: &[u64] = match layout.payload {
        // To find a byte of many pieces takes too long.
        _ if layout.steps > MOST_STEPS => &[0],
        0..=SMALL => &[0, 8, 16, last],
        _ => &[0, last, last / 2],
    };
    let is_short = layout.steps <= MOST_STEPS;
    let mut words = Vec::new();
    let mut add = |offset: i64, most: usize| {
        let Some((low, high)) = layout.run_at(offset) else { return };
        let run = (base.wrapping_add_signed(low), base.wrapping_add_signed(high));
        let word = word(run, base.wrapping_add_signed(offset));
        let is_guarded = guarded.iter().any(|&(b, e)| (b..e).contains(&word.0));
        if !is_guarded && !words.contains(&word) && words.len() < most {
            words.push(word);
        }
    };
    if let Some(known) = known {
        add(known, MOST_WORDS);
    }
    let offset = |address: &u64| address.wrapping_sub(base) as i64;
    let looked_for = |all: &[u64]| all.iter().map(offset).filter(|_| is_short).collect::<Vec<_>>();
    // What is read of the code may be wrong: one word is left to the beginning.
    looked_for(&ahead.before).into_iter().for_each(|at| add(at, MOST_WORDS - 1));
    looked_for(&ahead.later).into_iter().take(1).for_each(|at| add(at, MOST_WORDS - 1));
    for &k in offsets.iter().filter(|&&k| k <= last) {
        add(layout.offset_of(k), MOST_WORDS);
    }
    words
}

/// The largest piece of a run around an address that a watchpoint covers: aligned, with one, two, four or eight bytes.
fn word(run: (u64, u64), address: u64) -> (u64, u64) {
    let fits = |bytes: &u64| {
        let at = address / bytes * bytes;
        at >= run.0 && at + bytes <= run.1
    };
    let bytes = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
    (address / bytes * bytes, bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::layout::{Bytes, Piece};
    use super::*;

    fn layout(count: u64, extent: i64, bytes: u64) -> Layout {
        Layout::from_pieces(vec![Piece { base: 0, count, extent, bytes: Arc::new(Bytes::dense(bytes)) }]).unwrap()
    }

    #[test]
    fn which_words() {
        let few = |l: &Layout, known, guarded: &[(u64, u64)]| words(0x1000, l, known, &Ahead::default(), guarded);
        assert_eq!(few(&layout(1, 4, 4), None, &[]), [(0x1000, 4)]);
        assert_eq!(few(&layout(5, 4, 4), None, &[]), [(0x1000, 8), (0x1008, 8), (0x1010, 4)]);
        assert_eq!(few(&layout(100, 4, 4), None, &[]), [(0x1000, 8), (0x1188, 8), (0x10c0, 8)]);
        assert_eq!(few(&layout(100, 4, 4), Some(40), &[])[0], (0x1028, 8));
        // Every second double.
        assert_eq!(few(&layout(9, 16, 8), Some(40), &[]), [(0x1000, 8), (0x1080, 8), (0x1040, 8)]);
        // The first page and more are guarded.
        assert_eq!(few(&layout(5000, 1, 1), None, &[(0x1000, 0x2000)]), [(0x2380, 8)]);
        // Odd addresses.
        let none = Ahead::default();
        assert_eq!(words(0x1003, &layout(6, 1, 1), None, &none, &[]), [(0x1003, 1), (0x1008, 1)]);
    }

    #[test]
    fn words_that_are_touched_next() {
        let of = |l: &Layout, known, before: &[u64], later: &[u64]| {
            words(0x1000, l, known, &Ahead { before: before.to_vec(), later: later.to_vec() }, &[])
        };
        let (plain, gaps) = (layout(100, 4, 4), layout(9, 16, 8));
        assert_eq!(of(&plain, None, &[0x1014], &[]), [(0x1010, 8), (0x1000, 8), (0x1188, 8)]);
        // The same word, and one that is touched when the flight is over, perhaps.
        assert_eq!(of(&plain, None, &[0x1014, 0x1010], &[0x1080, 0x1090]), [(0x1010, 8), (0x1080, 8), (0x1000, 8)]);
        assert_eq!(of(&plain, None, &[0x1014, 0x1020, 0x1030], &[0x1080]), [(0x1010, 8), (0x1020, 8), (0x1000, 8)]);
        assert_eq!(of(&plain, Some(40), &[0x1014, 0x1020], &[]), [(0x1028, 8), (0x1010, 8), (0x1000, 8)]);
        // Gaps of a datatype do not belong to it.
        assert_eq!(of(&gaps, None, &[0x1008, 0x1020], &[]), [(0x1020, 8), (0x1000, 8), (0x1080, 8)]);
    }

    #[test]
    fn flights_that_are_watched_unasked() {
        let mut arms = Arms::default();
        let due: Vec<u32> = (1..=100).filter(|_| arms.is_due((1, 2))).collect();
        assert_eq!(due.len(), 8 + 3);
        assert!(arms.is_due((1, 3)) && !arms.is_due((1, 2)));
        arms.changed((1, 2), Some(40));
        assert!(arms.is_due((1, 2)));
    }

    #[test]
    fn functions_of_the_c_library() {
        let own = is_libc as fn(u64) -> bool as usize as u64 + 1;
        // SAFETY: a name.
        let theirs = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"getppid".as_ptr()) } as u64 + 1;
        assert!(!is_libc(own) && is_libc(theirs) && !is_libc(16));
    }

    #[test]
    fn pieces_of_runs() {
        for (run, address, wanted) in [
            ((64, 100), 70, (64, 8)),
            ((66, 100), 70, (68, 4)),
            ((66, 70), 67, (66, 2)),
            ((65, 66), 65, (65, 1)),
            ((64, 68), 66, (64, 4)),
        ] {
            assert_eq!(word(run, address), wanted, "{run:?} {address}");
        }
    }
}
