//! How an MPI is laid out in memory, without `mpi.h`.
//!
//! Handles are machine words; what differs between implementations (constants, status layouts,
//! handle widths) is a small table for each ABI family, chosen at run time from the library that
//! the process really maps. The interface itself is `mpi_api.toml`, from which
//! [`generated`](crate::function) tables and the collector's symbols are made.
//!
//! Invariants: no dependency, no I/O, no allocation, no relocation-heavy tables (the collector is
//! mapped into processes that never call MPI).

pub mod constants;
#[rustfmt::skip] // a table
pub mod predefined;
pub mod role;
pub mod settings;
pub mod spec;

#[rustfmt::skip] // as its generator wrote it
mod generated;

pub use constants::{Constants, Family};
pub use generated::{GROUPS, id};
pub use spec::{Flow, Function, Param, Step, attribute};

/// Large-count (`_c`) twins have the id of their base with this bit.
pub const LARGE: u32 = 1 << 10;

/// One more than the largest id.
pub const ID_LIMIT: u32 = 2 * LARGE;

/// The function with `id`, `None` for unknown ids (a newer writer).
pub fn function(id: u32) -> Option<&'static Function> {
    generated::FUNCTIONS.get(id as usize).filter(|f| f.name_len != 0)
}

/// As [`function`], for ids that come from the generated symbols themselves.
#[inline(always)]
pub fn function_unchecked(id: u32) -> &'static Function {
    &generated::FUNCTIONS[(id & (ID_LIMIT - 1)) as usize]
}

/// Name in the standard's C binding; `MPI_?` for an unknown id.
pub fn name(id: u32) -> &'static str {
    function(id).map_or("MPI_?", |f| &generated::NAMES[f.name_at as usize..][..f.name_len as usize])
}

/// The steps that read the arguments of `function`, those before the call first.
#[inline(always)]
pub fn steps(function: &Function) -> &'static [Step] {
    let at = function.step_at as usize;
    &generated::STEPS[at..at + function.step_count as usize]
}

/// The parameters of a function in the order of the call; none for unknown ids.
pub fn params(id: u32) -> &'static [Param] {
    let (at, count) = generated::PARAM_RANGES[(id & (ID_LIMIT - 1)) as usize];
    &generated::PARAMS[usize::from(at)..usize::from(at) + usize::from(count)]
}

/// The name of a parameter in the standard.
pub fn param_name(param: &Param) -> &'static str {
    &generated::PARAM_NAMES[usize::from(param.name_at)..][..usize::from(param.name_len)]
}

/// The probe groups of a function, the one that describes it best first.
pub fn groups(id: u32) -> Vec<&'static str> {
    let Some(f) = function(id) else { return Vec::new() };
    let class = GROUPS[f.class as usize];
    let others = GROUPS.iter().enumerate().filter(|(i, g)| f.groups >> i & 1 != 0 && **g != class).map(|(_, g)| *g);
    std::iter::once(class).chain(others).collect()
}

/// The id of a function by its C name.
pub fn by_name(wanted: &str) -> Option<u32> {
    (1..ID_LIMIT).find(|&id| function(id).is_some() && name(id) == wanted)
}

/// All ids in use.
pub fn ids() -> impl Iterator<Item = u32> {
    (1..ID_LIMIT).filter(|&id| function(id).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_interface_is_there() {
        let removed = 10;
        assert_eq!(ids().count(), 690 + removed);
        assert_eq!(name(id::Send | LARGE), "MPI_Send_c");
        assert_eq!(by_name("MPI_Send"), Some(id::Send));
        assert_eq!(groups(id::Isend)[0], "mpi_pt2pt");
        assert!(groups(id::Isend).contains(&"mpi_request"));
        assert_eq!(name(ID_LIMIT + 7), "MPI_?");
    }

    #[test]
    fn parameters() {
        use spec::{class, length, param_flag};
        let of = |id: u32| params(id).iter().map(|p| (param_name(p), p.class)).collect::<Vec<_>>();
        assert_eq!(
            of(id::Isend),
            [
                ("buf", class::BUFFER),
                ("count", class::COUNT),
                ("datatype", class::TYPE),
                ("dest", class::RANK),
                ("tag", class::TAG),
                ("comm", class::COMM),
                ("request", class::REQUEST),
            ]
        );
        let gatherv = params(id::Gatherv);
        assert_eq!((gatherv[4].length, gatherv[4].flags & 0x27), (length::PER_PROCESS, 1 | 4 | 32));
        assert!(params(id::Send | LARGE)[1].is(param_flag::WIDE) && !params(id::Send)[1].is(param_flag::WIDE));
        let requests = params(id::Waitall)[1];
        assert_eq!((requests.length, requests.class), (0, class::REQUEST));
        assert_eq!(params(id::Type_create_struct)[3].length, 0);
        assert!(params(0).is_empty() && params(ID_LIMIT + 7).len() < 20);
    }

    #[test]
    fn arguments_of_a_send() {
        let f = function(id::Send).unwrap();
        let kinds: Vec<u8> = steps(f).iter().map(|s| s.kind).collect();
        use spec::kind::*;
        assert_eq!(kinds, [COMM, COUNT, TYPE, PEER, TAG]);
        assert_eq!(f.flow, Flow::Send);
    }
}
