//! What makes an MPI take an algorithm: its variables, and the words of the model for their values.

use super::without_large;
use crate::Family;
use crate::table::{self, Entry};

/// Settings that make an MPI take an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Variables or parameters as in the tables, with their values.
    pub settings: Vec<(String, String)>,
    /// The algorithm as this MPI names it.
    pub algorithm: String,
}

/// The settings for a function and an algorithm, by the model's name; `None` if no variable of the tables selects it.
pub fn selection(family: Family, function: &str, algorithm: &str) -> Option<Selection> {
    let operation = without_large(function.trim_start_matches("MPI_")).to_ascii_lowercase();
    let entry = names(family, &operation).iter().find_map(|name| exact(family, name))?;
    let choice = entry.choices.iter().find(|choice| in_model(&choice.name) == Some(algorithm))?;
    let value = choice.number.map_or_else(|| choice.name.clone(), |number| number.to_string());
    let mut settings: Vec<(String, String)> = companions(family, entry, &operation)
        .into_iter()
        .filter(|(name, _)| exact(family, name).is_some())
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    settings.push((entry.name.clone(), value));
    Some(Selection { settings, algorithm: choice.name.clone() })
}

fn exact(family: Family, name: &str) -> Option<&'static Entry> {
    table::entry(family, name).filter(|entry| entry.name == name)
}

/// Names that the variable for the algorithm of an operation may have.
pub(crate) fn names(family: Family, operation: &str) -> Vec<String> {
    match family {
        Family::OpenMpi => {
            let mut names =
                vec![format!("coll_tuned_{operation}_algorithm"), format!("coll_libnbc_{operation}_algorithm")];
            // Persistent operations are made like non-blocking ones.
            names.extend(operation.strip_suffix("_init").map(|of| format!("coll_libnbc_i{of}_algorithm")));
            names
        }
        Family::Mpich => vec![format!("MPIR_CVAR_{}_INTRA_ALGORITHM", operation.to_ascii_uppercase())],
        _ => Vec::new(),
    }
}

/// What must be set as well, so that the variable counts.
pub(crate) fn companions(family: Family, entry: &Entry, operation: &str) -> Vec<(String, &'static str)> {
    match family {
        Family::OpenMpi if entry.name.starts_with("coll_tuned_") => {
            vec![("coll_tuned_use_dynamic_rules".to_owned(), "1")]
        }
        // Within a host, MPICH's shared memory comes before it.
        Family::Mpich => vec![(format!("MPIR_CVAR_{}_POSIX_INTRA_ALGORITHM", operation.to_ascii_uppercase()), "mpir")],
        _ => Vec::new(),
    }
}

/// The model's name of an algorithm.
pub(crate) fn in_model(choice: &str) -> Option<&'static str> {
    // MPICH makes non-blocking operations by schedules or by its transports.
    let bare = choice.strip_prefix("sched_").or_else(|| choice.strip_prefix("tsp_"));
    Some(match bare.unwrap_or(choice) {
        "linear" | "basic_linear" | "intra_linear" => "linear",
        "binomial" | "binomial_tree" => "binomial",
        "pipeline" | "chain" => "pipeline",
        "scatter_allgather" | "scatter_recursive_doubling_allgather" | "scatter_ring_allgather" => "scatter_allgather",
        "recursive_doubling" => "recursive_doubling",
        "rabenseifner" | "reduce_scatter_allgather" => "rabenseifner",
        "ring" => "ring",
        "bruck" | "brucks" | "modified_bruck" => "bruck",
        "pairwise" => "pairwise",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(family: Family, function: &str, algorithm: &str) -> Option<Vec<String>> {
        let found = selection(family, function, algorithm)?;
        Some(found.settings.iter().map(|(name, value)| format!("{name}={value}")).collect())
    }

    #[test]
    fn only_variables_of_the_tables_select_algorithms() {
        let of = |function, algorithm| texts(Family::OpenMpi, function, algorithm);
        let rules = "coll_tuned_use_dynamic_rules=1".to_owned();
        assert_eq!(of("MPI_Allreduce", "ring"), Some(vec![rules.clone(), "coll_tuned_allreduce_algorithm=4".into()]));
        assert_eq!(of("MPI_Bcast_c", "binomial"), Some(vec![rules, "coll_tuned_bcast_algorithm=6".into()]));
        assert_eq!(of("MPI_Iallreduce", "ring"), Some(vec!["coll_libnbc_iallreduce_algorithm=1".into()]));
        assert_eq!(of("MPI_Allreduce_init", "ring"), Some(vec!["coll_libnbc_iallreduce_algorithm=1".into()]));
        assert_eq!((of("MPI_Win_fence", "linear"), of("MPI_Ialltoall", "pairwise")), (None, None));
        let of = |function, algorithm| texts(Family::Mpich, function, algorithm);
        let shared = "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir".to_owned();
        assert_eq!(of("MPI_Allreduce", "ring"), Some(vec![shared, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring".into()]));
        assert_eq!(
            of("MPI_Iallreduce", "recursive_doubling"),
            Some(vec!["MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=sched_recursive_doubling".into()])
        );
        assert_eq!(of("MPI_Iallreduce", "ring"), Some(vec!["MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=tsp_ring".into()]));
        assert_eq!((of("MPI_Win_fence", "linear"), of("MPI_Win_free", "linear")), (None, None));
    }
}
