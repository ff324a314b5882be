//! What cannot be read of a run because files are damaged: one text for all places that report it.

use mpiscope_store::Dimensions;
use mpiscope_units::{count, percent, ranks_text};
use serde::Serialize;

/// A stretch of the run without events of a rank.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnreadableRow {
    /// Rank in its world.
    pub rank: i32,
    /// From here, ns since the origin,
    pub from_ns: u64,
    /// to here.
    pub until_ns: u64,
    /// The same as shares of the rank's time from `MPI_Init` to `MPI_Finalize`.
    pub from_share: f64,
    /// See `from_share`.
    pub until_share: f64,
    /// Events that are lost there, without those of missing parts of the file: their number is unknown.
    pub events: u64,
}

/// Ranks that have such a stretch, in order.
pub fn unreadable(dimensions: &Dimensions) -> Vec<UnreadableRow> {
    let row = |(at, row, gap): (usize, &mpiscope_store::RankRow, mpiscope_store::Unreadable)| {
        let (from_share, until_share) = gap.shares(row);
        let rank = if row.world_rank < 0 { at as i32 } else { row.world_rank };
        UnreadableRow {
            rank,
            from_ns: gap.from_ns,
            until_ns: gap.until_ns,
            from_share,
            until_share,
            events: gap.events,
        }
    };
    dimensions.unreadable().map(row).collect()
}

/// `From 37.0 % of the run on, the events of rank 3 cannot be read: its file is damaged`; `None` where everything can be read.
/// For several ranks it is the interval that covers all of theirs: analyses leave it out.
pub fn unreadable_text(rows: &[UnreadableRow]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let mut ranks: Vec<i32> = rows.iter().map(|r| r.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let from = rows.iter().map(|r| r.from_share).fold(1.0, f64::min);
    let until = rows.iter().map(|r| r.until_share).fold(0.0, f64::max);
    let events = rows.iter().map(|r| r.events).fold(0, u64::saturating_add);
    let whose = if ranks.len() == 1 { "its file is" } else { "their files are" };
    let of = format!("the events of {} cannot be read: {whose} damaged ({} lost)", ranks_text(&ranks), count(events));
    Some(match (from <= 0.0, until >= 1.0) {
        (true, true) => format!("{}{}", of[..1].to_uppercase(), &of[1..]),
        (true, false) => format!("Up to {} of the run, {of}", percent(until)),
        (false, _) => format!("From {} of the run on, {of}", percent(from)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rank: i32, from_share: f64, until_share: f64) -> UnreadableRow {
        UnreadableRow { rank, from_ns: 0, until_ns: 0, from_share, until_share, events: 600 }
    }

    #[test]
    fn sentences() {
        let text = |rows: &[UnreadableRow]| unreadable_text(rows).unwrap_or_default();
        assert_eq!(text(&[]), "");
        let damaged = "cannot be read: its file is damaged (600 lost)";
        assert_eq!(text(&[row(3, 0.37, 1.0)]), format!("From 37.0 % of the run on, the events of rank 3 {damaged}"));
        assert_eq!(text(&[row(3, 0.0, 0.2)]), format!("Up to 20.0 % of the run, the events of rank 3 {damaged}"));
        assert_eq!(text(&[row(3, 0.0, 1.0)]), format!("The events of rank 3 {damaged}"));
        assert_eq!(
            text(&[row(5, 0.5, 1.0), row(2, 0.251, 1.0)]),
            "From 25.1 % of the run on, the events of ranks 2 and 5 cannot be read: their files are damaged (1,200 lost)"
        );
    }
}
