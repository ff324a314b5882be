//! Numbers for people, at most seven characters wide where a table has no more room.

use super::style::Style;

/// A duration with three digits: `412ns`, `1.23ms`, `61.2s`, `27.8h`.
pub fn time(ns: u64, style: Style) -> String {
    let micro = if style.unicode { "µs" } else { "us" };
    let value = ns as f64;
    match ns {
        0 => "0".into(),
        _ if ns < 1_000 => format!("{ns}ns"),
        _ if value < 999.5e3 => scaled(value / 1e3, micro),
        _ if value < 999.5e6 => scaled(value / 1e6, "ms"),
        _ if value < 9999.5e9 => scaled(value / 1e9, "s"),
        _ => scaled(value / 3.6e12, "h"),
    }
}

/// Bytes with three digits and a binary unit: `8B`, `1.23KiB`, `640MiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes == 0 {
        return "0".into();
    }
    if bytes < 1000 {
        return format!("{bytes}B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    scaled(value, UNITS[unit])
}

/// A whole number, exact up to seven digits: `1,234,567`, then `12.3M`.
pub fn count(n: u64) -> String {
    if n < 10_000_000 {
        return exact(n);
    }
    const UNITS: [&str; 5] = ["M", "G", "T", "P", "E"];
    let mut value = n as f64 / 1e6;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    scaled(value, UNITS[unit])
}

/// A whole number with all digits, in groups of three.
pub fn exact(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 call` or `2 calls` from `call(s)`, anywhere in the text.
pub fn counted(n: u64, text: &str) -> String {
    let [one, many] = if n == 1 { ["", ""] } else { ["s", "es"] };
    format!("{} {}", exact(n), text.replace("(s)", one).replace("(es)", many))
}

/// A share of 1 as per cent; a share above 0 is never shown as 0.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0%".into(),
        p if p < 0.05 => "<0.1%".into(),
        p if p < 99.95 => format!("{p:.1}%"),
        p => format!("{p:.0}%"),
    }
}

/// A part divided by the whole; 0 if the whole is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn scaled(value: f64, unit: &str) -> String {
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}{unit}")
}

/// A time in UTC: `2023-11-14 22:13:20 UTC`.
pub fn utc(unix_ns: u64) -> String {
    let seconds = unix_ns / 1_000_000_000;
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Civil date from days since 1970-01-01, counted in eras of 400 years from 0000-03-01.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Rank numbers as ranges: `0-3,7`. Long lists are cut after `most` ranges.
pub fn ranks(sorted: &[i32], most: usize) -> String {
    let mut stretches: Vec<(i32, i32)> = Vec::new();
    for &rank in sorted {
        match stretches.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            Some((_, last)) if *last == rank => {}
            _ => stretches.push((rank, rank)),
        }
    }
    stretched(&stretches, most)
}

/// The same for pairs of first and last.
pub fn stretched(stretches: &[(i32, i32)], most: usize) -> String {
    let one = |&(first, last): &(i32, i32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    let mut parts: Vec<String> = stretches.iter().take(most).map(one).collect();
    if stretches.len() > most {
        parts.push("...".into());
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let ascii = Style { unicode: false, width: 80 };
        let times = [0, 7, 999, 1_000, 999_499, 999_500, 61_249_000, 1_500_000_000, 100_000_000_000_000];
        let texts = ["0", "7ns", "999ns", "1.00us", "999us", "1.00ms", "61.2ms", "1.50s", "27.8h"];
        assert_eq!(times.map(|t| time(t, ascii)), texts);
        assert_eq!(
            [0, 999, 1000, 1024, 1 << 20, u64::MAX].map(bytes),
            ["0", "999B", "0.98KiB", "1.00KiB", "1.00MiB", "16.0EiB"]
        );
        assert_eq!([0, 999, 1000, 9_999_999, 12_345_678].map(count), ["0", "999", "1,000", "9,999,999", "12.3M"]);
        assert_eq!([0.0, 0.0001, 0.5, 0.9999, 1.0, 1.5].map(percent), ["0%", "<0.1%", "50.0%", "100%", "100%", "150%"]);
    }

    #[test]
    fn dates_and_ranks() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400_000_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_700_000_000_000_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(ranks(&[0, 1, 2, 5, 7, 8], 9), "0-2,5,7-8");
        assert_eq!(ranks(&[0, 2, 4], 2), "0,2,...");
    }
}
