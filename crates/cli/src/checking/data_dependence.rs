//! Whether received data decides the next call of its process.

use std::collections::HashMap;

use mpiscope_symbols::{ModuleFile, ReportedCall, goes_on_alike, stem};

use super::sites::Sites;

/// A query: the file, calls with their room, calls since then, the next call.
type Asked = (ModuleFile, Vec<(u64, u64)>, Vec<u64>, u64);

/// Results from the program's code.
#[derive(Default)]
pub struct Alikes(HashMap<Asked, bool>);

impl Alikes {
    /// Whether a process makes the same next call whatever `received` contains (sites, and the bytes of room). All of them
    /// have to be in one function.
    pub fn is_alike(&mut self, sites: &Sites, received: &[(u32, u64)], through: &[u32], next: u32) -> bool {
        let Some((module, next)) = sites.call(next) else { return false };
        let at = |site: u32| sites.call(site).filter(|(of, _)| *of == module).map(|(_, at)| at);
        let received: Option<Vec<(u64, u64)>> = received.iter().map(|&(site, room)| Some((at(site)?, room))).collect();
        let through: Option<Vec<u64>> = through.iter().map(|&site| at(site)).collect();
        let (Some(received), Some(through)) = (received, through) else { return false };
        let asked = (module.clone(), received, through, next);
        *self.0.entry(asked).or_insert_with_key(|(module, received, through, next)| {
            goes_on_alike(module, received, through, *next, &reported_call)
        })
    }
}

/// Functions whose calls the collector reports to the judge, without prefix and Fortran's suffixes; how many of their
/// arguments matter, and whether the first is a buffer.
const REPORTED_CALLS: [(&str, usize, bool); 17] = [
    ("recv", 6, true),
    ("irecv", 6, true),
    ("send", 6, true),
    ("ssend", 6, true),
    ("bsend", 6, true),
    ("rsend", 6, true),
    ("isend", 6, true),
    ("issend", 6, true),
    ("ibsend", 6, true),
    ("irsend", 6, true),
    ("bcast", 5, true),
    ("allreduce", 6, true),
    ("barrier", 1, false),
    ("probe", 3, false),
    ("wait", 1, false),
    ("waitall", 2, false),
    ("finalize", 0, false),
];
/// The status argument of a receive.
const STATUS: usize = 6;

/// The entry of a function by its name.
fn reported_call(name: &str) -> Option<ReportedCall> {
    let stem = stem(name)?;
    // The interfaces of Fortran 2008 pass descriptors.
    let (_, arguments, has_buffer) =
        REPORTED_CALLS.iter().find(|(known, ..)| *known == stem && !name.contains("f08"))?;
    Some(ReportedCall {
        arguments: *arguments,
        by_reference: name.ends_with('_'),
        has_buffer: *has_buffer,
        status: (stem == "recv").then_some(STATUS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_by_name() {
        assert_eq!(reported_call("MPI_Recv").map(|t| (t.by_reference, t.status)), Some((false, Some(6))));
        assert_eq!(reported_call("mpi_recv_").map(|t| (t.by_reference, t.arguments)), Some((true, 6)));
        for name in ["MPI_Sendrecv", "mpi_recv_f08ts_", "MPI_Get_count", "MPI_Mrecv", "recv", "printf"] {
            assert_eq!(reported_call(name), None, "{name}");
        }
    }
}
