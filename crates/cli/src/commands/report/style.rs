//! Capabilities of the terminal.

/// Width and characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether the terminal shows more than ASCII.
    pub unicode: bool,
    /// Maximum line length, in characters.
    pub width: usize,
}

impl Style {
    /// For the locale of `env`.
    pub fn new(width: usize, env: impl Fn(&str) -> Option<String>) -> Style {
        // The first of these that is set and not empty applies (POSIX, 8.2).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|k| env(k).filter(|v| !v.is_empty()));
        let name = locale.unwrap_or_default().to_ascii_lowercase();
        Style { unicode: name.contains("utf-8") || name.contains("utf8"), width }
    }

    /// Marks where text was cut.
    pub fn ellipsis(self) -> char {
        if self.unicode { '…' } else { '~' }
    }

    /// Text from files, made safe to print: no control characters, only characters that the terminal shows.
    pub fn clean(self, text: &str) -> String {
        let keep = |c: char| !c.is_control() && (self.unicode || c.is_ascii());
        text.chars().map(|c| if keep(c) { c } else { self.stand_in(c) }).collect()
    }

    fn stand_in(self, c: char) -> char {
        match c {
            '…' => '~',
            'µ' => 'u',
            _ => '?',
        }
    }

    /// `text` in at most `width` characters, cut in the middle: the end of a name identifies it better.
    pub fn shorten(self, text: &str, width: usize) -> String {
        let length = text.chars().count();
        if length <= width {
            return text.to_owned();
        }
        let head = width.saturating_sub(1) / 2;
        let tail = width.saturating_sub(1) - head;
        let mut out: String = text.chars().take(head).collect();
        if width > 0 {
            out.push(self.ellipsis());
        }
        out.extend(text.chars().skip(length - tail));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(name: &'static str) -> Style {
        Style::new(80, move |key| (key == "LANG").then(|| name.to_owned()))
    }

    #[test]
    fn locale_decides() {
        assert!(locale("de_DE.UTF-8").unicode);
        assert!(locale("C.utf8").unicode);
        assert!(!locale("C").unicode);
        assert!(!Style::new(80, |key| (key != "LC_ALL").then(|| "en_US.UTF-8".into()).or(Some("C".into()))).unicode);
    }

    #[test]
    fn cut_and_cleaned() {
        assert_eq!(locale("C").shorten("MPI_Neighbor_alltoallw", 11), "MPI_N~oallw");
        assert_eq!(locale("C").clean("a\u{1b}[31mµs…ü"), "a?[31mus~?");
    }
}
