//! Sizes: `16M`, `1G`, `1048576`, `64 KiB`. Units are powers of 1024.

use super::OptionError;

/// Parses a size as people write it; returns bytes.
///
/// # Errors
///
/// If it is not a number with one of the units, or too large for 64 bits.
pub fn parse_size(text: &str) -> Result<u64, OptionError> {
    let wrong = || OptionError::Size { given: text.into() };
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// Writes a size so that [`parse_size`] reads the same number of bytes.
pub fn write_size(bytes: u64) -> String {
    let units = [(40, "T"), (30, "G"), (20, "M"), (10, "K")];
    let whole = units.into_iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    whole.map_or_else(|| bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}

/// A size as people read it: `16.0 MiB`.
pub fn format_size(bytes: u64) -> String {
    mpiscope_units::bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("1048576", 1 << 20),
            ("16M", 16 << 20),
            ("16m", 16 << 20),
            ("1G", 1 << 30),
            ("64 KiB", 64 << 10),
            ("2T", 2 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_size_is_said() {
        for text in ["", "M", "-1", "1.5G", "16X", "99999999999999999999", "20000000T"] {
            let error = parse_size(text).unwrap_err();
            assert!(error.to_string().contains("invalid size"), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_are_written() {
        for (bytes, text) in
            [(0, "0"), (1000, "1000"), (1 << 20, "1M"), (3 << 29, "1536M"), (u64::MAX, "18446744073709551615")]
        {
            assert_eq!(write_size(bytes), text);
            assert_eq!(parse_size(text), Ok(bytes));
        }
        assert_eq!(format_size(512), "512 B");
        assert_eq!(format_size(16 << 20), "16.0 MiB");
        assert_eq!(format_size(1536), "1.50 KiB");
    }
}
