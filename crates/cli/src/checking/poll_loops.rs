//! Loops that poll (`MPI_Test`, `MPI_Iprobe`) until they succeed.

use std::collections::HashMap;

use mpiscope_abi::role::{self, Role};
use mpiscope_symbols::{Calls, ModuleFile, asks_for_ever, stem};

/// Results from the program's code, by the polling call.
#[derive(Default)]
pub struct Loops(HashMap<(ModuleFile, Vec<u64>), bool>);

impl Loops {
    /// Whether a loop may end without success, according to its code: the loop around the call that returns to the first of
    /// these addresses of a module, or around one of its callers (the other addresses).
    pub fn may_give_up(&mut self, module: &ModuleFile, stack: Vec<u64>) -> bool {
        let may = |stack: &[u64]| !asks_for_ever(module, stack, &calls);
        *self.0.entry((module.clone(), stack)).or_insert_with_key(|(_, stack)| may(stack))
    }
}

/// Polling functions, without prefix and Fortran's suffixes, and the index of the argument that is 0 without success.
const ASKS: [(&str, u8); 12] = [
    ("test", 1),
    ("testall", 2),
    ("testany", 3),
    ("testsome", 2),
    ("iprobe", 3),
    ("improbe", 3),
    ("parrived", 2),
    ("win_test", 1),
    ("request_get_status", 1),
    ("request_get_status_all", 2),
    ("request_get_status_any", 3),
    ("request_get_status_some", 2),
];
/// Functions that sleep or yield.
const PAUSES: [&str; 8] =
    ["sleep", "usleep", "nanosleep", "clock_nanosleep", "sched_yield", "thrd_yield", "thrd_sleep", "pthread_yield"];
/// The effect of a function of this name in a loop.
fn calls(name: &str) -> Calls {
    if PAUSES.contains(&name) {
        return Calls::Asks(None);
    }
    let Some(stem) = stem(name) else { return Calls::Anything };
    match ASKS.iter().find(|(asks, _)| *asks == stem) {
        Some((_, answer)) => Calls::Asks(Some(*answer)),
        // It does not return.
        None if stem == "abort" || is_reported(&stem) => Calls::Tells,
        None => Calls::Anything,
    }
}

/// Whether every call of a function causes an event, whatever its arguments are.
fn is_reported(rest: &str) -> bool {
    let is_it =
        |id: &u32| mpiscope_abi::name(*id).strip_prefix("MPI_").is_some_and(|name| name.eq_ignore_ascii_case(rest));
    let role = mpiscope_abi::ids().find(is_it).map(role::role);
    role.is_some_and(|role| {
        matches!(role, Role::Send(_) | Role::Receive | Role::SendReceive | Role::MatchedReceive | Role::Collective(_))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions() {
        for name in [
            "MPI_Test",
            "PMPI_Iprobe",
            "mpi_testsome_",
            "mpi_test_f08_",
            "MPI_Test_c",
            "mpi_win_test_",
            "mpi_testall_f08ts__",
            "usleep",
        ] {
            assert!(matches!(calls(name), Calls::Asks(_)), "{name}");
        }
        for name in ["MPI_Recv", "mpi_isend_", "MPI_Allreduce_c", "MPI_Abort"] {
            assert_eq!(calls(name), Calls::Tells, "{name}");
        }
        for name in ["MPI_Wtime", "mpi_wtime_", "MPI_Waitall", "test", "clock_gettime", "MPI_Query_thread", "work"] {
            assert_eq!(calls(name), Calls::Anything, "{name}");
        }
    }
}
