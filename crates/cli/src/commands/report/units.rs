//! Numbers of a report: those of `mpiscope_units`, in what the terminal can show.

pub use mpiscope_units::{
    bytes, column_count as count, count as exact, counted, percent, rank_list as ranks, rank_ranges as stretched, rate,
    share,
};

use super::style::Style;

/// A duration with three digits: `412 ns`, `1.50 µs`, `61.2 s`, `27.8 h`.
pub fn time(ns: u64, style: Style) -> String {
    style.clean(&mpiscope_units::time(ns))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_unicode() {
        let [ascii, unicode] = [false, true].map(|unicode| Style { unicode, width: 80 });
        assert_eq!([ascii, unicode].map(|style| time(1_500, style)), ["1.50 us", "1.50 µs"]);
    }

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400_000_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_700_000_000_000_000_000), "2023-11-14 22:13:20 UTC");
    }
}
