//! The texts that recognise a message.
//!
//! A pattern is text as it is printed, with fields: `Invalid rank has value {value} but must be nonnegative and less than {size}`.
//!
//! - `{name}` is a word; `{text}`, `{why}`, `{what}` and `{call}` are anything within a line; names of numbers (`NUMBERS`) are
//!   digits. `{*}` is anything, and is not kept.
//! - `~` is white space that may contain ends of lines. Prefixes of the next line are skipped there.
//! - `{!}` is nothing; the text behind it is the anchor.
//! - Everything else has to be there exactly. The longest text without `~` and fields is the *anchor*, for which the automaton
//!   searches; so it is on one line.

/// Fields that consist of digits, with a sign, `0x`, or a point in between.
const NUMBERS: [&str; 16] = [
    "rank", "size", "line", "code", "signal", "pid", "count", "value", "bytes", "limit", "errno", "seconds", "number",
    "job", "step", "need",
];

/// Fields that may contain blanks.
const TEXTS: [&str; 5] = ["*", "text", "why", "what", "call"];

/// How far the next text may be from a field's begin.
const FIELD_BYTES: usize = 400;

/// As many bytes of an anchor are searched for.
const ANCHOR_BYTES: usize = 24;

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// Which piece is the anchor.
    anchor: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    Field(String),
    Break,
}

/// Values by the names of fields.
pub type Fields = Vec<(String, String)>;

impl Pattern {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// If a brace is not closed, nothing is between two fields, or there is no text to search for.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut pieces, mut marked) = (Vec::new(), None);
        let mut rest = text;
        while !rest.is_empty() {
            let at = rest.find(['{', '~']).unwrap_or(rest.len());
            if at > 0 {
                pieces.push(Piece::Text(rest.as_bytes()[..at].to_vec()));
            } else if let Some(after) = rest.strip_prefix('~') {
                pieces.push(Piece::Break);
                rest = after;
                continue;
            } else {
                let end = rest.find('}').ok_or("a brace is not closed")?;
                match &rest[1..end] {
                    "!" => marked = Some(pieces.len()),
                    name => pieces.push(Piece::Field(name.to_owned())),
                }
                rest = &rest[end + 1..];
                continue;
            }
            rest = &rest[at..];
        }
        let is_open = |pair: &[Piece]| matches!(pair, [Piece::Field(_), Piece::Field(_)]);
        if pieces.windows(2).any(is_open) {
            return Err("nothing is between two fields".into());
        }
        let text_len = |piece: &Piece| if let Piece::Text(text) = piece { text.trim_ascii().len() } else { 0 };
        let longest = || (0..pieces.len()).max_by_key(|at| (text_len(&pieces[*at]), usize::MAX - at));
        let anchor = marked.filter(|at| *at < pieces.len()).or_else(longest).ok_or("it is empty")?;
        if text_len(&pieces[anchor]) < 5 {
            return Err("the longest text has less than 5 bytes".into());
        }
        Ok(Self { pieces, anchor })
    }

    /// What the automaton searches for.
    pub fn anchor(&self) -> &[u8] {
        match &self.pieces[self.anchor] {
            Piece::Text(text) => &text[..text.len().min(ANCHOR_BYTES)],
            _ => &[],
        }
    }

    /// Whether it is part of one line.
    pub fn is_within_line(&self) -> bool {
        !self.pieces.contains(&Piece::Break)
    }

    /// Whether the part of it that cannot extend over lines is here, in a line with its anchor at `at`.
    pub fn fits_line(&self, line: &[u8], at: usize) -> bool {
        let is_break = |piece: &Piece| *piece == Piece::Break;
        let begin = self.pieces[..self.anchor].iter().rposition(is_break).map_or(0, |found| found + 1);
        let end =
            self.pieces[self.anchor..].iter().position(is_break).map_or(self.pieces.len(), |end| self.anchor + end);
        let mut fields = Fields::new();
        before(&self.pieces[begin..self.anchor], line, at, &mut fields).is_some()
            && after(&self.pieces[self.anchor..end], line, at, &mut fields).is_some()
    }

    /// The values of fields if `text` contains the pattern, with its anchor at `at`.
    pub fn fields(&self, text: &[u8], at: usize) -> Option<Fields> {
        let mut fields = Fields::new();
        before(&self.pieces[..self.anchor], text, at, &mut fields)?;
        fields.reverse();
        after(&self.pieces[self.anchor..], text, at, &mut fields)?;
        fields.retain(|(name, value)| name != "*" && !value.is_empty());
        Some(fields)
    }
}

/// Compares the anchor and the pieces after it.
fn after(pieces: &[Piece], text: &[u8], at: usize, fields: &mut Fields) -> Option<()> {
    let mut at = at;
    let mut pending: Option<&str> = None;
    for piece in pieces {
        match piece {
            Piece::Field(name) => pending = Some(name),
            Piece::Break => {
                if let Some(name) = pending.take() {
                    let end = at + field_len(&text[at..], name);
                    fields.push((name.to_owned(), clean(&text[at..end])));
                    at = end;
                }
                let blanks = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                if blanks == 0 && at < text.len() {
                    return None;
                }
                at += blanks;
            }
            Piece::Text(wanted) => match pending.take() {
                None => {
                    text[at..].strip_prefix(&wanted[..])?;
                    at += wanted.len();
                }
                Some(name) => {
                    let window = &text[at..text.len().min(at + FIELD_BYTES)];
                    let len = memchr::memmem::find(window, wanted)?;
                    if !fits(name, &window[..len]) {
                        return None;
                    }
                    fields.push((name.to_owned(), clean(&window[..len])));
                    at += len + wanted.len();
                }
            },
        }
    }
    if let Some(name) = pending {
        let end = at + field_len(&text[at..], name);
        fields.push((name.to_owned(), clean(&text[at..end])));
    }
    Some(())
}

/// Compares the pieces before the anchor, the last one first.
fn before(pieces: &[Piece], text: &[u8], at: usize, fields: &mut Fields) -> Option<()> {
    let mut end = at;
    let mut pending: Option<&str> = None;
    for piece in pieces.iter().rev() {
        match piece {
            Piece::Field(name) => pending = Some(name),
            Piece::Break => {
                if let Some(name) = pending.take() {
                    let begin = end - field_len_back(&text[..end], name);
                    fields.push((name.to_owned(), clean(&text[begin..end])));
                    end = begin;
                }
                let blanks = text[..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
                if blanks == 0 && end > 0 {
                    return None;
                }
                end -= blanks;
            }
            Piece::Text(wanted) => match pending.take() {
                None => end = text[..end].strip_suffix(&wanted[..])?.len(),
                Some(name) => {
                    let from = end.saturating_sub(FIELD_BYTES);
                    let begin = from + memchr::memmem::rfind(&text[from..end], wanted)?;
                    let value = &text[begin + wanted.len()..end];
                    if !fits(name, value) {
                        return None;
                    }
                    fields.push((name.to_owned(), clean(value)));
                    end = begin;
                }
            },
        }
    }
    if let Some(name) = pending {
        let begin = end - field_len_back(&text[..end], name);
        fields.push((name.to_owned(), clean(&text[begin..end])));
    }
    Some(())
}

/// Whether a field consists of digits.
pub fn is_number(name: &str) -> bool {
    NUMBERS.contains(&name)
}

fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b'-' | b'+' | b'x' | b'.' | b',')
}

/// Whether `value` can be the value of a field that is followed by text.
fn fits(name: &str, value: &[u8]) -> bool {
    match name {
        name if is_number(name) => !value.is_empty() && value.iter().all(|byte| is_number_byte(*byte)),
        name if TEXTS.contains(&name) => !value.contains(&b'\n'),
        _ => !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace),
    }
}

/// The length of a field that nothing follows.
fn field_len(text: &[u8], name: &str) -> usize {
    let belongs = |byte: &&u8| match name {
        name if is_number(name) => is_number_byte(**byte),
        name if TEXTS.contains(&name) => **byte != b'\n',
        _ => !byte.is_ascii_whitespace(),
    };
    text.iter().take(FIELD_BYTES).take_while(belongs).count()
}

fn field_len_back(text: &[u8], name: &str) -> usize {
    let belongs = |byte: &&u8| match name {
        name if TEXTS.contains(&name) => **byte != b'\n',
        _ => !byte.is_ascii_whitespace(),
    };
    text.iter().rev().take(FIELD_BYTES).take_while(belongs).count()
}

/// A value for people: without signs around it.
fn clean(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | ':'))
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pattern: &str, text: &str) -> Option<Fields> {
        let pattern = Pattern::parse(pattern).unwrap();
        let at = memchr::memmem::find(text.as_bytes(), pattern.anchor())?;
        pattern.fields(text.as_bytes(), at)
    }

    fn pairs(found: &[(&str, &str)]) -> Option<Fields> {
        Some(found.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn values_are_between_texts() {
        let pattern = "Invalid rank has value {value} but must be nonnegative and less than {size}";
        let text = "internal_Send(78).: Invalid rank has value -5 but must be nonnegative and less than 2\nmore";
        assert_eq!(fields(pattern, text), pairs(&[("value", "-5"), ("size", "2")]));
        assert_eq!(fields(pattern, "Invalid rank has value many but must be nonnegative and less than 2"), None);
    }

    #[test]
    fn a_text_may_extend_over_lines_only_where_that_is_allowed() {
        let pattern = "exhausted unexpected~receive queue buffering";
        assert!(fields(pattern, "exhausted unexpected \n  receive queue buffering").is_some());
        assert!(fields(pattern, "exhausted unexpected receive queue \nbuffering").is_none());
    }

    #[test]
    fn fields_at_both_ends() {
        assert_eq!(
            fields(
                "{program}: error while loading shared libraries: {library}: {why}",
                "x\n./a.out: error while loading shared libraries: libm.so: gone away\ny"
            ),
            pairs(&[("program", "./a.out"), ("library", "libm.so"), ("why", "gone away")])
        );
    }

    #[test]
    fn patterns_without_text_are_refused() {
        assert!(Pattern::parse("{a}~{b}").is_err());
        assert!(Pattern::parse("abc{a").is_err());
        assert!(Pattern::parse("a longer text {a}{b}").is_err());
        assert!(Pattern::parse("").is_err());
    }
}
