//! Statistics of calls, grouped by one field or two.

use std::cmp::Reverse;

use mpiscope_pyramid::{Entry, Kind, Tallied, What};
use mpiscope_store::{CallColumns, CallInfo};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::fields::{Field, Of};
use super::preview_answers::{self, TallyChoice};
use super::reading::Basis;
use super::spread::Spread;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// The sort key of the groups, largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By the keys themselves, ascending.
    Key,
    /// By number of calls.
    Count,
    /// By time inside the window.
    #[default]
    Total,
    /// By mean duration.
    Mean,
    /// By longest duration.
    Max,
    /// By payload.
    Bytes,
}

impl Sort {
    /// By id, which is that of the column.
    ///
    /// # Errors
    ///
    /// If groups cannot be sorted by such a column.
    pub fn parse(text: &str) -> Result<Sort, ViewError> {
        Ok(match text {
            "key" => Sort::Key,
            "count" => Sort::Count,
            "total_ns" => Sort::Total,
            "mean_ns" => Sort::Mean,
            "max_ns" => Sort::Max,
            "bytes" => Sort::Bytes,
            _ => {
                return Err(ViewError::Wrong(format!(
                    "unknown sort key '{text}'; sort by key, count, total_ns, mean_ns, max_ns or bytes"
                )));
            }
        })
    }
}

/// Groups of calls.
#[derive(Clone, Debug, Serialize)]
pub struct Groups {
    /// Fields they are grouped by.
    pub by: Vec<Field>,
    /// At most as many as requested.
    pub rows: Vec<GroupRow>,
    /// Number of all groups.
    pub total: usize,
    /// Whether `rows` has fewer.
    pub is_cut: bool,
    /// The basis. From tables, percentiles are within the width of bins, and everything else is exact for the calls that
    /// start (by rank: return) in the window. From a sample, numbers are those of the sample.
    pub basis: Basis,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct GroupsWish<'a> {
    /// Whether the answer has to be exact.
    pub care: Care,
    /// One field or two.
    pub by: &'a [Field],
    /// The order of the groups.
    pub sort: Sort,
    /// Most groups of the answer.
    pub limit: usize,
}

/// One group.
#[derive(Clone, Debug, Serialize)]
pub struct GroupRow {
    /// One entry for each field.
    pub key: Vec<Key>,
    /// Number of calls.
    pub count: u64,
    /// Time of the calls inside the window, including nested calls.
    pub total_ns: u64,
    /// Of whole calls, as all durations from here on, also where these start before the window or end after it.
    pub mean_ns: f64,
    /// 50 % of the calls are shorter.
    pub median_ns: f64,
    /// The shortest call.
    pub min_ns: u64,
    /// The longest call.
    pub max_ns: u64,
    /// 95 % of the calls are shorter.
    pub p95_ns: f64,
    /// 99 % of the calls are shorter.
    pub p99_ns: f64,
    /// Standard deviation.
    pub sd_ns: f64,
    /// Time of the calls inside the window, as a share of the time of the selected ranks in it.
    pub share: f64,
    /// Payload, sent and received together.
    pub bytes: f64,
}

/// The common property of a group.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    /// `None` for calls without this property.
    pub id: Option<f64>,
    /// Its name.
    pub text: String,
    /// Smallest and largest payload of a size bin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// See `min`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl Key {
    fn of(scene: &OpenedRun, field: Field, id: u64) -> Key {
        if id == NONE {
            return Key { id: None, text: "none".to_owned(), min: None, max: None };
        }
        let (min, max) = match field {
            Field::SizeBin => Some(mpiscope_run::bin_range(id as u8)).unzip(),
            _ => (None, None),
        };
        Key { id: Some(id as f64), text: field.text(scene, id as f64), min, max }
    }
}

/// Means none; ids are at most 53 bits wide.
const NONE: u64 = u64::MAX;

#[derive(Default)]
struct Group {
    spread: Spread,
    bytes: f64,
    /// Time inside the window.
    total_ns: u64,
    /// The same without nested calls.
    inside_ns: u64,
}

type All = FxHashMap<(u64, u64), Group>;

fn join(mut a: All, b: All) -> All {
    for (key, group) in b {
        let to = a.entry(key).or_default();
        to.spread.join(group.spread);
        to.bytes += group.bytes;
        to.total_ns = to.total_ns.saturating_add(group.total_ns);
        to.inside_ns = to.inside_ns.saturating_add(group.inside_ns);
    }
    a
}

/// Groups of the calls that match `filter`.
///
/// # Errors
///
/// If the run has no such field, the store cannot be read, or the request is cancelled.
pub fn groups(scene: &OpenedRun, filter: &Filter, wish: &GroupsWish<'_>, cancel: &Cancel) -> Result<Groups, ViewError> {
    wish.by.iter().try_for_each(|field| field.check(scene))?;
    if wish.care == Care::Quick
        && !scene.is_few(filter)
        && let Some(plan) =
            preview_answers::plan(scene, filter, Of::Calls, wish.by).filter(|_| are_in_preview(scene, wish.by))
    {
        return of_plan(scene, filter, wish, &plan, cancel);
    }
    let by = wish.by;
    let window = filter.window_ns();
    let take = |all: &mut All, facts: &CallInfo, calls: &CallColumns, at: usize| {
        let key = |which: usize| {
            by.get(which).map_or(0, |field| field.value_of(scene, facts, calls, at).map_or(NONE, |id| id as u64))
        };
        let group = all.entry((key(0), key(1))).or_default();
        let times = u64::from(calls.calls[at]);
        let inside = calls.end_ns[at].min(window.end).saturating_sub(calls.start_ns[at].max(window.start));
        group.total_ns = group.total_ns.saturating_add(inside);
        // The time of a nested call is counted in the outer one.
        if calls.flags[at] & mpiscope_store::flags::NESTED == 0 {
            group.inside_ns = group.inside_ns.saturating_add(inside);
        }
        group.spread.add(calls.duration_ns(at), times);
        group.bytes += Field::Bytes.value_of(scene, facts, calls, at).unwrap_or(0.0) * times as f64;
    };
    let (found, basis) = scene.fold(filter, wish.care, cancel, FxHashMap::default, take, join)?;
    Ok(sorted_groups(scene, filter, wish, found, basis))
}

/// Whether tallies suffice for the groups: sizes only where all of them are known to the byte.
fn are_in_preview(scene: &OpenedRun, by: &[Field]) -> bool {
    let kinds = scene.preview.kinds(What::Calls);
    by.iter().all(|field| match field {
        Field::Bytes => kinds.iter().all(|kind| kind.bytes.0 == kind.bytes.1),
        Field::Start | Field::End | Field::Duration | Field::Bandwidth => false,
        _ => true,
    })
}

/// Groups of tallies.
pub(crate) fn of_plan(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &GroupsWish<'_>,
    plan: &TallyChoice,
    cancel: &Cancel,
) -> Result<Groups, ViewError> {
    let take = |all: &mut All, kind: &Kind, tallied: &Tallied<'_>| {
        // All calls of a kind have the same ids.
        let Some(any) = tallied.entries.first() else { return };
        let key = |which: usize| {
            let id = |field: &Field| {
                preview_answers::between(scene, *field, kind, tallied, any).map_or(NONE, |(id, _)| id as u64)
            };
            wish.by.get(which).map_or(0, id)
        };
        let group = all.entry((key(0), key(1))).or_default();
        let middle = |entry: &Entry| {
            let (least, most) = preview_answers::durations(kind, tallied, entry);
            // Each of the folded polls counts with the mean.
            let calls = u64::from(entry.calls);
            ((least + (most - least) / 2) * u64::from(entry.rows) / calls.max(1), calls)
        };
        group.spread.add_tallied(tallied.sums, tallied.entries.iter().map(middle));
        group.bytes += tallied.sums.bytes as f64;
        group.total_ns = group.total_ns.saturating_add(tallied.sums.time_ns);
        group.inside_ns =
            group.inside_ns.saturating_add(tallied.sums.time_ns - tallied.sums.nested_ns.min(tallied.sums.time_ns));
    };
    let found = plan.fold(scene, filter, cancel, FxHashMap::default, take, join)?;
    let window = plan.window_ns();
    let covered = Filter { from_ns: Some(window.start), until_ns: Some(window.end), ..filter.clone() };
    Ok(sorted_groups(scene, &covered, wish, found, plan.basis))
}

fn sorted_groups(scene: &OpenedRun, filter: &Filter, wish: &GroupsWish<'_>, found: All, basis: Basis) -> Groups {
    let &GroupsWish { by, sort, limit, .. } = wish;
    let total = found.len();
    let mut found: Vec<_> = found.into_iter().collect();
    let whole = |value: f64| Reverse(value as u64);
    found.sort_unstable_by_key(|(key, group)| {
        let by = match sort {
            Sort::Key => Reverse(0),
            Sort::Count => Reverse(group.spread.count),
            Sort::Total => Reverse(group.total_ns),
            Sort::Mean => whole(group.spread.mean_ns()),
            Sort::Max => Reverse(group.spread.max_ns),
            Sort::Bytes => whole(group.bytes),
        };
        (by, *key)
    });
    found.truncate(limit);
    let rank_time_ns = scene.rank_time_ns(filter);
    let row = |((first, second), group): ((u64, u64), Group)| {
        let [median_ns, p95_ns, p99_ns] = group.spread.percentiles([0.5, 0.95, 0.99]);
        GroupRow {
            key: by.iter().zip([first, second]).map(|(field, id)| Key::of(scene, *field, id)).collect(),
            count: group.spread.count,
            total_ns: group.total_ns,
            mean_ns: group.spread.mean_ns(),
            median_ns,
            min_ns: group.spread.min_ns,
            max_ns: group.spread.max_ns,
            p95_ns,
            p99_ns,
            sd_ns: group.spread.sd_ns(),
            share: group.inside_ns as f64 / rank_time_ns.max(1) as f64,
            bytes: group.bytes,
        }
    };
    let rows: Vec<GroupRow> = found.into_iter().map(row).collect();
    Groups { by: by.to_vec(), is_cut: rows.len() < total, rows, total, basis }
}
