//! Places of `--on` and `--off` that the program never reached.

use std::collections::BTreeMap;

use mpiscope_trace::layout::place;

use crate::diagnostic::Diagnostic;
use crate::run::{Rank, Run};

/// What the processes of a run have recorded about one place.
#[derive(Default)]
struct Known {
    /// A recorded process reached it.
    reached: bool,
    /// A process that is not recorded reached it (`--ranks`).
    reached_unrecorded: bool,
    /// It is unknown for a process.
    unknown: bool,
}

impl Run {
    /// Notes on places that no recorded rank has reached, in the order in which the user gave them. There is no note if it is
    /// unknown.
    pub fn never_reached(&self) -> Vec<Diagnostic> {
        let mut order: Vec<&str> = Vec::new();
        let mut places: BTreeMap<&str, Known> = BTreeMap::new();
        for rank in &self.ranks {
            for (number, text) in asked(rank) {
                let known = places.entry(text).or_insert_with(|| {
                    order.push(text);
                    Known::default()
                });
                match rank.header.was_reached(number) {
                    Some(true) if rank.is_recorded() => known.reached = true,
                    Some(true) => known.reached_unrecorded = true,
                    Some(false) => {}
                    None => known.unknown = true,
                }
            }
        }
        let is_empty = self.ranks.iter().all(|rank| rank.tally.calls.values().all(|measure| measure.calls == 0));
        let runs = self.ranks.iter().any(|rank| rank.alive_at_ns.is_some());
        let known = order.into_iter().filter_map(|text| Some((text, places.remove(text)?)));
        let never = known.filter(|(_, known)| !known.reached && !known.unknown);
        let note = |(text, known): (&str, Known)| {
            Diagnostic::note("place-not-reached", sentence(text, &known, is_empty, runs))
        };
        never.map(note).collect()
    }
}

/// Numbers and names of a process's places, in the order of the numbers.
fn asked(rank: &Rank) -> impl Iterator<Item = (usize, &str)> {
    let facts = rank.defs.info.range(place::FACT.to_owned()..);
    let facts = facts.map_while(|(key, text)| Some((key.strip_prefix(place::FACT)?, text.as_str())));
    let mut asked: Vec<(usize, &str)> = facts.filter_map(|(number, text)| Some((number.parse().ok()?, text))).collect();
    asked.sort_unstable();
    asked.into_iter()
}

/// `text` is `on function:solve`. The first clause fits into a line of the report.
fn sentence(text: &str, known: &Known, is_empty: bool, runs: bool) -> String {
    let begin = match (known.reached_unrecorded, runs) {
        (true, _) => return format!("--{text} was reached only by ranks that are not recorded (--ranks)"),
        (_, true) => "has not been reached so far",
        _ => "was never reached",
    };
    let so = if is_empty && text.starts_with("on ") { "; nothing was recorded" } else { "" };
    let why = match text.contains(" function:") {
        true => "no recorded rank called it, or the compiler inlined it everywhere (with -g, inlined copies count)",
        false => "no recorded rank executed that line",
    };
    format!("--{text} {begin}{so}: {why}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use mpiscope_abi::id;
    use mpiscope_trace::Shape;
    use mpiscope_trace::layout::{MAX_PLACES, place};
    use mpiscope_trace::testing::Builder;

    use super::*;
    use crate::run::Live;

    const SOLVE: &str = "on function:solve";
    const LINE: &str = "off solver.c:12";

    /// A process with places and the values of their bytes.
    fn rank(number: i32, places: &[(usize, &str, u8)], calls: u64) -> Builder {
        let mut file = Builder::new(number, 2);
        for &(at, text, byte) in places {
            file.info(&format!("{}{at}", place::FACT), text);
            if at < MAX_PLACES {
                file.header.reached[at] = byte;
            }
        }
        file.threads[0].shape(Shape { function: id::Barrier, calls, ..Shape::default() });
        file
    }

    fn told(ranks: &[Builder]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ranks);
        let run = Run::open(folder.path(), &Live::default()).unwrap();
        run.never_reached().into_iter().map(|note| note.text).collect()
    }

    fn write(folder: &Path, ranks: &[Builder]) {
        fs::create_dir(folder.join("ranks")).unwrap();
        for (i, rank) in ranks.iter().enumerate() {
            fs::write(folder.join(format!("ranks/h.{i}.rank")), rank.bytes()).unwrap();
        }
    }

    #[test]
    fn one_rank_is_enough() {
        let places = |solve, line| [(0, SOLVE, solve), (1, LINE, line)];
        let never = "--on function:solve was never reached; nothing was recorded: no recorded rank called it, or the compiler \
                     inlined it everywhere (with -g, inlined copies count)";
        let line = "--off solver.c:12 was never reached: no recorded rank executed that line";
        assert_eq!(told(&[rank(0, &places(0, 0), 0), rank(1, &places(0, 0), 0)]), [never, line]);
        assert_eq!(told(&[rank(0, &places(0, 0), 0), rank(1, &places(1, 0), 3)]), [line]);
        assert_eq!(told(&[rank(0, &places(1, 0), 5), rank(1, &places(0, 1), 3)]), [""; 0]);
        // Something else has switched it on.
        assert!(
            told(&[rank(0, &places(0, 1), 1)])[0]
                .starts_with("--on function:solve was never reached: no recorded rank")
        );
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let never = |byte| rank(0, &[(0, SOLVE, byte)], 0);
        assert_eq!(told(&[never(place::NOT_REACHED), never(place::UNKNOWN)]).len(), 0);
        assert_eq!(told(&[never(77)]).len(), 0);
        assert_eq!(told(&[rank(0, &[(MAX_PLACES, SOLVE, 0), (usize::MAX, LINE, 0)], 0)]).len(), 0);
        // A process without the place has no information about it.
        assert_eq!(told(&[never(place::NOT_REACHED), rank(1, &[], 9)]).len(), 1);
        // Written by an mpiscope that did not note it.
        let mut old = never(place::NOT_REACHED);
        old.header.header_bytes = std::mem::offset_of!(mpiscope_trace::layout::Header, reached) as u32;
        assert_eq!(told(&[old]).len(), 0);
    }

    #[test]
    fn by_ranks_that_nobody_wanted() {
        let mut unwanted = rank(0, &[(0, SOLVE, place::REACHED)], 0);
        unwanted.header.off_reason = crate::losses::RANK_NOT_WANTED;
        let told = told(&[unwanted, rank(1, &[(0, SOLVE, place::NOT_REACHED)], 0)]);
        assert_eq!(told, ["--on function:solve was reached only by ranks that are not recorded (--ranks)"]);
    }

    /// Each process has its own numbers: under a launcher, each resolves its places itself.
    #[test]
    fn by_name_and_in_the_order_given() {
        let many: Vec<String> = (0..12).map(|i| format!("on a.c:{}", 100 - i)).collect();
        let asked = |reached: usize| -> Vec<(usize, &str, u8)> {
            many.iter().enumerate().map(|(i, text)| (i, text.as_str(), u8::from(i == reached))).collect()
        };
        let told = told(&[rank(0, &asked(99), 0), rank(1, &[(0, "on a.c:91", 1)], 0)]);
        assert_eq!(told.len(), 11);
        let line = |text: &String| text.split(' ').nth(1).unwrap().to_owned();
        assert_eq!(
            (line(&told[0]), line(&told[1]), line(&told[10])),
            ("a.c:100".into(), "a.c:99".into(), "a.c:89".into())
        );
    }
}
