//! What the lines before a message add to it: the function, the rank, the communicator.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::pattern::Fields;
use crate::view::View;

/// What the rest of a line tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clue {
    Function,
    Rank,
    Reported,
    Process,
    Object,
}

/// Texts before it. None begins within another one, except ` - process `, whose number is the same.
const CLUES: [(Clue, &str); 10] = [
    (Clue::Function, "*** An error occurred in "),
    (Clue::Function, "Fatal error in "),
    (Clue::Rank, ") on node "),
    (Clue::Rank, "internal ABORT - process "),
    (Clue::Rank, "[cli_"),
    (Clue::Reported, "*** reported by process ["),
    (Clue::Process, " - process "),
    (Clue::Object, "*** on communicator "),
    (Clue::Object, "*** on win "),
    (Clue::Object, "*** on file "),
];

/// Searches for all of them at once.
static CLUE_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(CLUES.map(|clue| clue.1)).ok());

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The MPI function, by its C name.
    pub function: Option<String>,
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: Option<u32>,
    /// The communicator, window or file, in the MPI's words.
    pub object: Option<String>,
}

impl Context {
    /// The nearest of the lines up to that of the message.
    pub fn of(view: &View) -> Self {
        let text = &view.text()[..view.here() + view.line().len()];
        let mut last = [None; CLUES.len()];
        for found in CLUE_FINDER.iter().flat_map(|finder| finder.find_iter(text)) {
            last[found.pattern().as_usize()] = Some(found.end());
        }
        let rest = |clue: Clue| {
            let ends = CLUES.iter().zip(last).filter(|((of, _), _)| *of == clue).filter_map(|(_, end)| end);
            ends.max().map(|end| rest_of_line(&text[end..]))
        };
        let function = rest(Clue::Function).and_then(function_name);
        let rank = rest(Clue::Rank).and_then(leading_number);
        let reported = rest(Clue::Reported).and_then(|rest| rest.split_once(','));
        let rank = rank.or_else(|| reported.and_then(|(_, rest)| leading_number(rest)));
        let rank = rank.or_else(|| rest(Clue::Process).and_then(leading_number));
        let object = rest(Clue::Object).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Self { function, rank, object }
    }

    /// Puts function and object in place of what a message itself says.
    pub fn complete(self, fields: &mut Fields) {
        for (name, value) in [("function", self.function), ("object", self.object)] {
            if let Some(value) = value {
                fields.retain(|(key, _)| key != name);
                fields.push((name.to_owned(), value));
            }
        }
    }
}

fn rest_of_line(rest: &[u8]) -> &str {
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    match std::str::from_utf8(line) {
        Ok(line) => line,
        Err(error) => std::str::from_utf8(&line[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// `internal_Send`, `PMPI_Send` and `MPII_Comm_get_attr` are functions of MPI under other names.
fn function_name(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let name = &text[..end];
    let bare = ["internal_", "PMPI_", "MPII_", "MPI_"].iter().find_map(|start| name.strip_prefix(start))?;
    (!bare.is_empty()).then(|| format!("MPI_{bare}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, at: &str) -> Context {
        Context::of(&View::around(text.as_bytes(), text.find(at).unwrap(), 12, 0))
    }

    #[test]
    fn both_families_name_function_and_rank() {
        let mpich = "Abort(738336782) on node 3 (rank 1 in comm 5): Fatal error in internal_Send: Invalid rank, error stack:\ninternal_Send(78).: Invalid rank has value 5\n";
        let found = of(mpich, "Invalid rank has");
        assert_eq!((found.function.as_deref(), found.rank), (Some("MPI_Send"), Some(3)));
        let open_mpi = "[vm:1] *** An error occurred in MPI_Bcast\n[vm:1] *** reported by process [1196097537,7]\n\
            [vm:1] *** on communicator MPI COMMUNICATOR 3 DUP FROM 0\n[vm:1] *** MPI_ERR_ROOT: invalid root\n";
        let found = of(open_mpi, "MPI_ERR_ROOT");
        assert_eq!((found.function.as_deref(), found.rank), (Some("MPI_Bcast"), Some(7)));
        assert_eq!(found.object.as_deref(), Some("MPI COMMUNICATOR 3 DUP FROM 0"));
    }

    #[test]
    fn other_lines_add_nothing() {
        assert_eq!(of("Fatal error in the oven\nplace\n", "place"), Context::default());
    }
}
