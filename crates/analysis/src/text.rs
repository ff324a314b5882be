//! Numbers for people.

/// `12.3 s`, `4.56 ms`, `780 µs`, `12 ns`: three digits.
pub(crate) fn duration(ns: u64) -> String {
    let three = |value: f64, unit: &str| {
        let digits = if value >= 100.0 {
            0
        } else if value >= 10.0 {
            1
        } else {
            2
        };
        format!("{value:.digits$} {unit}")
    };
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => three(ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => three(ns as f64 / 1e6, "ms"),
        _ => three(ns as f64 / 1e9, "s"),
    }
}

/// `8 %`, `0.4 %`.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value >= 9.95 { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

/// `8 B`, `1.23 KiB`, `640 MiB`: three digits.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 || value >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

/// A number with its thousands apart.
pub(crate) fn count(n: u64) -> String {
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

/// `1 send`, `2 sends`: of `send(s)`, wherever in the text it stands.
pub(crate) fn counted(n: u64, text: &str) -> String {
    format!("{} {}", count(n), text.replace("(s)", if n == 1 { "" } else { "s" }))
}

/// `rank 3`, `ranks 1, 2 and 5`, `ranks 0, 1, 2 and 13 more`.
pub(crate) fn ranks_text(ranks: &[i32]) -> String {
    let list = |shown: &[i32]| shown.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    match ranks {
        [] => "no rank".into(),
        [one] => format!("rank {one}"),
        [few @ .., last] if few.len() < 4 => format!("ranks {} and {last}", list(few)),
        many => format!("ranks {} and {} more", list(&many[..3]), many.len() - 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!([7, 1234, 267_000_000].map(count), ["7", "1,234", "267,000,000"]);
    }

    #[test]
    fn one_or_more() {
        let text = "send(s) or receive(s) without a partner";
        assert_eq!(
            [1, 2345].map(|n| counted(n, text)),
            ["1 send or receive without a partner", "2,345 sends or receives without a partner"]
        );
    }

    #[test]
    fn sizes() {
        assert_eq!([8, 1000, 1_260, 671_088_640].map(bytes), ["8 B", "0.98 KiB", "1.23 KiB", "640 MiB"]);
    }

    #[test]
    fn three_digits() {
        let texts = [12, 1_500, 45_600, 780_000, 1_230_000_000, 123_456_000_000].map(duration);
        assert_eq!(texts, ["12 ns", "1.50 µs", "45.6 µs", "780 µs", "1.23 s", "123 s"]);
        assert_eq!([1_250_000, 3_000_000_000].map(duration), ["1.25 ms", "3.00 s"]);
        assert_eq!([0.004, 0.08, 0.5].map(percent), ["0.4 %", "8.0 %", "50 %"]);
        assert_eq!(ranks_text(&[3]), "rank 3");
        assert_eq!(ranks_text(&[1, 2, 5]), "ranks 1, 2 and 5");
        assert_eq!(ranks_text(&[0, 1, 2, 3, 4, 5]), "ranks 0, 1, 2 and 3 more");
    }
}
