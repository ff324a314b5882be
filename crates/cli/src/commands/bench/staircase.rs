//! The sends of an exchange as a picture of characters: a line for each rank, time from left to right.

use mpiscope_machine::{SendTimes, Staircase};

use crate::commands::report::style::Style;
use crate::commands::report::units;

/// Ranks that are drawn.
const MOST_RANKS: usize = 32;
/// More columns show nothing more.
const MOST_COLUMNS: usize = 100;

/// What the pictures are.
pub const CAPTION: &str = "sends of each rank in one exchange; a digit is the first of its sends that is in progress, a point a pause between them";

/// The picture of an exchange, with a title.
pub fn picture(staircase: &Staircase, style: Style) -> Vec<String> {
    let end_ns = staircase.sends.iter().map(|send| send.end_ns).max().unwrap_or(0).max(1);
    let mut lines = vec![format!(
        "{}, {}: {}",
        staircase.series,
        units::bytes(staircase.bytes),
        mpiscope_units::time_of(end_ns as f64)
    )];
    let ranks: Vec<&[SendTimes]> = staircase.sends.chunk_by(|a, b| a.rank == b.rank).collect();
    let digits = ranks.iter().take(MOST_RANKS).map(|sends| sends[0].rank.to_string().len()).max().unwrap_or(1);
    let columns = style.width.saturating_sub("rank ".len() + digits + 2).clamp(1, MOST_COLUMNS);
    for sends in ranks.iter().take(MOST_RANKS) {
        let row: String = (0..columns).map(|column| symbol(sends, end_ns, column, columns)).collect();
        lines.push(format!("rank {:>digits$} |{}", sends[0].rank, row.trim_end()));
    }
    if ranks.len() > MOST_RANKS {
        lines.push(format!("and {}", units::counted((ranks.len() - MOST_RANKS) as u64, "more rank(s)")));
    }
    lines
}

/// What a rank does during a column: the send that takes most of it, the first of several.
fn symbol(sends: &[SendTimes], end_ns: u64, column: usize, columns: usize) -> char {
    let at = |column: usize| column as f64 * end_ns as f64 / columns as f64;
    let (from, to) = (at(column), at(column + 1));
    let share = |send: &SendTimes| f64::min(to, send.end_ns as f64) - f64::max(from, send.begin_ns as f64);
    let mut found: Option<(usize, f64)> = None;
    for (number, send) in sends.iter().enumerate() {
        let share = share(send);
        if share > found.map_or(0.0, |(_, most)| most) {
            found = Some((number, share));
        }
    }
    let is_between =
        sends.iter().any(|send| (send.begin_ns as f64) < to) && sends.iter().any(|send| send.end_ns as f64 > from);
    match found {
        Some((number, _)) => char::from_digit(number as u32 + 1, 10).unwrap_or('+'),
        None if is_between => '.',
        None => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(rank: i32, begin_ns: u64, end_ns: u64) -> SendTimes {
        SendTimes { rank, to: 0, begin_ns, end_ns }
    }

    #[test]
    fn sends_after_each_other_are_a_staircase() {
        let sends = vec![
            send(0, 0, 250),
            send(0, 250, 500),
            send(1, 0, 500),
            send(1, 750, 1000),
            // Both at once: the first until it is complete, then the second.
            send(10, 0, 300),
            send(10, 0, 700),
        ];
        let staircase = Staircase { series: "send-irecv".into(), bytes: 65536, sends, ..Staircase::default() };
        let found = picture(&staircase, Style { unicode: true, width: 29 });
        let wanted = [
            "send-irecv, 64.0 KiB: 1.00 µs",
            "rank  0 |1111122222",
            "rank  1 |1111111111.....22222",
            "rank 10 |11111122222222",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn many_ranks_are_cut_off() {
        let sends = (0..40).map(|rank| send(rank, 0, 10)).collect();
        let found = picture(&Staircase { sends, ..Staircase::default() }, Style { unicode: true, width: 80 });
        assert_eq!((found.len(), found.last().unwrap().as_str()), (34, "and 8 more ranks"));
        assert_eq!(picture(&Staircase::default(), Style { unicode: true, width: 80 }).len(), 1);
    }
}
