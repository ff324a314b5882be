//! Tables as aligned text or CSV.

use super::style::Style;
use super::units;

/// One field.
#[derive(Clone, Debug)]
pub enum Field {
    /// Words.
    Text(String),
    /// A number of things.
    Count(u64),
    /// ns.
    Time(u64),
    /// Bytes.
    Bytes(u64),
    /// Share of 1.
    Share(f64),
    /// A rank, or another number that may be negative.
    Number(i64),
    /// No value.
    Empty,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in CSV, including the unit; empty for columns only of text.
    pub name: &'static str,
    /// Header in text; empty for columns only of CSV.
    pub head: &'static str,
    /// Words: aligned left, and cut if the line gets too long.
    pub words: bool,
    /// Omitted from text before words are cut.
    pub spare: bool,
}

/// A column of numbers in text and CSV.
pub const fn number(name: &'static str, head: &'static str) -> Column {
    Column { name, head, words: false, spare: false }
}

/// A column of numbers in CSV, and in text if there is room.
pub const fn spare(name: &'static str, head: &'static str) -> Column {
    Column { name, head, words: false, spare: true }
}

/// A column of words in text and CSV.
pub const fn words(name: &'static str, head: &'static str) -> Column {
    Column { name, head, words: true, spare: false }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Grid {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Field>>,
}

impl Field {
    /// The text for people.
    pub fn text(&self, style: Style) -> String {
        match self {
            Field::Text(text) => style.clean(text),
            Field::Count(n) => units::count(*n),
            Field::Time(ns) => units::time(*ns, style),
            Field::Bytes(bytes) => units::bytes(*bytes),
            Field::Share(share) => units::percent(*share),
            Field::Number(n) => n.to_string(),
            Field::Empty => String::new(),
        }
    }

    fn csv(&self) -> String {
        match self {
            Field::Text(text) if text.contains(['"', ',', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Field::Text(text) => text.clone(),
            Field::Count(n) | Field::Time(n) | Field::Bytes(n) => n.to_string(),
            Field::Share(share) => format!("{share:.6}"),
            Field::Number(n) => n.to_string(),
            Field::Empty => String::new(),
        }
    }
}

/// Minimum width of a column of words.
const NARROW: usize = 10;

impl Grid {
    /// Lines of text, none longer than the style's width, starting with the header.
    pub fn text(&self, style: Style) -> Vec<String> {
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|&i| !self.columns[i].head.is_empty()).collect();
        let cell = |row: Option<&Vec<Field>>, i: usize| match row {
            Some(row) => row[i].text(style),
            None => style.clean(self.columns[i].head),
        };
        let rows = || std::iter::once(None).chain(self.rows.iter().map(Some));
        let width = |i: usize| rows().map(|row| cell(row, i).chars().count()).max().unwrap_or(0);
        let natural: Vec<usize> = (0..self.columns.len()).map(width).collect();
        while shown.iter().map(|&i| natural[i] + 1).sum::<usize>() > style.width + 1 {
            let Some(at) = shown.iter().rposition(|&i| self.columns[i].spare) else { break };
            shown.remove(at);
        }
        let mut widths: Vec<usize> = shown.iter().map(|&i| natural[i]).collect();
        let cells: Vec<Vec<String>> = rows().map(|row| shown.iter().map(|&i| cell(row, i)).collect()).collect();
        let words: Vec<bool> = shown.iter().map(|&i| self.columns[i].words).collect();
        shrink(&mut widths, &words, style.width);
        cells.iter().map(|row| line(row, &widths, &words, style)).collect()
    }

    /// RFC 4180: a header line, quotes where needed. Lines end with a bare newline, for awk, cut and gnuplot; every CSV
    /// reader accepts that.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        let names: Vec<String> = self.columns.iter().map(|c| c.name.to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Field::csv).collect());
        for row in std::iter::once(names).chain(rows) {
            out.push_str(&row.join(","));
            out.push('\n');
        }
        out
    }
}

/// Narrows the widest column of words until the line fits.
fn shrink(widths: &mut [usize], words: &[bool], most: usize) {
    let length = |widths: &[usize]| widths.iter().sum::<usize>() + widths.len().saturating_sub(1);
    while length(widths) > most {
        let widest = (0..widths.len()).filter(|&c| words[c] && widths[c] > NARROW).max_by_key(|&c| widths[c]);
        let Some(widest) = widest else { break };
        widths[widest] -= 1;
    }
}

fn line(row: &[String], widths: &[usize], words: &[bool], style: Style) -> String {
    let fields = row.iter().zip(widths).zip(words).map(|((text, &width), &words)| {
        let text = style.shorten(text, width);
        if words { format!("{text:<width$}") } else { format!("{text:>width$}") }
    });
    let joined = fields.collect::<Vec<_>>().join(" ");
    style.shorten(joined.trim_end(), style.width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Grid {
        Grid {
            columns: vec![words("call", "call"), number("time_ns", "time"), number("id", "")],
            rows: vec![
                vec![Field::Text("MPI_Send".into()), Field::Time(1_500), Field::Count(350)],
                vec![Field::Text("say \"a, b\"".into()), Field::Empty, Field::Number(-1)],
            ],
        }
    }

    #[test]
    fn csv_is_quoted_where_needed() {
        assert_eq!(sample().csv(), "call,time_ns,id\nMPI_Send,1500,350\n\"say \"\"a, b\"\"\",,-1\n");
    }

    #[test]
    fn text_fits() {
        let wide = Style { unicode: false, width: 80 };
        assert_eq!(sample().text(wide), ["call          time", "MPI_Send   1.50 us", "say \"a, b\""]);
        assert!(sample().text(Style { width: 17, ..wide }).iter().all(|l| l.chars().count() <= 17));
    }
}
