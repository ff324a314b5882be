//! Converts the clock of each host to that of a reference host, by the rounds that `mpiscope exec` has measured.
//!
//! Each round shows that at this moment of the host, the reference was ahead by *offset*, with an error of at most half the
//! round-trip time, however asymmetric the directions were. Between two rounds the offset is interpolated. Its error follows
//! from one assumption: a clock's rate is constant between two consecutive rounds. Then the error between them is at most
//! the interpolation of theirs. Before the first and after the last round the line is extrapolated, and the error grows, as
//! the slope is uncertain.
//!
//! Inaccurate rounds are left out: of rounds close together all but the best, and those much worse than most, unless they
//! are the first or the last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::run::Run;

/// Latest version of the files that this crate reads, and the most of one that it reads.
const FORMAT: u32 = 1;
const MOST_BYTES: u64 = 64 << 20;
/// Rounds closer than this are combined: a slope from two of them would be noise.
const CLOSE_NS: u64 = 50_000_000;
/// Maximum error of a round, as a multiple of the median.
const WORSE: u64 = 4;
/// Maximum drift of a computer's oscillator; used if there is only one round, which does not show the rate.
const UNKNOWN_RATE: f64 = 100e-6;

/// One measured offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// When, on the host's own clock, ns.
    pub at_ns: u64,
    /// The reference's clock less the host's, ns.
    pub offset_ns: i64,
    /// Maximum error, ns.
    pub error_ns: u64,
}

/// The basis of the conversion of a host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// It is the reference, or the only host.
    Reference,
    /// Rounds of messages.
    Rounds,
    /// The time of day of both hosts: as accurate as their NTP, which is unknown.
    TimeOfDay,
    /// No data.
    Unknown,
}

/// A moment on the clock of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// ns. May be below 0: the reference may have been started after the host.
    pub ns: i64,
    /// Maximum error, if known, ns.
    pub error_ns: Option<u64>,
}

/// The conversion from one host's clock to the reference's.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockMap {
    /// Its basis.
    pub basis: Basis,
    /// Ascending in time, at least [`CLOSE_NS`] apart.
    rounds: Vec<Round>,
}

impl ClockMap {
    /// The identity, for the reference.
    pub fn identity() -> ClockMap {
        ClockMap { basis: Basis::Reference, rounds: Vec::new() }
    }

    /// Built from measured rounds, in any order.
    pub fn from_rounds(rounds: &[Round]) -> ClockMap {
        let rounds = selected(rounds);
        ClockMap { basis: if rounds.is_empty() { Basis::Unknown } else { Basis::Rounds }, rounds }
    }

    /// Built from the time of day on both hosts.
    fn from_offset(at_ns: u64, offset_ns: i64) -> ClockMap {
        ClockMap { basis: Basis::TimeOfDay, rounds: vec![Round { at_ns, offset_ns, error_ns: 0 }] }
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.rounds.is_empty()
    }

    /// Moments of the host between which the conversion is linear, ascending.
    pub fn turns(&self) -> impl Iterator<Item = u64> {
        self.rounds.iter().map(|round| round.at_ns)
    }

    /// Converts a moment of the host to the clock of the reference.
    pub fn to_reference(&self, local_ns: u64) -> Moment {
        let (offset, error) = self.offset(local_ns);
        let ns = i128::from(local_ns) + offset.round() as i128;
        let ns = ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let error_ns = match self.basis {
            Basis::Reference => Some(0),
            Basis::Rounds => Some(error.ceil() as u64),
            Basis::TimeOfDay | Basis::Unknown => None,
        };
        Moment { ns, error_ns }
    }

    /// Offset and error, ns.
    fn offset(&self, at_ns: u64) -> (f64, f64) {
        let (Some(first), Some(last)) = (self.rounds.first(), self.rounds.last()) else { return (0.0, 0.0) };
        let value = |round: &Round| (round.offset_ns as f64, round.error_ns as f64);
        if first.at_ns == last.at_ns {
            let ((offset, error), apart) = (value(first), at_ns.abs_diff(first.at_ns) as f64);
            return (offset, error + UNKNOWN_RATE * apart);
        }
        let after = self.rounds.partition_point(|round| round.at_ns <= at_ns);
        let span = |a: &Round, b: &Round| (b.at_ns - a.at_ns) as f64;
        match (after.checked_sub(1).map(|at| &self.rounds[at]), self.rounds.get(after)) {
            (Some(a), Some(b)) => {
                let share = span(a, &Round { at_ns, ..*a }) / span(a, b);
                let between = |x: i64, y: i64| x as f64 + share * (i128::from(y) - i128::from(x)) as f64;
                (between(a.offset_ns, b.offset_ns), between(a.error_ns as i64, b.error_ns as i64))
            }
            (a, _) => {
                let (near, far) = if a.is_some() { (last, first) } else { (first, last) };
                let apart = at_ns as f64 - near.at_ns as f64;
                let slope = (i128::from(last.offset_ns) - i128::from(first.offset_ns)) as f64 / span(first, last);
                let doubt = (near.error_ns + far.error_ns) as f64 / span(first, last);
                let (offset, error) = value(near);
                (offset + slope * apart, error + doubt * apart.abs())
            }
        }
    }

    /// How much faster the reference is, in parts per million; `None` with less than two rounds.
    pub fn drift_ppm(&self) -> Option<f64> {
        let (first, last) = (self.rounds.first()?, self.rounds.last()?);
        let span = last.at_ns.checked_sub(first.at_ns).filter(|&span| span > 0)?;
        Some((i128::from(last.offset_ns) - i128::from(first.offset_ns)) as f64 / span as f64 * 1e6)
    }
}

/// The rounds in use, ascending.
fn selected(rounds: &[Round]) -> Vec<Round> {
    let mut rounds = rounds.to_vec();
    rounds.sort_unstable_by_key(|round| (round.at_ns, round.error_ns));
    let mut errors: Vec<u64> = rounds.iter().map(|round| round.error_ns).collect();
    errors.sort_unstable();
    let Some(&median) = errors.get(errors.len() / 2) else { return rounds };
    let limit = median.saturating_mul(WORSE);
    let ends = rounds.len() - 1;
    let mut kept: Vec<Round> = Vec::new();
    for (at, round) in rounds.into_iter().enumerate() {
        if round.error_ns > limit && at != 0 && at != ends {
            continue;
        }
        match kept.last_mut() {
            Some(last) if round.at_ns - last.at_ns < CLOSE_NS => {
                if round.error_ns < last.error_ns {
                    *last = round;
                }
            }
            _ => kept.push(round),
        }
    }
    kept
}

/// Data about one host's clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockRow {
    /// Host name.
    pub host: String,
    /// Basis of its conversion.
    pub basis: Basis,
    /// Rounds that were measured.
    pub rounds: u64,
    /// Rounds that were left out as inaccurate.
    pub rounds_left_out: u64,
    /// Recorded failed attempts.
    pub failures: u64,
    /// The reference's clock less this one's, at the first round or moment known, ns.
    pub offset_ns: Option<i64>,
    /// How much faster the reference runs, parts per million.
    pub drift_ppm: Option<f64>,
    /// Largest error of a moment of the run on this host, ns.
    pub error_ns: Option<u64>,
    /// Shortest round-trip time of a message, ns.
    pub rtt_ns: Option<u64>,
}

/// The clocks of a run's hosts.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    maps: BTreeMap<String, ClockMap>,
    /// One for each host, by name; empty when the run was on one host.
    pub rows: Vec<ClockRow>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    format: Option<u32>,
    boot_id: String,
    reference: Option<String>,
    monotonic_ns: u64,
    realtime_ns: u64,
    at_ns: u64,
    offset_ns: Option<i64>,
    rtt_ns: u64,
    failed: Option<String>,
}

/// One host's file.
#[derive(Clone, Debug, Default, PartialEq)]
struct File {
    reference: Option<String>,
    boot_ids: BTreeSet<String>,
    rounds: Vec<Round>,
    rtt_ns: Option<u64>,
    /// When it was begun, on `CLOCK_MONOTONIC` and in time of day.
    begun_ns: Option<(u64, u64)>,
    failures: u64,
    why: Option<String>,
}

impl File {
    /// Reads a file of lines. Incomplete and unknown lines are left out.
    fn parse(text: &str) -> Result<File, String> {
        let mut file = File::default();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
            match line {
                Line { format: Some(format), .. } if format > FORMAT => {
                    return Err(format!(
                        "format {format}, but this mpiscope reads only up to {FORMAT}; use a newer mpiscope"
                    ));
                }
                Line { format: Some(_), boot_id, reference, monotonic_ns, realtime_ns, .. } => {
                    // Only rounds with one reference count.
                    if file.reference.is_some() && file.reference != reference {
                        file.rounds.clear();
                    }
                    file.reference = reference;
                    file.boot_ids.insert(boot_id);
                    file.begun_ns.get_or_insert((monotonic_ns, realtime_ns));
                }
                Line { at_ns, offset_ns: Some(offset_ns), rtt_ns, .. } => {
                    // Rounds both ends of a bound between two ns.
                    file.rounds.push(Round { at_ns, offset_ns, error_ns: rtt_ns.div_ceil(2) });
                    file.rtt_ns = Some(file.rtt_ns.map_or(rtt_ns, |least| least.min(rtt_ns)));
                }
                Line { failed: Some(why), .. } => {
                    file.failures += 1;
                    file.why.get_or_insert(why);
                }
                _ => {}
            }
        }
        Ok(file)
    }

    fn read(path: &Path) -> Result<File, String> {
        let size = fs::metadata(path).map_err(|e| e.to_string())?.len();
        if size > MOST_BYTES {
            return Err(format!("too large for a file of clock rounds ({size} bytes)"));
        }
        File::parse(&String::from_utf8_lossy(&fs::read(path).map_err(|e| e.to_string())?))
    }
}

impl Clocks {
    /// Files of `clocks/` of a run, one for each host, by name.
    pub fn files(run: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(run.join("clocks")).into_iter().flatten().flatten();
        let is_host = |name: &str| name.ends_with(".jsonl") && !name.starts_with('.');
        let mut found: Vec<PathBuf> =
            entries.filter(|entry| is_host(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
        found.sort();
        found
    }

    /// Reads `clocks/` of a run.
    pub fn read(run: &Run) -> (Clocks, Vec<Diagnostic>) {
        let (mut files, mut problems) = (BTreeMap::new(), Vec::new());
        for path in Clocks::files(&run.path) {
            let host = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match File::read(&path) {
                Ok(file) => {
                    files.insert(host, file);
                }
                Err(why) => problems.push(Diagnostic::skipped(&format!("clocks/{host}.jsonl"), why)),
            }
        }
        // First and last moment of each host, and its time of day.
        let mut spans: BTreeMap<String, (u64, u64, i64)> = BTreeMap::new();
        for rank in run.ranks.iter().filter(|rank| !rank.host().is_empty()) {
            let anchor = rank.header.anchors[0];
            let day = (i128::from(anchor.realtime_ns) - i128::from(anchor.monotonic_ns)) as i64;
            let span = (anchor.monotonic_ns, rank.end_ns());
            let entry = spans.entry(rank.host().to_owned()).or_insert((span.0, span.1, day));
            (entry.0, entry.1) = (entry.0.min(span.0), entry.1.max(span.1));
        }
        let clocks = Clocks::of(&files, &spans);
        problems.extend(clocks.problems(&files));
        (clocks, problems)
    }

    fn of(files: &BTreeMap<String, File>, spans: &BTreeMap<String, (u64, u64, i64)>) -> Clocks {
        let mut clocks = Clocks::default();
        if spans.len() < 2 {
            clocks.maps.extend(spans.keys().map(|host| (host.clone(), ClockMap::identity())));
            return clocks;
        }
        // Without rounds, the first host by name is the reference.
        let recorded = files.iter().filter_map(|(host, file)| (file.reference.as_ref() == Some(host)).then_some(host));
        let reference = recorded.chain(spans.keys()).next().cloned().unwrap_or_default();
        let day = |host: &str| {
            let begun = files.get(host).and_then(|file| file.begun_ns);
            let begun = begun.map(|(monotonic, real)| (i128::from(real) - i128::from(monotonic)) as i64);
            begun.or_else(|| spans.get(host).map(|span| span.2))
        };
        for (host, &(first_ns, last_ns, _)) in spans {
            let file = files.get(host).cloned().unwrap_or_default();
            // Two machines have the same name: their rounds cannot be distinguished.
            let is_one = file.boot_ids.len() <= 1;
            let mut map = ClockMap::identity();
            if *host != reference {
                let own = file.reference.as_deref() == Some(&reference) && is_one;
                map = ClockMap::from_rounds(if own { &file.rounds } else { &[] });
                if map.basis == Basis::Unknown
                    && is_one
                    && let (Some(here), Some(there)) = (day(host), day(&reference))
                {
                    map = ClockMap::from_offset(first_ns, here.wrapping_sub(there));
                }
            }
            let kept = if map.basis == Basis::Rounds { map.rounds.len() } else { 0 };
            let error = |at: u64| map.to_reference(at).error_ns;
            let turns = map.turns().chain([first_ns, last_ns]);
            clocks.rows.push(ClockRow {
                host: host.clone(),
                basis: map.basis,
                rounds: file.rounds.len() as u64,
                rounds_left_out: (file.rounds.len() - kept) as u64,
                failures: file.failures,
                offset_ns: map.rounds.first().map(|round| round.offset_ns).or((*host == reference).then_some(0)),
                drift_ppm: map.drift_ppm(),
                error_ns: turns.filter(|at| (first_ns..=last_ns).contains(at)).filter_map(error).max(),
                rtt_ns: file.rtt_ns,
            });
            clocks.maps.insert(host.clone(), map);
        }
        clocks
    }

    /// The largest error of a moment of a host, ns; nothing where its clock was not compared.
    pub fn error_ns(&self, host: &str) -> Option<u64> {
        match self.rows.iter().find(|row| row.host == host) {
            Some(row) => row.error_ns,
            None => self.rows.is_empty().then_some(0),
        }
    }

    /// The map of a host's clock.
    pub fn map(&self, host: &str) -> Option<&ClockMap> {
        self.maps.get(host)
    }

    fn problems(&self, files: &BTreeMap<String, File>) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        // No note if rounds were switched off.
        for row in self.rows.iter().filter(|_| !files.is_empty()) {
            let file = files.get(&row.host);
            let machines = file.map_or(0, |file| file.boot_ids.len());
            if machines > 1 {
                let text = format!("{machines} machines have the name {}: their clocks cannot be compared", row.host);
                found.push(Diagnostic::note("host-name-shared", text));
            } else if matches!(row.basis, Basis::TimeOfDay | Basis::Unknown) {
                let why = file.and_then(|file| file.why.as_ref()).map_or_else(String::new, |why| format!(" ({why})"));
                let text = format!(
                    "the clock of {} was not compared with the others{why}: times across hosts are only as accurate as their time \
                 of day",
                    row.host
                );
                found.push(Diagnostic::note("clock-not-compared", text));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n.max(1)
        }
    }

    /// The truth, as a line.
    #[derive(Clone, Copy)]
    struct Truth {
        offset_ns: i64,
        ppm: f64,
    }

    impl Truth {
        fn offset(&self, at_ns: u64) -> f64 {
            self.offset_ns as f64 + self.ppm * 1e-6 * at_ns as f64
        }

        /// A round whose two ways are uneven by chance.
        fn round(&self, at_ns: u64, dice: &mut Dice, worst_rtt_ns: u64) -> Round {
            let rtt = 1000 + dice.below(worst_rtt_ns);
            let lean = dice.below(rtt + 1) as f64 - rtt as f64 / 2.0;
            Round { at_ns, offset_ns: (self.offset(at_ns) + lean).round() as i64, error_ns: rtt.div_ceil(2) + 1 }
        }
    }

    #[test]
    fn shifted_and_skewed_clocks_come_back_within_the_bound() {
        let mut dice = Dice(7);
        for case in 0..2000 {
            let truth =
                Truth { offset_ns: dice.below(1 << 45) as i64 - (1 << 44), ppm: dice.below(400) as f64 - 200.0 };
            let (begin, every) = (dice.below(1 << 44), 1 + dice.below(20_000_000_000));
            let count = 2 + dice.below(30);
            let mut rounds: Vec<Round> = (0..count)
                .map(|n| {
                    // Now and then one that waited for a processor.
                    let worst = if dice.below(5) == 0 { 30_000_000 } else { 50_000 };
                    truth.round(begin + n * every, &mut dice, worst)
                })
                .collect();
            let end = begin + (count - 1) * every;
            rounds.reverse();
            let map = ClockMap::from_rounds(&rounds);
            if map.rounds.len() < 2 {
                continue; // all of them close together: the bound then rests on the rate alone
            }
            for _ in 0..50 {
                // Also before the first and after the last.
                let at = (begin + dice.below(end - begin + 2_000_000_000)).saturating_sub(1_000_000_000);
                let (moment, expected) = (map.to_reference(at), at as f64 + truth.offset(at));
                let (away, bound) = ((moment.ns as f64 - expected).abs(), moment.error_ns.unwrap() as f64);
                assert!(away <= bound + 2.0, "case {case}: {away} ns at {at}, bound {bound}, {map:?}");
            }
        }
    }

    #[test]
    fn one_round_knows_no_rate() {
        let truth = Truth { offset_ns: -5_000_000_000, ppm: 80.0 };
        let at = 10_000_000_000;
        let map = ClockMap::from_rounds(&[truth.round(at, &mut Dice(1), 10)]);
        for away in [0, 1_000_000, 4_000_000_000] {
            let moment = map.to_reference(at + away);
            let expected = (at + away) as f64 + truth.offset(at + away);
            assert!((moment.ns as f64 - expected).abs() <= moment.error_ns.unwrap() as f64 + 1.0, "{away}");
        }
        assert!(map.to_reference(at).error_ns < map.to_reference(0).error_ns);
        assert_eq!(map.drift_ppm(), None);
    }

    #[test]
    fn no_round_and_the_reference_itself() {
        let same = ClockMap::identity();
        assert_eq!(same.to_reference(77), Moment { ns: 77, error_ns: Some(0) });
        let none = ClockMap::from_rounds(&[]);
        assert_eq!((none.basis, none.to_reference(77).error_ns), (Basis::Unknown, None));
        // Extremes do not overflow.
        let wild = [
            Round { at_ns: 0, offset_ns: i64::MAX, error_ns: u64::MAX / 2 },
            Round { at_ns: u64::MAX, offset_ns: i64::MIN, error_ns: 0 },
        ];
        let _ = ClockMap::from_rounds(&wild).to_reference(u64::MAX);
        let _ = ClockMap::from_rounds(&wild[..1]).to_reference(u64::MAX);
    }

    #[test]
    fn a_bad_round_between_good_ones_is_left_out() {
        let round = |at_s: u64, offset_ns, error_ns| Round { at_ns: at_s * 1_000_000_000, offset_ns, error_ns };
        let rounds = [round(1, 1000, 10), round(2, 90_000, 100_000), round(3, 1020, 10), round(4, 1030, 10)];
        let map = ClockMap::from_rounds(&rounds);
        assert_eq!(map.to_reference(2_000_000_000), Moment { ns: 2_000_001_010, error_ns: Some(10) });
        assert_eq!(map.drift_ppm(), Some(0.01));
        // The last stays, however bad: nothing else is known of the end.
        let map = ClockMap::from_rounds(&[round(1, 0, 10), round(2, 0, 10), round(3, 0, 5000)]);
        assert_eq!(map.rounds.len(), 3);
    }

    const HEAD: &str = r#"{"format":1,"host":"b","boot_id":"x","clock":"CLOCK_MONOTONIC","reference":"a","monotonic_ns":50,"realtime_ns":1050}"#;

    #[test]
    fn files_are_read_line_by_line() {
        let text = format!(
            "{HEAD}\n{}\nnonsense\n{}\n{}",
            r#"{"when":"start","at_ns":5,"offset_ns":-7,"rtt_ns":9,"exchanges":3}"#,
            r#"{"at_ns":6,"failed":"the reference is not reached"}"#,
            r#"{"when":"end","at_ns":9,"offset_"#
        );
        let file = File::parse(&text).unwrap();
        assert_eq!(file.rounds, [Round { at_ns: 5, offset_ns: -7, error_ns: 5 }]);
        assert_eq!((file.failures, file.rtt_ns, file.begun_ns), (1, Some(9), Some((50, 1050))));
        assert!(File::parse(&HEAD.replace("\"format\":1", "\"format\":9")).is_err());
    }

    #[test]
    fn hosts_without_rounds_go_by_the_time_of_day() {
        let file = |text: &str| File::parse(text).unwrap();
        let a = HEAD.replace("\"host\":\"b\"", "\"host\":\"a\"").replace(":1050", ":9050");
        let files = BTreeMap::from([("a".to_owned(), file(&a)), ("b".to_owned(), file(HEAD))]);
        let spans = BTreeMap::from([
            ("a".to_owned(), (0, 100, 9000)),
            ("b".to_owned(), (50, 90, 1000)),
            ("c".to_owned(), (0, 90, 500)),
        ]);
        let clocks = Clocks::of(&files, &spans);
        let basis: Vec<Basis> = clocks.rows.iter().map(|row| row.basis).collect();
        assert_eq!(basis, [Basis::Reference, Basis::TimeOfDay, Basis::TimeOfDay]);
        // a: monotonic 0 is 9000 of the day; b: 50 is 1050, so 0 of b is 1000: 8000 before a's beginning.
        assert_eq!(clocks.map("b").unwrap().to_reference(50), Moment { ns: 50 - 8000, error_ns: None });
        assert_eq!(clocks.problems(&files).len(), 2);
        let twins = BTreeMap::from([
            ("a".to_owned(), file(&a)),
            ("b".to_owned(), file(&format!("{HEAD}\n{}", HEAD.replace("\"x\"", "\"y\"")))),
        ]);
        let clocks = Clocks::of(&twins, &spans);
        assert_eq!(clocks.rows[1].basis, Basis::Unknown);
        assert!(clocks.problems(&twins)[0].text.contains("2 machines have the name b"));
        // One host: nothing to say.
        let alone = Clocks::of(&files, &BTreeMap::from([("a".to_owned(), (0, 100, 9000))]));
        assert!(alone.rows.is_empty() && alone.map("a").unwrap().basis == Basis::Reference);
    }
}
