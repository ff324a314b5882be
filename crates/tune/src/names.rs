//! From a name in an environment to the variable that it means.

use crate::Family;
use crate::table::{self, Entry};

/// Prefixes of variables whose names are all in a table, or nearly all.
const PREFIXES: &[(&str, Family)] = &[
    ("OMPI_MCA_", Family::OpenMpi),
    ("PMIX_MCA_", Family::Pmix),
    ("PRTE_MCA_", Family::Prrte),
    ("MPIR_CVAR_", Family::Mpich),
    ("MPIR_PARAM_", Family::Mpich),
    ("MPICH_", Family::Mpich),
    ("I_MPI_", Family::Intel),
    ("MV2_", Family::Mvapich),
    ("MVP_", Family::Mvapich),
    ("UCX_", Family::Ucx),
    ("FI_", Family::Libfabric),
    ("PSM2_", Family::Psm2),
    ("HCOLL_", Family::Hcoll),
    ("NCCL_", Family::Nccl),
];

/// Variables that launchers set for their ranks, and that look like settings: Hydra's, and those of PRRTE for Open MPI.
const SET_FOR_RANKS: &[&str] = &[
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "MPICH_INTERFACE_HOSTNAME",
    "OMPI_MCA_PREFIXES",
    "OMPI_MCA_cpu_type",
    "OMPI_MCA_num_procs",
    "OMPI_MCA_initial_wdir",
];
/// Beginnings of MCA parameters that the launcher of Open MPI sets for its ranks.
const SET_BY_ORTE: [&str; 6] = ["orte_", "ess_", "prte_", "pmix", "shmem_", "plm_"];

/// Whether a launcher may have set this for a rank.
pub(crate) fn is_set_for_ranks(name: &str) -> bool {
    let bare = name.strip_prefix("OMPI_MCA_");
    SET_FOR_RANKS.contains(&name) || bare.is_some_and(|bare| SET_BY_ORTE.iter().any(|begin| bare.starts_with(begin)))
}

/// What a name means.
#[derive(Debug, Clone, Copy)]
pub enum Known<'a> {
    /// A variable in a table.
    Entry(&'static Entry),
    /// It begins as the variables of this family do, but no table has it. The rest of the name follows.
    Unknown(Family, &'a str),
    /// The name of an MCA parameter, as it is in files and after `--mca`, but without `OMPI_MCA_`.
    Bare(&'static Entry),
    /// Nothing that concerns MPI.
    Other,
}

/// What a variable of the environment means when this MPI is used.
pub fn lookup(name: &str, mpi: Option<Family>) -> Known<'_> {
    if let Some(bare) = name.strip_prefix("OMPI_MCA_") {
        return parameter(bare, mpi);
    }
    for (prefix, family) in [("PMIX_MCA_", Family::Pmix), ("PRTE_MCA_", Family::Prrte)] {
        if let Some(bare) = name.strip_prefix(prefix) {
            let found = table::entry(family, bare);
            return found.map_or(Known::Unknown(family, bare), Known::Entry);
        }
    }
    if let Some(entry) = whole(name, mpi) {
        return Known::Entry(entry);
    }
    if let Some((prefix, family)) = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        return Known::Unknown(*family, &name[prefix.len()..]);
    }
    let is_bare = name.contains('_') && !name.contains(|c: char| c.is_ascii_uppercase());
    match table::entry(Family::OpenMpi, name).filter(|_| is_bare) {
        Some(entry) => Known::Bare(entry),
        None => Known::Other,
    }
}

/// What an MCA parameter means, as in files and after `--mca`.
pub fn parameter(bare: &str, mpi: Option<Family>) -> Known<'_> {
    let mut families = vec![Family::OpenMpi, Family::Fujitsu, Family::Prrte, Family::Pmix];
    if mpi == Some(Family::Fujitsu) {
        families.swap(0, 1);
    }
    let found = families.into_iter().find_map(|family| table::entry(family, bare));
    found.map_or(Known::Unknown(Family::OpenMpi, bare), Known::Entry)
}

/// A variable whose name is complete in the table; MPICH's have three prefixes.
fn whole(name: &str, mpi: Option<Family>) -> Option<&'static Entry> {
    let in_mpich = || {
        let bare = ["MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"].iter().find_map(|prefix| name.strip_prefix(prefix));
        let as_cvar = bare.and_then(|bare| table::entry(Family::Mpich, &format!("MPIR_CVAR_{bare}")));
        as_cvar.or_else(|| table::entry(Family::Mpich, name))
    };
    // The MPI in use comes first: Cray MPICH and MPICH share a prefix, Intel MPI and MPICH some names.
    let own = mpi.filter(|family| *family != Family::Mpich && !is_mca(*family));
    let own = own.and_then(|family| table::entry(family, name));
    own.or_else(in_mpich).or_else(|| {
        let mut rest = Family::ALL.into_iter().filter(|family| *family != Family::Mpich);
        rest.find_map(|family| table::entry(family, name).filter(|entry| entry.variable() == name || !is_mca(family)))
    })
}

/// Families whose names have a prefix in the environment.
fn is_mca(family: Family) -> bool {
    matches!(family, Family::OpenMpi | Family::Fujitsu | Family::Pmix | Family::Prrte)
}

/// The prefix with which a name of the environment begins.
pub(crate) fn prefix_of(name: &str) -> Option<&'static str> {
    PREFIXES.iter().map(|(prefix, _)| *prefix).find(|prefix| name.starts_with(prefix))
}

/// Known names of the environment that begin with this prefix, for suggestions.
pub(crate) fn names_with(prefix: &str) -> Vec<String> {
    let entries = table::every().flat_map(|entry| {
        let other = entry
            .names
            .iter()
            .filter(move |other| !is_mca(entry.family) && other.starts_with(|c: char| c.is_ascii_uppercase()));
        std::iter::once(entry.variable()).chain(other.cloned())
    });
    let mut names: Vec<String> = entries.filter(|name| name.starts_with(prefix)).collect();
    if let "MPICH_" | "MPIR_PARAM_" = prefix {
        let cvars = table::entries(Family::Mpich).iter().filter_map(|entry| entry.name.strip_prefix("MPIR_CVAR_"));
        names.extend(cvars.map(|bare| format!("{prefix}{bare}")));
    }
    names
}

/// All prefixes, for names whose prefix is misspelled.
pub(crate) fn prefixes() -> impl Iterator<Item = &'static str> {
    PREFIXES.iter().map(|(prefix, _)| *prefix)
}
