//! Whether an MPI can make windows of all ranks: one that has the functions may lack a way between hosts.

use mpiscope_mpi::MpiError;

use crate::error::BenchError;
use crate::session::Session;

/// Open MPI 4.1 has one component for one-sided communication that needs no hardware and works over TCP, `pt2pt`. Debian's configuration file excludes it.
const WITHOUT_PT2PT: &str = "Open MPI v4.";
const HINT: &str =
    "over TCP it needs mpirun --mca osc pt2pt, which Debian excludes in /etc/openmpi/openmpi-mca-params.conf";

/// Why this MPI cannot make windows of all ranks; `None` if it can, or lacks the function. Every rank calls it, and finds the same.
pub fn problem(session: &Session) -> Result<Option<String>, BenchError> {
    let mpi = session.mpi;
    if !mpi.has_windows() {
        return Ok(None);
    }
    let made = mpi.try_window(mpi.world(), vec![0; 64]);
    let error = made.as_ref().err().map(MpiError::to_string);
    let errors = session.gather(error)?.map(|errors| errors.into_iter().flatten().next());
    let error = session.share(|_| errors.flatten())?;
    let Some(error) = error else {
        mpi.free_window(made?)?;
        return Ok(None);
    };
    // Freeing is collective: a window of some ranks only stays.
    let is_known = mpi.version()?.starts_with(WITHOUT_PT2PT);
    let hint = if is_known { format!("; {HINT}") } else { String::new() };
    Ok(Some(format!("{}: this MPI makes no windows of these ranks ({error}{hint})", session.experiment)))
}
