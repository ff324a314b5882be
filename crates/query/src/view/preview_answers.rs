//! Answers from the tallies of the preview, without reading a single call.
//!
//! A tally has, for each call, its kind, the bin of its duration, and its time bin or its rank. So
//! each derived number is known within some width, and the number of calls exactly.

use std::ops::Range as Span;

use mpiscope_pyramid::{Entry, Kind, Tallied, What, bins};

use super::fields::{Field, Of, moves_data};
use super::opened_run::asking;
use super::reading::Basis;
use super::{Cancel, Class, Filter, OpenedRun, ViewError};

/// Sizes of a kind may differ by this share and still count as one.
const WIDTH: f64 = 0.125;

/// The tallies that answer a request.
pub(crate) struct TallyChoice {
    what: What,
    by_rank: bool,
    window: Span<u64>,
    /// By kind.
    is_wanted: Vec<bool>,
    pub basis: Basis,
}

/// Values of a field: the smallest and the largest possible for a call of an entry.
pub(crate) type Between = (f64, f64);

fn is_in_preview(of: Of, scene: &OpenedRun, field: Field) -> bool {
    let kept = scene.preview.kept();
    match (of, field) {
        (_, Field::Start | Field::End | Field::Duration | Field::Bytes | Field::Bandwidth) => true,
        (Of::Messages, Field::Comm) => true,
        (Of::Messages, _) => false,
        (Of::Calls, Field::Rank | Field::Host | Field::Function | Field::Class | Field::SizeBin) => true,
        (Of::Calls, Field::Comm) => kept.comm,
        (Of::Calls, Field::Site) => kept.site,
        (Of::Calls, Field::Region) => kept.region,
        _ => false,
    }
}

/// The tallies with these fields of the calls that match `filter`; nothing where calls have to be read.
pub(crate) fn plan(scene: &OpenedRun, filter: &Filter, of: Of, fields: &[Field]) -> Option<TallyChoice> {
    let preview = &scene.preview;
    let what = match of {
        Of::Calls => What::Calls,
        Of::Messages => What::Messages,
    };
    let all_ranks = filter.ranks.as_ref().is_none_or(|ranks| ranks.len() == scene.ranks());
    let by_rank = !all_ranks || fields.iter().any(|f| matches!(f, Field::Rank | Field::Host));
    let by_time = fields.iter().any(|f| matches!(f, Field::Start | Field::End));
    let kept = preview.kept();
    let are_in_preview = fields.iter().all(|&field| is_in_preview(of, scene, field))
        && (filter.peer.is_none() && filter.tag.is_none() && filter.thread.is_none())
        && (filter.duration_min_ns.is_none() && filter.duration_max_ns.is_none())
        && (filter.comm.is_none() || of == Of::Messages || kept.comm)
        && (filter.site.is_none() || (of == Of::Calls && kept.site))
        && (filter.region.is_none() || (of == Of::Calls && kept.region))
        && (filter.functions.is_none() || of == Of::Calls)
        && !(by_rank && (by_time || of == Of::Messages));
    if !are_in_preview {
        return None;
    }
    let kinds = preview.kinds(what);
    let is_wanted: Vec<bool> = kinds.iter().map(|kind| wants(filter, kind)).collect::<Option<_>>()?;
    let asks_sizes = fields.iter().any(|f| matches!(f, Field::Bytes | Field::Bandwidth | Field::SizeBin));
    let is_wide = |kind: &Kind| (kind.bytes.1 - kind.bytes.0) as f64 > WIDTH * kind.bytes.0 as f64;
    if asks_sizes && kinds.iter().zip(&is_wanted).any(|(kind, is_wanted)| *is_wanted && is_wide(kind)) {
        return None;
    }
    let run = preview.time_ns();
    let clip = |window: &Span<u64>| window.start.clamp(run.start, run.end)..window.end.clamp(run.start, run.end);
    let asked = clip(&filter.window_ns());
    let cover = if by_rank { preview.cover_of_ranks(asked.clone()) } else { preview.cover(what, asked.clone()) };
    let shown = clip(&cover.time_ns);
    let asked_ns = asked.end - asked.start;
    if shown.end - shown.start > asked_ns.saturating_add(asked_ns / 4) {
        return None;
    }
    let basis = Basis::Bins { from_ns: shown.start, until_ns: shown.end, bin_ns: cover.bin_ns, share: WIDTH };
    Some(TallyChoice { what, by_rank, window: cover.time_ns, is_wanted, basis })
}

/// Whether a filter selects calls of a kind; `None` where it selects some of them.
fn wants(filter: &Filter, kind: &Kind) -> Option<bool> {
    let is_it = |wanted: Option<u32>, id: u32| wanted.is_none_or(|wanted| wanted == id);
    let is_fixed = is_it(filter.comm.map(|c| c.0), kind.comm)
        && is_it(filter.site.map(|s| s.0), kind.site)
        && is_it(filter.region.map(|r| r.0), kind.region)
        && filter.functions.as_ref().is_none_or(|f| f.binary_search(&kind.function.into()).is_ok());
    let (least, most) = (filter.bytes_min.unwrap_or(0), filter.bytes_max.unwrap_or(u64::MAX));
    let (from, until) = kind.bytes;
    if !is_fixed || until < least || from > most {
        Some(false)
    } else {
        (least <= from && until <= most).then_some(true)
    }
}

impl TallyChoice {
    /// Folds the tallies of the selected kinds.
    pub fn fold<A: Send>(
        &self,
        scene: &OpenedRun,
        filter: &Filter,
        cancel: &Cancel,
        begin: impl Fn() -> A + Sync + Send,
        take: impl Fn(&mut A, &Kind, &Tallied<'_>) + Sync + Send,
        join: impl Fn(A, A) -> A + Sync + Send,
    ) -> Result<A, ViewError> {
        let kinds = scene.preview.kinds(self.what);
        let take = |all: &mut A, tallied: &Tallied<'_>| {
            let at = usize::from(tallied.kind);
            if let Some(kind) = kinds.get(at).filter(|_| self.is_wanted.get(at) == Some(&true)) {
                take(all, kind, tallied);
            }
        };
        let (preview, cancel) = (&scene.preview, &asking(cancel));
        let window = self.window.clone();
        Ok(match self.by_rank {
            true => preview.fold_ranks(window, |rank| filter.wants_rank(rank), cancel, begin, take, join)?,
            false => preview.fold_times(self.what, window, cancel, begin, take, join)?,
        })
    }

    /// The window of the tallies.
    pub fn window_ns(&self) -> Span<u64> {
        match self.basis {
            Basis::Bins { from_ns, until_ns, .. } => from_ns..until_ns,
            _ => self.window.clone(),
        }
    }
}

/// Durations of an entry, ns.
pub(crate) fn durations(kind: &Kind, tallied: &Tallied<'_>, entry: &Entry) -> (u64, u64) {
    let (least, most) = bins::values(entry.duration).into_inner();
    // For folded polls, smallest and largest are those of single polls.
    if kind.is_poll {
        return (least, most);
    }
    (least.max(tallied.sums.min_ns).min(most), most.min(tallied.sums.max_ns).max(least))
}

/// Values of a field of the calls of an entry; `None` where they have none.
pub(crate) fn between(
    scene: &OpenedRun,
    field: Field,
    kind: &Kind,
    tallied: &Tallied<'_>,
    entry: &Entry,
) -> Option<Between> {
    let one = |value: f64| Some((value, value));
    let id = |id: u32| (id != u32::MAX).then_some((f64::from(id), f64::from(id)));
    let moves = kind.function == 0 || moves_data(kind.function.into()) || kind.bytes.1 > 0;
    let run = || scene.preview.time_ns();
    let start = || {
        let (from, until) = (tallied.time_ns.start.max(run().start), tallied.time_ns.end.min(run().end));
        (from, until.max(from + 1) - 1)
    };
    match field {
        Field::Start => Some((start().0 as f64, start().1 as f64)),
        Field::End => {
            let ((from, until), (least, most)) = (start(), durations(kind, tallied, entry));
            Some((from.saturating_add(least) as f64, until.saturating_add(most) as f64))
        }
        Field::Duration => {
            let (least, most) = durations(kind, tallied, entry);
            Some((least as f64, most as f64))
        }
        Field::Bytes => moves.then_some((kind.bytes.0 as f64, kind.bytes.1 as f64)),
        Field::Bandwidth => {
            let (least, most) = durations(kind, tallied, entry);
            let ns = (least.max(1) as f64, most as f64);
            (moves && most > 0 && kind.bytes.1 > 0).then(|| (kind.bytes.0 as f64 / ns.1, kind.bytes.1 as f64 / ns.0))
        }
        Field::Rank => one(f64::from(tallied.rank?)),
        Field::Host => one(scene.host_of(tallied.rank?)? as f64),
        Field::Comm => id(kind.comm),
        Field::Function => one(f64::from(kind.function)),
        Field::Class => one(Class::of_function(kind.function.into()) as u8 as f64),
        Field::Site => id(kind.site),
        Field::Region => id(kind.region),
        Field::SizeBin if moves => one(f64::from(mpiscope_run::bin_of(kind.bytes.0))),
        _ => None,
    }
}

/// Distributes `all` items evenly over `places`: the number for the place `at`. The sum is `all`. The remainder
/// goes to places that `phase` rotates.
pub(crate) fn part(all: u64, places: u64, at: u64, phase: u64) -> u64 {
    let (whole, rest) = (all / places, all % places);
    let at = (at + phase) % places;
    whole + (at + 1) * rest / places - at * rest / places
}

/// The same for all places that get an item: in no order, and without visiting the others.
pub(crate) fn parts(all: u64, places: u64, phase: u64, mut visit: impl FnMut(u64, u64)) {
    let (whole, rest) = (all / places, all % places);
    if whole > 0 {
        (0..places).for_each(|at| visit(at, whole));
    }
    let phase = phase % places;
    for number in 1..=rest {
        let turned = (number * places).div_ceil(rest) - 1;
        visit(if turned >= phase { turned - phase } else { turned + places - phase }, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_it_is_spread() {
        for (all, places) in [(0, 3), (1, 1), (1, 7), (6, 7), (700, 7), (701, 7), (1 << 40, 1000)] {
            for phase in 0..5 {
                let parts: Vec<u64> = (0..places).map(|at| part(all, places, at, phase)).collect();
                let mut same = vec![0; places as usize];
                super::parts(all, places, phase, |at, count| same[at as usize] += count);
                assert_eq!(same, parts);
                assert_eq!(parts.iter().sum::<u64>(), all);
                assert!(parts.iter().max().unwrap() - parts.iter().min().unwrap() <= 1);
            }
        }
    }
}
