//! Parses a time interval: `1.2ms..3ms`.

use std::str::FromStr;

/// Two moments in ns since the start of the run; `None` for an open end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    pub from_ns: Option<u64>,
    pub until_ns: Option<u64>,
}

impl FromStr for Moments {
    type Err = String;

    fn from_str(text: &str) -> Result<Moments, String> {
        let (from, until) = text
            .split_once("..")
            .ok_or_else(|| format!("invalid interval '{text}'; write FROM..TO, such as 1.2ms..3ms"))?;
        let open = |text: &str| if text.trim().is_empty() { Ok(None) } else { moment(text).map(Some) };
        let found = Moments { from_ns: open(from)?, until_ns: open(until)? };
        match (found.from_ns, found.until_ns) {
            (Some(from), Some(until)) if from >= until => Err(format!("'{text}' ends before it begins")),
            _ => Ok(found),
        }
    }
}

/// `1.2ms`, in ns. The unit is required, as there is no obvious default.
fn moment(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 7] =
        [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
    let text = text.trim();
    let wrong = || format!("invalid time '{text}'; write a number and s, ms, us or ns, such as 1.2ms");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let factor = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or_else(wrong)?.1;
    Ok((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        let window = |text: &str| text.parse::<Moments>().map(|w| (w.from_ns, w.until_ns));
        assert_eq!(window("1.2ms..3ms"), Ok((Some(1_200_000), Some(3_000_000))));
        assert_eq!(window("2s.."), Ok((Some(2_000_000_000), None)));
        assert_eq!(window("..15 us"), Ok((None, Some(15_000))));
        assert_eq!(window("0ns..1.5µs"), Ok((Some(0), Some(1500))));
        for wrong in ["", "1ms", "3ms..1ms", "1..2", "1ms..2", "a..b", "1.2.3ms..", "-1ms..2ms", "1kg..2kg"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
