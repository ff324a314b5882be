//! Wraps words into lines.

/// Units that stay on the line of their number.
const UNITS: &[&str] = &["%", "ns", "µs", "us", "ms", "s", "h", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Lines of at most `width` characters, at least 20; a longer word gets its own line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(20);
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The words of a text; a number and its unit are one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches([',', '.', ';', ':', ')']).trim_end_matches("/s");
        match words.last_mut() {
            Some(number) if UNITS.contains(&unit) && number.ends_with(|c: char| c.is_ascii_digit()) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_unit_stays_with_its_number() {
        assert_eq!(wrap("ranks wait for 1.50 s (47.5 % of it)", 20), ["ranks wait for", "1.50 s (47.5 % of", "it)"]);
        assert_eq!(wrap("a core copies up to 1.17 GiB/s.", 22), ["a core copies up to", "1.17 GiB/s."]);
        assert_eq!(wrap("rank 3 sends 3 h", 20), ["rank 3 sends 3 h"]);
    }
}
