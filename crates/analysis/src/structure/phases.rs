//! Phases of an iteration: stretches of calls that belong together, and computations between them.

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, Dimensions, RegionId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::iterations::{Loop, Turns};
use super::lockstep::Groups;
use super::robust::median;
use super::sequence::{NOBODY, Sequence};
use super::tokens::{Alphabet, CallSite, Meaning, POLL, Tables};
use crate::explanation::structure::{InPhases, OfFacts, Phase};

/// A computation shorter than this share of an iteration belongs to the calls around it,
const LEAST_COMPUTATION: f64 = 0.05;
/// unless it is this share of all computation of an iteration: in ranks that wait a lot, that is their work.
const MUCH_COMPUTATION: f64 = 0.08;
/// The same between calls of the same function of the program.
const LEAST_WITHIN: f64 = 0.10;
/// Calls that occur once in this many iterations belong to the loop.
const RARE: u64 = 64;
/// Smaller phases are merged with the previous one.
const LEAST_PHASE: f64 = 0.01;
/// At most this many phases: the smallest joins the previous one.
const MOST_PHASES: usize = 9;

/// The property in which phases of different ranks must agree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    /// The name of the phase, and whether it is the computation before the phase of that name.
    label: String,
    is_computation: bool,
}

struct Part {
    shape: Shape,
    /// Properties of the first call.
    place: u32,
    /// Length in each sampled iteration.
    ns: Vec<u64>,
    places: Vec<u32>,
    /// Letters of its calls.
    letters: Vec<u16>,
    /// Letters before which this computation occurs, each with the previous letter.
    entries: Vec<(u16, u16)>,
}

/// A rank and its parts.
type OfRank = (usize, Vec<Part>);

/// The phases on which most ranks agree, and their contents.
pub(crate) fn find(
    l: &Loop,
    sequences: &[Sequence],
    tables: &Tables,
    dimensions: &Dimensions,
    facts: &[Vec<CallInfo>],
) -> (Vec<Phase>, InPhases) {
    let mut groups: FxHashMap<Vec<Shape>, Vec<OfRank>> = FxHashMap::default();
    let mut tied: FxHashMap<String, Groups> = FxHashMap::default();
    for turns in &l.turns {
        let parts = parts(turns, &sequences[turns.rank], &tables.ranks[turns.rank], tables, dimensions);
        if parts.is_empty() {
            continue;
        }
        for part in parts.iter().filter(|p| !p.shape.is_computation) {
            let groups = tied.entry(part.shape.label.clone()).or_insert_with(|| Groups::new(sequences.len()));
            let meanings = part.letters.iter().map(|&l| &tables.ranks[turns.rank].meanings[usize::from(l)]);
            meanings.for_each(|meaning| groups.add_call(turns.rank, meaning, dimensions));
        }
        groups.entry(parts.iter().map(|p| p.shape.clone()).collect()).or_default().push((turns.rank, parts));
    }
    let most = groups.into_iter().max_by(|(a, of), (b, others)| {
        let labels = |shapes: &[Shape]| shapes.iter().map(|s| s.label.clone()).collect::<Vec<_>>();
        (of.len(), a.len(), labels(a)).cmp(&(others.len(), b.len(), labels(b)))
    });
    let Some((shapes, ranks)) = most else { return Default::default() };
    let names: Vec<&String> = shapes.iter().map(|s| &s.label).collect();
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
        let before = names[(at + names.len() - 1) % names.len()];
        let name = match shape.is_computation {
            true if before == names[at] => format!("computation around {before}"),
            true => format!("computation between {before} and {}", names[at]),
            false => names[at].clone(),
        };
        let site = if shape.is_computation { String::new() } else { tables.text(ranks[0].1[at].place, dimensions) };
        let median_ns = median(&mut lengths);
        let groups = if shape.is_computation { None } else { tied.remove(&shape.label) };
        let numbers = |group: Vec<u32>| group.into_iter().map(|r| r as i32).collect();
        let groups = groups.map_or_else(Vec::new, |g| g.into_groups().into_iter().map(numbers).collect());
        let (share, axis, lockstep) = (0.0, None, String::new());
        phases.push(Phase { name, site, functions, share, median_ns, groups, axis, lockstep });
    }
    let total: u64 = phases.iter().map(|p| p.median_ns).sum();
    for phase in &mut phases {
        phase.share = phase.median_ns as f64 / total.max(1) as f64;
    }
    let mut inside = InPhases { ranks: vec![Vec::new(); sequences.len()] };
    for (rank, parts) in &ranks {
        let Some(turns) = l.turns_of(*rank) else { continue };
        let context = RankContext { alphabet: &tables.ranks[*rank], facts: &facts[*rank], tables, dimensions };
        inside.ranks[*rank] = of_rank(turns, parts, &sequences[*rank], &context);
    }
    (phases, inside)
}

/// The meaning of a rank's calls.
struct RankContext<'a> {
    alphabet: &'a Alphabet,
    facts: &'a [CallInfo],
    tables: &'a Tables,
    dimensions: &'a Dimensions,
}

/// The phase of each call of one rank, by index of its [`CallInfo`].
fn of_rank(turns: &Turns, parts: &[Part], sequence: &Sequence, context: &RankContext<'_>) -> Vec<Option<OfFacts>> {
    let RankContext { alphabet, facts, tables, dimensions } = *context;
    let mut inside: Vec<Option<usize>> = vec![None; alphabet.meanings.len()];
    let mut before: Vec<Option<(usize, u32)>> = vec![None; inside.len()];
    let place = |letter: u16| alphabet.meanings.get(usize::from(letter)).map(|m| m.place);
    for (at, part) in parts.iter().enumerate() {
        part.letters.iter().for_each(|&l| inside[usize::from(l)] = Some(at));
        for &(letter, from) in &part.entries {
            before[usize::from(letter)] = place(from).map(|from| (at, from));
        }
    }
    // What is not in every iteration belongs to what comes after it; the last before the next iteration.
    let mut next = turns.level.body.first().and_then(|&l| inside[usize::from(l)]);
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
    let of_facts = |(facts, &letter): (&CallInfo, &u16)| {
        if letter != POLL {
            return shares.get(usize::from(letter)).copied().flatten();
        }
        let own = alike(&inside, key_of(facts.region, function_of(dimensions.site(facts.site)), Kind::Messages))?;
        Some(OfFacts { inside: own, before: own, before_share: 0.0, inside_share: 1.0 })
    };
    facts.iter().zip(&alphabet.letters).map(of_facts).collect()
}

/// The function of the program that contains the calls of a place. One that is part of several others (inlined, or where stacks
/// were recorded called by them) is named by these.
pub(crate) fn program_function<'a>(place: u32, tables: &Tables, dimensions: &'a Dimensions) -> &'a str {
    let Some(own) = tables.places.get(place as usize) else { return "" };
    let name = function_of(dimensions.site(own.site));
    match around(own.site, dimensions) {
        "" => name,
        outer if tables.is_part_of_several(name) => outer,
        _ => name,
    }
}

/// The function of the innermost frame of a site.
fn around(site: SiteId, dimensions: &Dimensions) -> &str {
    let row = site.index().and_then(|i| dimensions.sites.get(i));
    row.and_then(|s| s.frames.get(1)).map_or("", |frame| function_of(frame))
}

/// Functions that make calls on behalf of several others, as far as call sites show.
pub(crate) fn parts_of_several(places: &[CallSite], dimensions: &Dimensions) -> FxHashSet<String> {
    let mut outer: FxHashMap<&str, &str> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for place in places {
        let (name, own) = (function_of(dimensions.site(place.site)), around(place.site, dimensions));
        if name.is_empty() || own.is_empty() {
            continue;
        }
        if *outer.entry(name).or_insert(own) != own {
            found.insert(name.to_owned());
        }
    }
    found
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

/// A letter in the order of an iteration, with the time of each sampled iteration up to its last return.
struct Stop {
    letter: u16,
    /// Computation before its first call, if the previous letter is of another phase.
    entry_ns: Vec<u64>,
    /// The rest of the time since the previous letter.
    inside_ns: Vec<u64>,
}

/// Letters of an iteration in order of their last use. The first is preceded by the last letter of the previous iteration.
fn stops(turns: &Turns, sequence: &Sequence, alphabet: &Alphabet) -> Vec<Stop> {
    let (level, count) = (&turns.level, turns.count.max(1));
    let rounds = |n: u32| f64::from(n) / count as f64;
    let letter = |l: u16| &sequence.letters[usize::from(l)];
    let stop = |&letter: &u16| Stop { letter, entry_ns: Vec::new(), inside_ns: Vec::new() };
    let mut stops: Vec<Stop> = level.body.iter().map(stop).collect();
    // Time between two letters where one follows the other about once in an iteration; more often means an inner loop.
    let place = |l: u16| alphabet.meanings.get(usize::from(l)).map(|m| m.place);
    let gap = |from: u16, to: u16| {
        // Calls of one site with several peers are several letters, but one loop.
        let alike = stops.iter().filter(|s| place(s.letter) == place(to)).flat_map(|s| &letter(s.letter).steps);
        let times: u32 = alike.filter(|s| s.count > 0 && place(s.from) == place(from)).map(|s| s.count).sum();
        let step = letter(to).steps.iter().find(|s| s.from == from && rounds(s.count) >= 0.1);
        step.filter(|_| rounds(times) <= 1.5).map_or(0, |s| s.gap.median())
    };
    let gaps: Vec<u64> = stops.windows(2).map(|w| gap(w[0].letter, w[1].letter)).collect();
    for sample in &level.samples {
        let (begin, end) = (sample[0], sample[sample.len() - 1]);
        let mut at = begin;
        for (n, stop) in stops.iter_mut().enumerate() {
            let until = sample[n + 1].clamp(at, end.max(at));
            let segment = until - at;
            at = until;
            let entry = n.checked_sub(1).map_or(0, |before| gaps[before].min(segment));
            stop.inside_ns.push(segment - entry);
            if n > 0 {
                stop.entry_ns.push(entry);
            }
        }
        stops[0].entry_ns.push(end.saturating_sub(at));
    }
    stops
}

fn add(sum: &mut [u64], more: &[u64]) {
    sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
}

fn parts(
    turns: &Turns,
    sequence: &Sequence,
    alphabet: &Alphabet,
    tables: &Tables,
    dimensions: &Dimensions,
) -> Vec<Part> {
    if turns.level.samples.is_empty() || turns.level.body.is_empty() {
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
    let names = Names::of(&stops, alphabet, tables, dimensions);
    let mut parts: Vec<Part> = Vec::new();
    let mut keys: Vec<Key<'_>> = Vec::new();
    let is_message = |at: usize| !matches!(meaning(&stops[at]).role, Role::Collective(_) | Role::File);
    for stop in &stops {
        let meant = meaning(stop);
        let own = match key(&meant, tables, dimensions) {
            Key::Function(function, _) if !names.is_single => Key::Function(function, Kind::Any),
            key => key,
        };
        // What completes messages belongs to what began them, and so does what several regions share.
        let begun = matches!(keys.last(), Some(Key::Function(_, Kind::Messages | Kind::Any)))
            && is_message(keys.len() - 1)
            && !meant.region.is_some();
        let is_theirs = meant.role == Role::Complete && (meant.is_shared || begun);
        keys.push(if is_theirs { *keys.last().unwrap_or(&own) } else { own });
    }
    for (at, stop) in stops.iter().enumerate() {
        let meant = meaning(stop);
        let last = (at + stops.len() - 1) % stops.len();
        let before = meaning(&stops[last]);
        let is_same = keys[at] == keys[last] || joins(&before, &meant);
        let least = if is_same && at > 0 { LEAST_WITHIN } else { LEAST_COMPUTATION };
        let entry = middle(&stop.entry_ns);
        let is_computation = entry > total * least || !is_same && entry > (computing * MUCH_COMPUTATION).max(1_000.0);
        let label = names.of_key(&keys[at]);
        let shape = |is_computation| Shape { label: label.clone(), is_computation };
        let mut own = stop.inside_ns.clone();
        if is_computation {
            parts.push(Part {
                shape: shape(true),
                place: meant.place,
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
                place: meant.place,
                ns: own,
                places: vec![meant.place],
                letters: vec![stop.letter],
                entries: Vec::new(),
            }),
        }
    }
    // The computation before the first call stands at the end of the iteration, where it happens.
    if parts.len() > 1 && parts[0].shape.is_computation {
        parts.rotate_left(1);
    }
    // Parts that a person would give one name are one phase, however often an iteration returns to it.
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        let same = merged.iter().position(|p| p.shape == part.shape);
        let is_small =
            |p: &Part| middle(&p.ns) < total * if p.shape.is_computation { LEAST_COMPUTATION } else { LEAST_PHASE };
        match same.or_else(|| merged.len().checked_sub(1).filter(|_| is_small(&part))) {
            Some(at) => merged[at].join(part),
            None => merged.push(part),
        }
    }
    while merged.len() > MOST_PHASES {
        let size = |at: &usize| middle(&merged[*at].ns) as u64;
        let Some(least) = (0..merged.len()).min_by_key(size) else { break };
        let part = merged.remove(least);
        let before = least.checked_sub(1).unwrap_or(merged.len() - 1);
        merged[before].join(part);
    }
    merged
}

impl Part {
    fn join(&mut self, other: Part) {
        add(&mut self.ns, &other.ns);
        if !self.shape.is_computation {
            self.places.extend(other.places);
        }
        self.letters.extend(other.letters);
        self.entries.extend(other.entries);
    }
}

/// Names of phases.
struct Names {
    /// All calls are made by one function, so the kind of calls distinguishes phases.
    is_single: bool,
    regions: Vec<(RegionId, String)>,
}

impl Names {
    fn of(stops: &[Stop], alphabet: &Alphabet, tables: &Tables, dimensions: &Dimensions) -> Names {
        let mut functions: Vec<&str> = Vec::new();
        let mut regions: Vec<(RegionId, String)> = Vec::new();
        for stop in stops {
            let meaning = &alphabet.meanings[usize::from(stop.letter)];
            match key(meaning, tables, dimensions) {
                Key::Region(region) => regions.push((region, dimensions.region(region))),
                Key::Function(function, _) => functions.push(function),
            }
        }
        let is_single = regions.is_empty() && functions.iter().all(|f| *f == functions[0]);
        Names { is_single, regions }
    }

    fn of_key(&self, key: &Key<'_>) -> String {
        let (function, kind) = match *key {
            Key::Region(region) => {
                return self.regions.iter().find(|r| r.0 == region).map_or_else(String::new, |r| r.1.clone());
            }
            Key::Function(function, kind) => (function, kind),
        };
        let what = match kind {
            Kind::Messages => "messages",
            Kind::Collective => "collectives",
            Kind::Other => "files",
            Kind::Any => return function.to_owned(),
        };
        if function.is_empty() { what.to_owned() } else { format!("{what} in {function}") }
    }
}

/// Properties that the calls of one phase share.
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
    Any,
}

fn key<'a>(meaning: &Meaning, tables: &Tables, dimensions: &'a Dimensions) -> Key<'a> {
    let kind = match meaning.role {
        Role::Collective(_) => Kind::Collective,
        Role::File => Kind::Other,
        _ => Kind::Messages,
    };
    key_of(meaning.region, program_function(meaning.place, tables, dimensions), kind)
}

fn key_of(region: RegionId, function: &str, kind: Kind) -> Key<'_> {
    if region.is_some() { Key::Region(region) } else { Key::Function(function, kind) }
}

/// A completing call belongs to what it completes.
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
