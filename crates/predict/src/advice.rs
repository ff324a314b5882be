//! How much work a change is, and how to do it.

use mpiscope_abi::role::makes_request;
use mpiscope_model::simulation::Algorithm;
use mpiscope_tune::Family;
use mpiscope_tune::algorithms::selection;

use crate::apply::{Run, are_operations, names_left_out};
use crate::change::{Change, Place};
use crate::placement::Order;

/// Effort of changes that are made together, and how to make them.
pub fn of(changes: &[Change], run: Run<'_>) -> (&'static str, String) {
    let all: Vec<(&'static str, String)> = changes.iter().map(|change| one(change, run)).collect();
    let effort = all.iter().map(|(effort, _)| *effort).max_by_key(|effort| much(effort));
    (effort.unwrap_or(""), joined(all.into_iter().map(|(_, how)| how)))
}

/// Ways to make changes, as one text: each way once, with all its places.
fn joined(hows: impl Iterator<Item = String>) -> String {
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for how in hows.filter(|how| !how.is_empty()) {
        let (place, what) = how.split_once(": ").map_or(("", how.as_str()), |(place, what)| (place, what));
        match places.iter_mut().find(|(of, _)| of == what) {
            Some((_, all)) => all.push(place.to_owned()),
            None => places.push((what.to_owned(), vec![place.to_owned()])),
        }
    }
    let one = |(what, places): (String, Vec<String>)| match places.join(", ") {
        places if places.is_empty() => what,
        places => format!("{places}: {what}"),
    };
    places.into_iter().map(one).collect::<Vec<_>>().join("; ")
}

/// From little to much.
const EFFORTS: [&str; 6] =
    ["one variable", "rank file", "one call site", "several call sites", "decomposition", "other machine"];

/// How much an effort is, compared with others.
pub(crate) fn much(effort: &str) -> usize {
    EFFORTS.iter().position(|of| *of == effort).unwrap_or(EFFORTS.len())
}

fn one(change: &Change, run: Run<'_>) -> (&'static str, String) {
    let family = run.dimensions.mpi_family;
    match change {
        Change::Latency(_) | Change::Bandwidth(_) | Change::Overhead(_) | Change::NoContention | Change::Machine(_) => {
            ("other machine", String::new())
        }
        Change::Eager(bytes) => ("one variable", eager(family, &run.dimensions.mpi_device, *bytes)),
        Change::Algorithm(function, Algorithm::Hierarchical) => hierarchical(family, *function),
        Change::Algorithm(function, algorithm) => {
            algorithm_setting(family, mpiscope_abi::name(*function), algorithm.name())
        }
        Change::Placement(placement) => (
            "rank file",
            match placement.order {
                Order::Text(_) => format!("start the ranks as {} lists them", placement.name),
                Order::Named | Order::Given(_) => {
                    format!("mpiscope place RUN --order {} --write DIR writes files for launchers", placement.name)
                }
            },
        ),
        Change::Progress => (
            "several call sites",
            "call MPI_Test (as the target of one-sided accesses MPI_Iprobe) often while computing, since a long message moves in pieces, a few with each call; or let the MPI's progress thread do it (MPICH: MPIR_CVAR_ASYNC_PROGRESS=1)"
                .to_owned(),
        ),
        Change::Balance => ("decomposition", "give each rank the same amount of work".to_owned()),
        Change::Balanced(Place::Rank(rank)) => {
            ("decomposition", format!("give rank {rank} as much work as the mean, and the others the rest"))
        }
        Change::Balanced(place) => {
            ("decomposition", format!("give each rank the same amount of work before {place}"))
        }
        Change::Faster(Place::Rank(rank), _) => ("decomposition", format!("give rank {rank} less work")),
        Change::Faster(place, _) => ("several call sites", format!("make the computing before {place} faster")),
        Change::Slower(Place::Rank(_), _) => ("decomposition", String::new()),
        Change::Slower(..) => ("several call sites", String::new()),
        Change::Without(place) => (of_place(place), without(change, place, run)),
        Change::Once(place) => {
            (of_place(place), format!("{place}: create before the loop what it uses, and free it after the loop"))
        }
        Change::NonBlocking(place) => (
            of_place(place),
            format!("{place}: MPI_Irecv at the beginning of the exchange, MPI_Isend, and MPI_Waitall at its end"),
        ),
        Change::Aggregated(place) if are_operations(change, place, run) => (
            of_place(place),
            format!(
                "{place}: collect the data in one buffer, and call the operation once, if none needs the result of the one before"
            ),
        ),
        Change::Aggregated(place) => (
            "several call sites",
            format!(
                "{place}: copy what goes to one rank into one buffer, send it when it is complete, and receive it at once"
            ),
        ),
        Change::Reordered(place) => (
            of_place(place),
            format!(
                "{place}: send to (rank + 1) % size first, then to (rank + 2) % size, and so on, where these are partners"
            ),
        ),
        Change::Arrival(place) => (
            of_place(place),
            format!(
                "{place}: receive in the order of sending; or post all receives (MPI_Irecv), and work on each message as it comes (MPI_Waitany)"
            ),
        ),
        Change::Early(place) => (
            of_place(place),
            format!(
                "{place}: receive before the computing that comes before the call, which does not need the message"
            ),
        ),
        Change::Merged(place) => {
            (of_place(place), format!("{place}: MPI_Waitall in place of the first wait, without the others"))
        }
        Change::Split(place) => (
            of_place(place),
            format!(
                "{place}: MPI_Waitany (or MPI_Wait for one request after the other), and after each the computing that needs only this message; the gain is an upper bound, as which computing that is was not recorded"
            ),
        ),
        Change::Neighbourhood(place) => (
            "several call sites",
            format!(
                "{place}: MPI_Dist_graph_create_adjacent (or MPI_Cart_create) once, and MPI_Neighbor_alltoallv in place of the exchange, if nothing that it sends depends on what it receives"
            ),
        ),
        Change::Phased(place) => (
            "several call sites",
            format!(
                "{place}: for k = 1, 2, …, send to (rank + k) % size and receive from (rank - k + size) % size with MPI_Sendrecv, where these are partners"
            ),
        ),
        Change::OnTime(rank) => {
            ("decomposition", format!("give rank {rank} less work before operations at which the others wait for it"))
        }
    }
}

fn without(change: &Change, place: &Place, run: Run<'_>) -> String {
    let Some((calls, may_be_needless)) = names_left_out(change, place, run) else { return String::new() };
    let at = match place {
        Place::Site(site) => format!(" at {site}"),
        Place::Region(region) => format!(" in {region}"),
        Place::Function(_) | Place::Rank(_) => String::new(),
    };
    match may_be_needless {
        true => format!("remove {calls}{at}, if no other process relies on it"),
        false => format!("the program needs what {calls}{at} does: the gain is what that costs"),
    }
}

fn of_place(place: &Place) -> &'static str {
    if matches!(place, Place::Site(_)) { "one call site" } else { "several call sites" }
}

fn hierarchical(family: &str, function: u32) -> (&'static str, String) {
    let name = mpiscope_abi::name(function);
    let own = format!(
        "in the program: MPI_Comm_split_type(MPI_COMM_TYPE_SHARED), {name} in stages within each host and between rank 0 of each"
    );
    let is_blocking = !makes_request(function);
    match family {
        "open-mpi" if is_blocking => (
            "one variable",
            format!("--mca coll_han_priority 100 (Open MPI 4.1 and newer; 5.0 does it by itself); or {own}"),
        ),
        "mpich" if is_blocking => {
            ("one variable", format!("MPIR_CVAR_ENABLE_SMP_COLLECTIVES=1, if it was switched off; or {own}"))
        }
        _ => ("several call sites", own),
    }
}

fn eager(family: &str, device: &str, bytes: u64) -> String {
    match family {
        "open-mpi" => format!(
            "--mca btl_vader_eager_limit {bytes} (Open MPI 5: btl_sm_eager_limit); between hosts --mca btl_tcp_eager_limit {bytes}"
        ),
        "mpich" if device.contains("ucx") => format!("UCX_RNDV_THRESH={bytes}"),
        "mpich" if device.contains("ch3") => format!("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE={bytes}"),
        _ => format!("raise the MPI's eager limit to {bytes} bytes"),
    }
}

/// What sets an algorithm, as far as a variable of the MPI does.
fn algorithm_setting(family: &str, function: &str, algorithm: &str) -> (&'static str, String) {
    let of = match family {
        "open-mpi" => Family::OpenMpi,
        "mpich" => Family::Mpich,
        _ => return ("one variable", format!("{algorithm}: the MPI's variable for the algorithm of {function}")),
    };
    let Some(selection) = selection(of, function, algorithm) else {
        let why = format!("no variable of {} selects {algorithm} for {function}", of.title());
        return ("several call sites", format!("{why}; the program itself can make it of messages"));
    };
    let one = |(name, value): &(String, String)| match of {
        Family::OpenMpi => format!("--mca {name} {value}"),
        _ => format!("{name}={value}"),
    };
    let settings: Vec<String> = selection.settings.iter().map(one).collect();
    let name = if of == Family::OpenMpi { format!(" ({})", selection.algorithm) } else { String::new() };
    ("one variable", format!("{}{name}", settings.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_selected_by_variables_that_exist() {
        let of = |family, function| algorithm_setting(family, function, "ring");
        let text = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 4 (ring)";
        assert_eq!(of("open-mpi", "MPI_Allreduce"), ("one variable", text.to_owned()));
        let text = "--mca coll_libnbc_iallreduce_algorithm 1 (ring)";
        assert_eq!(of("open-mpi", "MPI_Iallreduce"), ("one variable", text.to_owned()));
        let text = "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring";
        assert_eq!(of("mpich", "MPI_Allreduce"), ("one variable", text.to_owned()));
        let (effort, how) = algorithm_setting("mpich", "MPI_Scan", "linear");
        assert_eq!(effort, "several call sites");
        assert!(how.starts_with("no variable of MPICH selects linear for MPI_Scan"), "{how}");
    }

    #[test]
    fn a_way_is_listed_once_with_its_places() {
        let hows = [
            "a.c:1: MPI_Isend",
            "",
            "a.c:2: MPI_Isend",
            "give each rank the same amount of work",
            "a.c:3: MPI_Waitany",
        ];
        let text = joined(hows.into_iter().map(Into::into));
        assert_eq!(text, "a.c:1, a.c:2: MPI_Isend; give each rank the same amount of work; a.c:3: MPI_Waitany");
    }
}
