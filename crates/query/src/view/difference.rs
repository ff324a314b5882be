//! The differences between two runs, group by group.
//!
//! Groups are matched by name: ids of sites, regions and communicators differ between runs. A site that
//! only moved to another line (or address) is still the same if no other has that name.

use std::collections::BTreeMap;

use mpiscope_analysis::{Judgement, compare};
use mpiscope_store::CallColumns;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::fields::Field;
use super::opened_run::asking;
use super::{Cancel, Filter, OpenedRun, ViewError};

/// Intervals of iterations whose times are compared with each other.
const STRETCHES: usize = 16;
/// The most different groups, which are checked for noise.
const JUDGED: usize = 200;

/// A side of the comparison.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The opened run.
    pub scene: &'a OpenedRun,
    /// The window and calls that are compared.
    pub filter: &'a Filter,
}

/// Differences, the largest first.
#[derive(Clone, Debug, Serialize)]
pub struct Differences {
    /// The field that groups have in common.
    pub by: Field,
    /// Time of the selected ranks in the window, before and after.
    pub rank_time_ns: [u64; 2],
    /// At most as many as requested.
    pub rows: Vec<DifferenceRow>,
    /// Number of all groups.
    pub total: usize,
    /// Whether `rows` has fewer than `total`.
    pub is_cut: bool,
    /// Whether both runs have iterations in their windows: only then can noise be judged.
    pub is_judged: bool,
}

/// The change of a group.
#[derive(Clone, Debug, Serialize)]
pub struct DifferenceRow {
    /// The group's name, by which both sides are matched.
    pub text: String,
    /// Its function, if it has one.
    pub function: Option<u32>,
    /// `None` where the run has no such calls.
    pub before: Option<Sums>,
    /// See `before`.
    pub after: Option<Sums>,
    /// Total time, after minus before.
    pub difference_ns: f64,
    /// Total time, after divided by before.
    pub ratio: Option<f64>,
    /// The same per iteration.
    pub iteration: Option<PerIteration>,
}

/// Calls of a group.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sums {
    /// Id of the field in this run, to filter by it; one of them, where several have the same name.
    pub id: Option<u64>,
    /// Number of calls.
    pub count: u64,
    /// Time of the calls inside the window.
    pub total_ns: u64,
    /// Of whole calls.
    pub mean_ns: f64,
    /// Of whole calls.
    pub max_ns: u64,
    /// Payload, sent and received together.
    pub bytes: f64,
}

/// Time of a group per iteration: medians of intervals of iterations.
#[derive(Clone, Debug, Serialize)]
pub struct PerIteration {
    /// Median of an iteration in the first run.
    pub before_ns: f64,
    /// Median of an iteration in the second run.
    pub after_ns: f64,
    /// The 95 % confidence interval of the difference, from the variation of iterations within one run.
    pub interval_ns: Option<(f64, f64)>,
    /// Whether the difference is more than noise.
    pub judgement: Judgement,
}

#[derive(Clone, Default)]
struct Group {
    sums: Sums,
    stretches: [u64; STRETCHES],
}

impl Group {
    fn join(&mut self, other: &Group) {
        self.sums.id = self.sums.id.min(other.sums.id).or(self.sums.id).or(other.sums.id);
        self.sums.count += other.sums.count;
        self.sums.total_ns = self.sums.total_ns.saturating_add(other.sums.total_ns);
        self.sums.max_ns = self.sums.max_ns.max(other.sums.max_ns);
        self.sums.bytes += other.sums.bytes;
        for (to, from) in self.stretches.iter_mut().zip(other.stretches) {
            *to = to.saturating_add(from);
        }
    }

    fn sums(&self) -> Sums {
        Sums { mean_ns: self.sums.total_ns as f64 / self.sums.count.max(1) as f64, ..self.sums.clone() }
    }
}

/// Iterations that lie completely in a window, in intervals of about equal length.
struct Stretches {
    first: usize,
    count: usize,
    parts: usize,
}

impl Stretches {
    fn of(side: Side<'_>) -> Option<Stretches> {
        let window = side.filter.window_ns();
        let known = (0..).map_while(|at| side.scene.iteration_ns(at));
        let mut inside =
            known.enumerate().filter(|(_, ns)| ns.start >= window.start && ns.end <= window.end).map(|(at, _)| at);
        let first = inside.next()?;
        let count = 1 + inside.count();
        (count >= 2).then_some(Stretches { first, count, parts: STRETCHES.min(count) })
    }

    /// The interval of an iteration.
    fn part(&self, iteration: usize) -> Option<usize> {
        let at = iteration.checked_sub(self.first)?;
        (at < self.count).then(|| at * self.parts / self.count)
    }

    /// Time of an iteration in each interval.
    fn values(&self, group: Option<&Group>) -> Vec<Option<f64>> {
        let begin = |part: usize| (part * self.count).div_ceil(self.parts);
        let value = |part: usize| {
            let iterations = (begin(part + 1) - begin(part)).max(1);
            group.map(|group| group.stretches[part] as f64 / iterations as f64)
        };
        (0..self.parts).map(value).collect()
    }
}

/// Name of a group, and its function.
type Named = (String, Option<u32>);

fn groups(
    side: Side<'_>,
    by: Field,
    stretches: Option<&Stretches>,
    cancel: &Cancel,
) -> Result<BTreeMap<Named, Group>, ViewError> {
    const NONE: u64 = u64::MAX;
    let Side { scene, filter } = side;
    let selection = scene.selection(filter);
    let take = |all: &mut FxHashMap<(u64, u32), Group>, calls: &CallColumns, at: usize| {
        let Some(facts) = selection.wanted(calls, at) else { return };
        let id = by.value_of(scene, facts, calls, at).map_or(NONE, |id| id as u64);
        let function = if matches!(by, Field::Site | Field::Function) { facts.function } else { u32::MAX };
        let group = all.entry((id, function)).or_default();
        let (duration, times) = (calls.duration_ns(at), u64::from(calls.calls[at]).max(1));
        group.sums.count += times;
        group.sums.total_ns = group.sums.total_ns.saturating_add(duration);
        group.sums.max_ns = group.sums.max_ns.max(duration / times);
        group.sums.bytes += Field::Bytes.value_of(scene, facts, calls, at).unwrap_or(0.0) * times as f64;
        if let Some(part) = stretches
            .and_then(|s| scene.ground.iteration_at(calls.start_ns[at]).and_then(|iteration| s.part(iteration)))
        {
            group.stretches[part] = group.stretches[part].saturating_add(duration);
        }
    };
    let join = |mut a: FxHashMap<(u64, u32), Group>, b: FxHashMap<(u64, u32), Group>| {
        b.into_iter().for_each(|(key, group)| a.entry(key).or_default().join(&group));
        a
    };
    let found = scene.rows.fold_calls(&scene.wanted(filter), &asking(cancel), FxHashMap::default, take, join)?;
    let mut named: BTreeMap<Named, Group> = BTreeMap::new();
    for ((id, function), mut group) in found {
        let function = (function != u32::MAX).then_some(function);
        let text = match by {
            _ if id == NONE => "none".to_owned(),
            Field::Rank | Field::Peer => match scene.dimensions().ranks.get(id as usize) {
                Some(row) => format!("rank {}", row.world_rank),
                None => format!("rank {id}"),
            },
            _ => by.text(scene, id as f64),
        };
        let text = match (by, function) {
            (Field::Site, Some(function)) => format!("{} at {text}", mpiscope_abi::name(function)),
            _ => text,
        };
        group.sums.id = (id != NONE).then_some(id);
        named.entry((text, function)).or_default().join(&group);
    }
    Ok(named)
}

/// A place without its line or its address in a function: the part that stays when lines are inserted above it.
fn loose(text: &str) -> &str {
    let without_line = text.rsplit_once(':').filter(|(_, line)| line.bytes().all(|b| b.is_ascii_digit()));
    let without_offset = || text.rsplit_once("+0x").filter(|(_, rest)| rest.bytes().all(|b| b.is_ascii_hexdigit()));
    without_line.or_else(without_offset).map_or(text, |(place, _)| place)
}

/// Groups of both sides; those of one side have no partner.
fn matched(
    before: BTreeMap<Named, Group>,
    after: BTreeMap<Named, Group>,
    is_site: bool,
) -> Vec<(Named, Option<Group>, Option<Group>)> {
    let mut all: BTreeMap<Named, (Option<Group>, Option<Group>)> =
        before.into_iter().map(|(name, group)| (name, (Some(group), None))).collect();
    for (name, group) in after {
        all.entry(name).or_default().1 = Some(group);
    }
    if is_site {
        // By function and place: names that only one side has.
        let mut alone: BTreeMap<Named, [Vec<Named>; 2]> = BTreeMap::new();
        for (name, sides) in &all {
            let of = alone.entry((loose(&name.0).to_owned(), name.1)).or_default();
            match sides {
                (Some(_), None) => of[0].push(name.clone()),
                (None, Some(_)) => of[1].push(name.clone()),
                _ => {}
            }
        }
        for [gone, come] in alone.into_values() {
            if let ([gone], [come]) = (&gone[..], &come[..]) {
                let group = all.remove(come).and_then(|sides| sides.1);
                let old = all.remove(gone).and_then(|sides| sides.0);
                let moved = come.0.strip_prefix(loose(&come.0)).unwrap_or_default();
                all.insert((format!("{} \u{2192} {moved}", gone.0), gone.1), (old, group));
            }
        }
    }
    all.into_iter().map(|(name, (before, after))| (name, before, after)).collect()
}

/// Differences between two runs, grouped by a field; the other run is the one after the change.
///
/// # Errors
///
/// If a run has no such field, a store cannot be read, or the request is cancelled.
pub fn differences(
    before: Side<'_>,
    after: Side<'_>,
    by: Field,
    limit: usize,
    cancel: &Cancel,
) -> Result<Differences, ViewError> {
    by.check(before.scene)?;
    by.check(after.scene)?;
    let stretches = Stretches::of(before).zip(Stretches::of(after));
    let [first, second] = [(before, stretches.as_ref().map(|s| &s.0)), (after, stretches.as_ref().map(|s| &s.1))]
        .map(|(side, stretches)| groups(side, by, stretches, cancel));
    let mut found = matched(first?, second?, by == Field::Site);
    let total_of = |group: &Option<Group>| group.as_ref().map_or(0, |g| g.sums.total_ns) as f64;
    found.sort_by(|a, b| {
        let size =
            |(_, before, after): &(Named, Option<Group>, Option<Group>)| (total_of(after) - total_of(before)).abs();
        size(b).total_cmp(&size(a)).then_with(|| a.0.cmp(&b.0))
    });
    let total = found.len();
    found.truncate(limit);
    let mut rows = Vec::with_capacity(found.len());
    for (at, ((text, function), before, after)) in found.into_iter().enumerate() {
        cancel.check()?;
        let (old, new) = (total_of(&before), total_of(&after));
        let iteration = stretches.as_ref().filter(|_| at < JUDGED).and_then(|(first, second)| {
            let (a, b) = (first.values(before.as_ref()), second.values(after.as_ref()));
            let is_in_loop = a.iter().chain(&b).any(|value| value.is_some_and(|v| v > 0.0));
            let change = is_in_loop.then(|| compare(&text, &a, &b))?;
            Some(PerIteration {
                before_ns: change.before.unwrap_or(0.0),
                after_ns: change.after.unwrap_or(0.0),
                interval_ns: change.interval,
                judgement: change.judgement,
            })
        });
        rows.push(DifferenceRow {
            text,
            function,
            before: before.as_ref().map(Group::sums),
            after: after.as_ref().map(Group::sums),
            difference_ns: new - old,
            ratio: (old > 0.0).then(|| new / old),
            iteration,
        });
    }
    let rank_time_ns = [before, after].map(|side| side.scene.rank_time_ns(side.filter));
    Ok(Differences { by, rank_time_ns, is_cut: rows.len() < total, rows, total, is_judged: stretches.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(total_ns: u64) -> Group {
        Group { sums: Sums { count: 1, total_ns, ..Sums::default() }, ..Group::default() }
    }

    #[test]
    fn places_without_line_and_address() {
        assert_eq!(loose("MPI_Send at swap halo.c:77"), "MPI_Send at swap halo.c");
        assert_eq!(loose("MPI_Send at remap+0x119"), "MPI_Send at remap");
        assert_eq!(loose("MPI_Send at std::sort"), "MPI_Send at std::sort");
        assert_eq!(loose("unknown"), "unknown");
    }

    #[test]
    fn a_site_that_moved_is_the_same_unless_there_are_several() {
        let of = |places: &[(&str, u64)]| -> BTreeMap<Named, Group> {
            places.iter().map(|(text, ns)| (((*text).to_owned(), Some(7)), group(*ns))).collect()
        };
        let found = matched(
            of(&[("S at a x.c:1", 10), ("S at b x.c:5", 1), ("S at b x.c:6", 2), ("S at c x.c:9", 4)]),
            of(&[("S at a x.c:3", 30), ("S at b x.c:7", 1), ("S at c x.c:9", 5)]),
            true,
        );
        let has =
            |text: &str| found.iter().find(|(name, ..)| name.0 == text).map(|(_, a, b)| (a.is_some(), b.is_some()));
        assert_eq!(has("S at a x.c:1 \u{2192} :3"), Some((true, true)));
        assert_eq!(has("S at c x.c:9"), Some((true, true)));
        assert_eq!((has("S at b x.c:5"), has("S at b x.c:7")), (Some((true, false)), Some((false, true))));
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn stretches_are_about_equal_and_hold_all_iterations() {
        for count in 2..100 {
            let stretches = Stretches { first: 3, count, parts: STRETCHES.min(count) };
            let mut group = Group::default();
            (0..count).for_each(|at| group.stretches[stretches.part(at + 3).unwrap()] += 100);
            assert!(stretches.values(Some(&group)).iter().all(|v| *v == Some(100.0)), "{count}");
            assert_eq!((stretches.part(2), stretches.part(count + 3)), (None, None));
        }
    }
}
