//! The sentence with the reason in what an MPI prints when it aborts.

/// Maximum length of a quoted sentence.
const MOST_CHARS: usize = 200;

/// The last error in `stderr`, in a call of this name (`MPI_Send`) if the MPI names one.
///
/// ```text
/// MPICH and its derivatives:                                Open MPI:
///   … Fatal error in internal_Send: Invalid rank, error stack:   [host:1] *** An error occurred in MPI_Send
///   internal_Send(120): MPI_Send(buf=…) failed                   [host:1] *** reported by process [1,0]
///   internal_Send(78).: Invalid rank has value 5 but …           [host:1] *** MPI_ERR_RANK: invalid rank
/// ```
pub fn why(stderr: &str, call: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().collect();
    let bare = call.trim_start_matches("MPI_");
    let errors = lines.iter().enumerate().filter_map(|(at, line)| {
        let (head, why) = of_mpich(line, &lines[at + 1..]).or_else(|| of_open_mpi(line, &lines[at + 1..]))?;
        let is_of_call = head.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with(bare);
        Some((is_of_call, why))
    });
    // The last of equally good ones.
    let (_, why) = errors.max_by_key(|(is_of_call, _)| *is_of_call)?;
    let why = why.trim().trim_end_matches('.');
    (!why.is_empty()).then(|| why.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect())
}

/// Function and reason. The last line of the stack is the most specific.
fn of_mpich<'a>(line: &'a str, after: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let (_, error) = line.split_once("Fatal error in ")?;
    let (function, class) = error.split_once(": ")?;
    let class = class.split(", error stack").next().unwrap_or(class);
    let stack = after.iter().map_while(|line| stack_entry(line));
    Some((function, stack.last().filter(|entry| !entry.ends_with("failed")).unwrap_or(class)))
}

/// `function(line)....: text`
fn stack_entry(line: &str) -> Option<&str> {
    let (place, text) = line.split_once(": ")?;
    let place = place.trim_end_matches('.');
    (place.ends_with(')') && place.contains('(') && !place.contains(' ')).then_some(text)
}

fn of_open_mpi<'a>(line: &'a str, after: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let (_, function) = line.split_once("*** An error occurred in ")?;
    let mut rest = after.iter().map_while(|line| line.split_once("*** ").map(|(_, text)| text));
    Some((function, rest.find(|text| text.starts_with("MPI_ERR_"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MPICH: &str = "hello\nAbort(738336782) on node 1 (rank 1 in comm 0): Fatal error in internal_Send: Invalid rank, error stack:\n\
        internal_Send(120): MPI_Send(buf=0x7ffc, count=1, MPI_INT, 5, 0, MPI_COMM_WORLD) failed\n\
        internal_Send(78).: Invalid rank has value 5 but must be nonnegative and less than 2\nbye\n";
    const OPEN_MPI: &str = "[vm:1] *** An error occurred in MPI_Send\n[vm:1] *** reported by process [1,0]\n\
        [vm:1] *** on communicator MPI_COMM_WORLD\n[vm:1] *** MPI_ERR_RANK: invalid rank\n\
        [vm:1] *** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort,\n";

    #[test]
    fn the_most_exact_reason_is_quoted() {
        let of = |text| why(text, "MPI_Send").unwrap();
        assert_eq!(of(MPICH), "Invalid rank has value 5 but must be nonnegative and less than 2");
        assert_eq!(of(OPEN_MPI), "MPI_ERR_RANK: invalid rank");
    }

    #[test]
    fn a_class_alone_is_quoted_too() {
        let text = "Fatal error in internal_Comm_dup: Other MPI error\n";
        assert_eq!(why(text, "MPI_Comm_dup").unwrap(), "Other MPI error");
        let failed = "Fatal error in internal_Recv: Message truncated, error stack:\ninternal_Recv(1): MPI_Recv(buf=0x1) failed\n";
        assert_eq!(why(failed, "MPI_Recv").unwrap(), "Message truncated");
    }

    #[test]
    fn of_several_the_one_of_the_call_counts() {
        let both = format!(
            "{OPEN_MPI}{}",
            OPEN_MPI.replace("MPI_Send", "MPI_Recv").replace("RANK: invalid rank", "TAG: invalid tag")
        );
        assert_eq!(why(&both, "MPI_Send").unwrap(), "MPI_ERR_RANK: invalid rank");
        assert_eq!(why(&both, "MPI_Recv").unwrap(), "MPI_ERR_TAG: invalid tag");
        assert_eq!(why(&both, "MPI_Bcast").unwrap(), "MPI_ERR_TAG: invalid tag");
    }

    #[test]
    fn what_a_program_prints_is_no_reason() {
        assert_eq!(why("Segmentation fault\nan error in: line 3\n", "MPI_Send"), None);
        assert_eq!(why("*** An error occurred in MPI_Send\nnothing else\n", "MPI_Send"), None);
    }
}
