//! Numbers with their units, as text: the one place in Rust where they are formatted.
//!
//! One space before the unit, three significant digits: `1.50 µs`, `8.0 %`, `1.17 GiB/s`. The viewer's page follows the same rules
//! (`viewer/src/format.ts`).

const BINARY: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// A duration: `0 s`, `412 ns`, `1.50 µs`, `61.2 s`, `2.78 h`. There are no minutes; hours begin where seconds have five digits.
pub fn time(ns: u64) -> String {
    time_of(ns as f64)
}

/// A duration that need not be a whole number of ns.
pub fn time_of(ns: f64) -> String {
    match ns {
        0.0 => "0 s".into(),
        _ if ns.abs() >= 9999.5e9 => format!("{} h", significant(ns / 3.6e12)),
        _ => scaled(ns, 1000.0, &["ns", "µs", "ms", "s"]),
    }
}

/// A number of bytes: `8 B`, `1000 B`, `1.23 KiB`, `640 MiB`.
pub fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &BINARY)
}

/// Bytes per second: `1.17 GiB/s`.
pub fn rate(bytes_per_s: f64) -> String {
    format!("{}/s", scaled(bytes_per_s, 1024.0, &BINARY))
}

/// Floating-point operations per second: `45.0 Gflop/s`.
pub fn flops(flop_per_s: f64) -> String {
    scaled(flop_per_s, 1000.0, &["flop/s", "kflop/s", "Mflop/s", "Gflop/s", "Tflop/s", "Pflop/s"])
}

/// A share of one: `8.0 %`. Only zero is written as `0.0 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent != 0.0 && percent.abs() < 0.1 { "< 0.1 %".into() } else { format!("{} %", rounded(percent, 1)) }
}

/// Part of a whole, as a share of one; 0 where the whole is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A whole number with all its digits, in groups of three: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number where there is little room: `9,999`, then `12.3 k`.
pub fn short_count(n: u64) -> String {
    if n < 10_000 { count(n) } else { scaled(n as f64, 1000.0, &["", "k", "M", "G", "T", "P", "E"]) }
}

/// A whole number in a column: exact up to seven digits, then `12.3 M`.
pub fn column_count(n: u64) -> String {
    if n < 10_000_000 { count(n) } else { short_count(n) }
}

/// `1 send`, `2 sends`: `text` is `send(s)`. Each `(s)` and `(es)` of the text becomes singular or plural.
pub fn counted(n: u64, text: &str) -> String {
    let [s, es] = if n == 1 { ["", ""] } else { ["s", "es"] };
    format!("{} {}", count(n), text.replace("(s)", s).replace("(es)", es))
}

/// Ranks in a sentence: `rank 3`, `ranks 1, 2 and 5`, `ranks 0, 1, 2 and 13 more`.
pub fn ranks_text(ranks: &[i32]) -> String {
    let list = |shown: &[i32]| shown.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    match ranks {
        [] => "no rank".into(),
        [one] => format!("rank {one}"),
        [few @ .., last] if few.len() < 4 => format!("ranks {} and {last}", list(few)),
        many => format!("ranks {} and {} more", list(&many[..3]), many.len() - 3),
    }
}

/// A list of ranks, in any order: `0-3,7`. Only the first `most` ranges are written.
pub fn rank_list(ranks: &[i32], most: usize) -> String {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let ranges: Vec<(i32, i32)> =
        sorted.chunk_by(|a, b| a.checked_add(1) == Some(*b)).map(|range| (range[0], range[range.len() - 1])).collect();
    rank_ranges(&ranges, most)
}

/// The same for ranges given by their first and last rank.
pub fn rank_ranges(ranges: &[(i32, i32)], most: usize) -> String {
    let one = |&(first, last): &(i32, i32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    let mut parts: Vec<String> = ranges.iter().take(most).map(one).collect();
    if ranges.len() > most {
        parts.push("...".into());
    }
    parts.join(",")
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let (mut rest, mut at) = (value, 0);
    // 999.6 would be written as 1000 of the smaller unit.
    while rest.abs() >= step - 0.5 && at + 1 < units.len() {
        rest /= step;
        at += 1;
    }
    let number = if at == 0 && rest.fract() == 0.0 { format!("{rest}") } else { significant(rest) };
    format!("{number} {}", units[at]).trim_end().to_owned()
}

/// Three significant digits, without a unit: `12.8`.
pub fn significant(value: f64) -> String {
    rounded(
        value,
        match value.abs() {
            v if v >= 99.95 => 0,
            v if v >= 9.995 => 1,
            _ => 2,
        },
    )
}

/// A half is rounded up, as readers expect: `format!` alone rounds it to the even digit.
fn rounded(value: f64, digits: usize) -> String {
    let power = 10_f64.powi(digits as i32);
    format!("{:.digits$}", (value * power).round() / power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let times = [0, 7, 999, 1_000, 1_125, 999_499, 999_500, 9_999_000, 61_249_000, 1_500_000_000];
        let texts =
            ["0 s", "7 ns", "999 ns", "1.00 µs", "1.13 µs", "999 µs", "1.00 ms", "10.0 ms", "61.2 ms", "1.50 s"];
        assert_eq!(times.map(time), texts);
        assert_eq!(
            [1_234_000_000_000, 9_999_600_000_000, 100_000_000_000_000].map(time),
            ["1234 s", "2.78 h", "27.8 h"]
        );
        assert_eq!([0.0, 999.6, 2.5, -1_500.0].map(time_of), ["0 s", "1.00 µs", "2.50 ns", "-1.50 µs"]);
    }

    #[test]
    fn sizes_and_rates() {
        assert_eq!(
            [0, 8, 1000, 1_260, 671_088_640, u64::MAX].map(bytes),
            ["0 B", "8 B", "1000 B", "1.23 KiB", "640 MiB", "16.0 EiB"]
        );
        assert_eq!([0.0, 12.5, 1_258_291_200.0].map(rate), ["0 B/s", "12.5 B/s", "1.17 GiB/s"]);
        assert_eq!([0.0, 4.5e10, 2.5e15].map(flops), ["0 flop/s", "45.0 Gflop/s", "2.50 Pflop/s"]);
    }

    #[test]
    fn shares() {
        let texts = ["0.0 %", "< 0.1 %", "8.0 %", "12.3 %", "50.0 %", "100.0 %", "150.0 %"];
        assert_eq!([0.0, 0.0001, 0.08, 0.123, 0.5, 0.9999, 1.5].map(percent), texts);
        assert_eq!([share(1, 4), share(1, 0)], [0.25, 0.0]);
    }

    #[test]
    fn counts() {
        assert_eq!([7, 1234, 267_000_000].map(count), ["7", "1,234", "267,000,000"]);
        assert_eq!([999, 9999, 12_345, 12_345_678].map(short_count), ["999", "9,999", "12.3 k", "12.3 M"]);
        assert_eq!([999, 9_999_999, 12_345_678].map(column_count), ["999", "9,999,999", "12.3 M"]);
        let text = "send(s) or match(es) without a partner";
        assert_eq!(
            [1, 2345].map(|n| counted(n, text)),
            ["1 send or match without a partner", "2,345 sends or matches without a partner"]
        );
    }

    #[test]
    fn lists_of_ranks() {
        assert_eq!(ranks_text(&[3]), "rank 3");
        assert_eq!(ranks_text(&[1, 2, 5]), "ranks 1, 2 and 5");
        assert_eq!(ranks_text(&[0, 1, 2, 3, 4, 5]), "ranks 0, 1, 2 and 3 more");
        assert_eq!(rank_list(&[3, 0, 1, 7, 2, 2], 9), "0-3,7");
        assert_eq!(rank_list(&[0, 2, 4], 2), "0,2,...");
        assert_eq!(rank_ranges(&[(0, 2), (5, 5)], 9), "0-2,5");
    }
}
