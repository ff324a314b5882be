//! On the page, each note takes one line, so the important part comes first. `--full` shows them completely.

use super::page::Page;

/// Notes under one label: complete with `full`; otherwise as many whole clauses as fit into a line.
pub fn notes<'a>(page: &mut Page, indent: usize, notes: impl Iterator<Item = &'a str>, full: bool) {
    for (at, text) in notes.enumerate() {
        let label = if at == 0 { "note" } else { "" };
        if full {
            page.paragraph(label, indent, text);
            continue;
        }
        let room = page.style.width.saturating_sub(indent);
        let is_cut = text.trim_end_matches('.').chars().count() > room;
        // One character marks the cut.
        let line = first_clauses(text, if is_cut { room.saturating_sub(1) } else { room });
        let more = if is_cut { page.style.ellipsis().to_string() } else { String::new() };
        page.line(format!("{label:<indent$}{line}{more}"));
    }
}

/// As many clauses as fit into `room` characters. The caller shortens a first clause that is longer.
fn first_clauses(text: &str, room: usize) -> &str {
    let text = text.trim_end_matches('.');
    if text.chars().count() <= room {
        return text;
    }
    let ends =
        text.char_indices().filter(|&(at, c)| matches!(c, '.' | ':' | ',' | ';') && text[at + 1..].starts_with(' '));
    let mut fitting = ends.map(|(at, _)| at).filter(|&at| text[..at].chars().count() <= room);
    let words = || text.char_indices().filter(|&(at, c)| c == ' ' && text[..at].chars().count() <= room);
    match fitting.next_back() {
        // Not if less than a third of the line would remain.
        Some(end) if text[..end].chars().count() * 3 >= room => &text[..end],
        _ => words().next_back().map_or(text, |(end, _)| &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_a_clause_where_it_can() {
        assert_eq!(first_clauses("short.", 20), "short");
        let text = "Efficiencies follow the first thread of each rank: others are left out, whatever they do.";
        assert_eq!(first_clauses(text, 60), "Efficiencies follow the first thread of each rank");
        assert_eq!(first_clauses(text, 75), "Efficiencies follow the first thread of each rank: others are left out");
        assert_eq!(first_clauses("a: no end of a clause after that one", 20), "a: no end of a");
        assert_eq!(first_clauses("µµµ µµµ", 4), "µµµ");
    }
}
