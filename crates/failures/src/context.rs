//! What the lines before a message add to it: the function, the rank, the communicator.

use crate::view::View;

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
        let function = last(text, &["*** An error occurred in ", "Fatal error in "]).and_then(function_name);
        let rank = last(text, &[") on node ", "internal ABORT - process ", "[cli_"]).and_then(leading_number);
        let reported = last(text, &["*** reported by process ["]).and_then(|rest| rest.split_once(','));
        let rank = rank.or_else(|| reported.and_then(|(_, rest)| leading_number(rest)));
        let rank = rank.or_else(|| last(text, &[" - process "]).and_then(leading_number));
        let object = last(text, &["*** on communicator ", "*** on win ", "*** on file "]);
        Self { function, rank, object: object.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned) }
    }
}

/// The rest of the line behind the last of these texts.
fn last<'a>(text: &'a [u8], wanted: &[&str]) -> Option<&'a str> {
    let ends = wanted.iter().filter_map(|wanted| Some(memchr::memmem::rfind(text, wanted.as_bytes())? + wanted.len()));
    let rest = &text[ends.max()?..];
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    match std::str::from_utf8(line) {
        Ok(line) => Some(line),
        Err(error) => std::str::from_utf8(&line[..error.valid_up_to()]).ok(),
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
