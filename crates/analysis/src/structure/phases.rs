//! Phases of an iteration: stretches of calls that belong together, and computations between them.

use mpiscope_abi::role::Role;
use mpiscope_store::{Dimensions, Facts, RegionId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::iterations::{Loop, Turns};
use super::robust::median;
use super::sequence::{NOBODY, Sequence};
use super::tokens::{Alphabet, Meaning, POLL, Tables};

/// A part of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Region or function of the program; `before …` for a computation without calls.
    pub name: String,
    /// Site of its first call; empty for a computation.
    pub site: String,
    /// MPI functions called in it, in order of first use; none for a computation.
    pub functions: Vec<&'static str>,
    /// Share of an iteration.
    pub share: f64,
    /// Typical length in one iteration, computation between its calls included: median over ranks.
    pub median_ns: u64,
}

/// To which phases the time of calls belongs.
#[derive(Clone, Debug, Default)]
pub(crate) struct InPhases {
    /// Of each rank, by facts; nothing for ranks with other phases.
    pub ranks: Vec<Vec<Option<OfFacts>>>,
}

/// To which phases the time of calls with the same facts belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfFacts {
    /// That of the calls.
    pub inside: usize,
    /// That of the computing before them, where they follow a call of another phase.
    pub before: usize,
    /// Share of the computing before them that belongs to `before`.
    pub before_share: f64,
    /// Share of it that belongs to `inside`; the rest is outside of the loop.
    pub inside_share: f64,
}

/// A computation of less than this share of an iteration belongs to the calls around it.
const LEAST_COMPUTATION: f64 = 0.05;
/// Unless it is this share of all computation of an iteration: where ranks wait a lot, that is what they do.
const MUCH_COMPUTATION: f64 = 0.08;
/// The same between calls of the same function of the program.
const LEAST_WITHIN: f64 = 0.10;
/// Calls that come once in so many turns are of the loop.
const RARE: u64 = 64;
/// Smaller phases join the one before.
const LEAST_PHASE: f64 = 0.01;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    /// Place of the first call, and whether it is the computation before that.
    place: u32,
    is_computation: bool,
}

struct Part {
    shape: Shape,
    /// Length in each turn that was sampled.
    ns: Vec<u64>,
    places: Vec<u32>,
    /// Letters whose calls are in it.
    letters: Vec<u16>,
    /// Letters before which it is computed, with the letter before that.
    entries: Vec<(u16, u16)>,
}

/// A rank with its parts.
type OfRank = (usize, Vec<Part>);

/// The phases that most ranks agree on, and what is in them.
pub(crate) fn find(
    l: &Loop<'_>,
    sequences: &[Sequence],
    tables: &Tables,
    dimensions: &Dimensions,
    facts: &[Vec<Facts>],
) -> (Vec<Phase>, InPhases) {
    let mut groups: FxHashMap<Vec<Shape>, Vec<OfRank>> = FxHashMap::default();
    for turns in &l.turns {
        let parts = parts(turns, &sequences[turns.rank], &tables.ranks[turns.rank], tables, dimensions);
        if parts.is_empty() {
            continue;
        }
        groups.entry(parts.iter().map(|p| p.shape.clone()).collect()).or_default().push((turns.rank, parts));
    }
    let most =
        groups.into_iter().max_by_key(|(shapes, ranks)| (ranks.len(), shapes.len(), shapes.first().map(|s| s.place)));
    let Some((shapes, ranks)) = most else { return Default::default() };
    let names: Vec<String> = shapes.iter().map(|s| name(s.place, tables, dimensions)).collect();
    let mut phases: Vec<Phase> = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        let mut lengths: Vec<u64> = ranks.iter().map(|(_, parts)| median(&mut parts[at].ns.clone())).collect();
        let mut functions: Vec<&'static str> = Vec::new();
        for &place in &ranks[0].1[at].places {
            let function = tables.function(place);
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let before = &names[(at + names.len() - 1) % names.len()];
        let name = match shape.is_computation {
            true if *before == names[at] => format!("computation around {before}"),
            true => format!("computation between {before} and {}", names[at]),
            false => names[at].clone(),
        };
        let site = if shape.is_computation { String::new() } else { tables.text(shape.place, dimensions) };
        phases.push(Phase { name, site, functions, share: 0.0, median_ns: median(&mut lengths) });
    }
    let total: u64 = phases.iter().map(|p| p.median_ns).sum();
    for phase in &mut phases {
        phase.share = phase.median_ns as f64 / total.max(1) as f64;
    }
    let mut inside = InPhases { ranks: vec![Vec::new(); sequences.len()] };
    for (rank, parts) in &ranks {
        let Some(turns) = l.turns_of(*rank) else { continue };
        let told = Told { alphabet: &tables.ranks[*rank], facts: &facts[*rank], tables, dimensions };
        inside.ranks[*rank] = of_rank(turns, parts, &sequences[*rank], &told);
    }
    (phases, inside)
}

/// What calls of a rank are.
struct Told<'a> {
    alphabet: &'a Alphabet,
    facts: &'a [Facts],
    tables: &'a Tables,
    dimensions: &'a Dimensions,
}

/// To which phases the calls of one rank belong, by facts.
fn of_rank(turns: &Turns<'_>, parts: &[Part], sequence: &Sequence, told: &Told<'_>) -> Vec<Option<OfFacts>> {
    let Told { alphabet, facts, tables, dimensions } = *told;
    let mut inside: Vec<Option<usize>> = vec![None; alphabet.meanings.len()];
    let mut before: Vec<Option<(usize, u32)>> = vec![None; inside.len()];
    let place = |letter: u16| alphabet.meanings.get(usize::from(letter)).map(|m| m.place);
    for (at, part) in parts.iter().enumerate() {
        part.letters.iter().for_each(|&l| inside[usize::from(l)] = Some(at));
        for &(letter, from) in &part.entries {
            before[usize::from(letter)] = place(from).map(|from| (at, from));
        }
    }
    // What is not in every turn belongs to what comes after it; the last before the next turn.
    let mut next = inside[usize::from(turns.level.marker)];
    for &letter in turns.level.body.iter().rev() {
        let own = &mut inside[usize::from(letter)];
        *own = own.or(next);
        next = *own;
    }
    // What is rarer still, to the phase with its like.
    let alike = |letters: &[Option<usize>], wanted: Key<'_>| {
        let like =
            |(&part, meaning): (&Option<usize>, &Meaning)| part.filter(|_| key(meaning, tables, dimensions) == wanted);
        letters.iter().zip(&alphabet.meanings).find_map(like)
    };
    let often = (turns.count / RARE).max(3);
    for at in 0..inside.len() {
        if inside[at].is_none() && u64::from(sequence.letters[at].count) >= often {
            inside[at] = alike(&inside, key(&alphabet.meanings[at], tables, dimensions));
        }
    }
    let shares: Vec<Option<OfFacts>> = (0..inside.len())
        .map(|at| {
            let own = inside[at]?;
            let letter = &sequence.letters[at];
            let part_of = |from: u16| inside.get(usize::from(from)).copied().flatten();
            // Of the computing before it: after calls of the same phase, of others, of none.
            let mut ns = [0u64; 3];
            for step in letter.steps.iter().filter(|s| s.count > 0) {
                let whose = match (part_of(step.from), before[at]) {
                    // An inner loop.
                    (Some(part), Some((_, from))) if part == own && place(step.from) != Some(from) => 0,
                    (Some(_), _) => 1,
                    // After a poll.
                    (None, _) if step.from == NOBODY => 1,
                    (None, _) => 2,
                };
                ns[whose] += step.gap_ns;
            }
            if letter.first_before == NOBODY {
                let first_ns = letter.first_gap_ns.min(ns[1]);
                ns = [ns[0], ns[1] - first_ns, ns[2] + first_ns];
            }
            let all = ns.iter().sum::<u64>().max(1) as f64;
            let [inside_share, before_share] = [ns[0], ns[1]].map(|ns| ns as f64 / all);
            Some(OfFacts { inside: own, before: before[at].map_or(own, |b| b.0), before_share, inside_share })
        })
        .collect();
    let of_facts = |(facts, &letter): (&Facts, &u16)| {
        if letter != POLL {
            return shares.get(usize::from(letter)).copied().flatten();
        }
        let own = alike(&inside, key_of(facts.region, dimensions.site(facts.site), Kind::Messages))?;
        Some(OfFacts { inside: own, before: own, before_share: 0.0, inside_share: 1.0 })
    };
    facts.iter().zip(&alphabet.letters).map(of_facts).collect()
}

/// What a phase is called: the function of the program that contains its first call.
fn name(place: u32, tables: &Tables, dimensions: &Dimensions) -> String {
    let site = tables.places.get(place as usize).map_or("", |p| dimensions.site(p.site));
    match function_of(site) {
        "" => tables.function(place).to_owned(),
        name => name.to_owned(),
    }
}

/// `solve` of `solve solver.c:12`, of `solve+0x12` and of `solve(int, double*)+0x12`.
fn function_of(site: &str) -> &str {
    let name = match (site.rsplit_once("+0x"), site.rsplit_once(' ')) {
        (Some((name, _)), _) => name,
        (None, Some((name, line))) if line.contains(':') => name,
        (None, _) => site,
    };
    name.split_once('(').map_or(name, |(name, _)| name)
}

/// A letter in the order of a turn, with what each sampled turn spent up to its last return.
struct Stop {
    letter: u16,
    /// Computation before its first call, if that is the way from another phase.
    entry_ns: Vec<u64>,
    /// The rest since the letter before.
    inside_ns: Vec<u64>,
}

/// Letters of a turn in order. The first is the marker; before it stands what ended the turn.
fn stops(turns: &Turns<'_>, sequence: &Sequence, alphabet: &Alphabet) -> Vec<Stop> {
    let (level, count) = (turns.level, turns.count.max(1));
    let rounds = |n: u32| f64::from(n) / count as f64;
    let letter = |l: u16| &sequence.letters[usize::from(l)];
    let kept: Vec<usize> = (0..level.body.len()).filter(|&i| rounds(letter(level.body[i]).count) >= 0.5).collect();
    let mut stops = vec![Stop { letter: level.marker, entry_ns: Vec::new(), inside_ns: Vec::new() }];
    stops.extend(kept.iter().map(|&i| Stop { letter: level.body[i], entry_ns: Vec::new(), inside_ns: Vec::new() }));
    // Time between two letters where one follows the other about once in a turn; more often means an inner loop.
    let place = |l: u16| alphabet.meanings.get(usize::from(l)).map(|m| m.place);
    let gap = |from: u16, to: u16| {
        // Calls of one site with several peers are several letters, but one loop.
        let alike = stops.iter().filter(|s| place(s.letter) == place(to)).flat_map(|s| &letter(s.letter).steps);
        let times: u32 = alike.filter(|s| s.count > 0 && place(s.from) == place(from)).map(|s| s.count).sum();
        let step = letter(to).steps.iter().find(|s| s.from == from && rounds(s.count) >= 0.1);
        step.filter(|_| rounds(times) <= 1.5).map_or(0, |s| s.gap.median())
    };
    let gaps: Vec<u64> = stops.windows(2).map(|w| gap(w[0].letter, w[1].letter)).collect();
    let marker_ns = letter(level.marker).call.median();
    for sample in &level.samples {
        let (begin, end) = (sample[0], sample[sample.len() - 1]);
        let mut at = begin;
        let mut marker_ns = marker_ns;
        for (n, &i) in kept.iter().enumerate() {
            let until = sample[i + 1].clamp(at, end.max(at));
            let mut segment = until - at;
            at = until;
            if n == 0 {
                // The first segment begins with the marker itself.
                marker_ns = marker_ns.min(segment);
                segment -= marker_ns;
            }
            let entry = gaps[n].min(segment);
            stops[n + 1].entry_ns.push(entry);
            stops[n + 1].inside_ns.push(segment - entry);
        }
        let rest = end.saturating_sub(at);
        if kept.is_empty() {
            marker_ns = marker_ns.min(rest);
        }
        stops[0].entry_ns.push(if kept.is_empty() { rest - marker_ns } else { rest });
        stops[0].inside_ns.push(marker_ns);
    }
    stops
}

fn add(sum: &mut [u64], more: &[u64]) {
    sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
}

fn parts(
    turns: &Turns<'_>,
    sequence: &Sequence,
    alphabet: &Alphabet,
    tables: &Tables,
    dimensions: &Dimensions,
) -> Vec<Part> {
    if turns.level.samples.is_empty() {
        return Vec::new();
    }
    let stops = stops(turns, sequence, alphabet);
    let middle = |ns: &[u64]| median(&mut ns.to_vec()) as f64;
    let total: f64 = stops.iter().map(|s| middle(&s.entry_ns) + middle(&s.inside_ns)).sum();
    let rounds = |n: u32| f64::from(n) / turns.count.max(1) as f64;
    let computing: f64 = stops
        .iter()
        .flat_map(|s| &sequence.letters[usize::from(s.letter)].steps)
        .map(|s| s.gap.median() as f64 * rounds(s.count))
        .sum();
    let meaning = |stop: &Stop| alphabet.meanings[usize::from(stop.letter)];
    let mut parts: Vec<Part> = Vec::new();
    // Completions that several regions share belong to what is before them.
    let mut keys: Vec<Key<'_>> = Vec::new();
    for stop in &stops {
        let meant = meaning(stop);
        let own = key(&meant, tables, dimensions);
        keys.push(if meant.is_shared && meant.role == Role::Complete { *keys.last().unwrap_or(&own) } else { own });
    }
    for (at, stop) in stops.iter().enumerate() {
        let meant = meaning(stop);
        let last = (at + stops.len() - 1) % stops.len();
        let before = meaning(&stops[last]);
        let is_same = keys[at] == keys[last] || joins(&before, &meant);
        let least = if is_same && at > 0 { LEAST_WITHIN } else { LEAST_COMPUTATION };
        let entry = middle(&stop.entry_ns);
        let is_computation = entry > total * least || !is_same && entry > (computing * MUCH_COMPUTATION).max(1_000.0);
        let shape = |is_computation| Shape { place: meant.place, is_computation };
        let mut own = stop.inside_ns.clone();
        if is_computation {
            parts.push(Part {
                shape: shape(true),
                ns: stop.entry_ns.clone(),
                places: Vec::new(),
                letters: Vec::new(),
                entries: vec![(stop.letter, stops[last].letter)],
            });
        } else {
            add(&mut own, &stop.entry_ns);
        }
        match parts.last_mut() {
            Some(part) if !part.shape.is_computation && is_same => {
                add(&mut part.ns, &own);
                part.places.push(meant.place);
                part.letters.push(stop.letter);
            }
            _ => parts.push(Part {
                shape: shape(false),
                ns: own,
                places: vec![meant.place],
                letters: vec![stop.letter],
                entries: Vec::new(),
            }),
        }
    }
    // The computation before the first call stands at the end of the turn, where it happens.
    if parts.len() > 1 && parts[0].shape.is_computation {
        parts.rotate_left(1);
    }
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        match merged.last_mut() {
            Some(before) if !part.shape.is_computation && middle(&part.ns) < total * LEAST_PHASE => {
                add(&mut before.ns, &part.ns);
                if !before.shape.is_computation {
                    before.places.extend(part.places);
                }
                before.letters.extend(part.letters);
                before.entries.extend(part.entries);
            }
            _ => merged.push(part),
        }
    }
    merged
}

/// What calls of one phase have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key<'a> {
    Region(RegionId),
    Function(&'a str, Kind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Messages,
    Collective,
    Other,
}

fn key<'a>(meaning: &Meaning, tables: &Tables, dimensions: &'a Dimensions) -> Key<'a> {
    let site = tables.places.get(meaning.place as usize).map_or("", |p| dimensions.site(p.site));
    let kind = match meaning.role {
        Role::Collective(_) => Kind::Collective,
        Role::File => Kind::Other,
        _ => Kind::Messages,
    };
    key_of(meaning.region, site, kind)
}

fn key_of(region: RegionId, site: &str, kind: Kind) -> Key<'_> {
    if region.is_some() { Key::Region(region) } else { Key::Function(function_of(site), kind) }
}

/// Completions belong to what they complete.
fn joins(before: &Meaning, meaning: &Meaning) -> bool {
    meaning.role == Role::Complete && meaning.region == before.region && matches!(before.role, Role::Collective(_))
}

#[cfg(test)]
mod tests {
    use super::function_of;

    #[test]
    fn functions_of_sites() {
        for (site, function) in [
            ("solvex solver3.f:181", "solvex"),
            ("exchange+0x12", "exchange"),
            ("A::comm(int, void*)+0x2df", "A::comm"),
            ("A::comm(int, void*) comm.cpp:12", "A::comm"),
            ("", ""),
        ] {
            assert_eq!(function_of(site), function);
        }
    }
}
