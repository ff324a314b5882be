//! Settings that change what an MPI does: variables of the environment and control variables of its tool interface.
//!
//! One place for everything that records them, so that runs and machine profiles can be compared.

/// Control variables that decide about protocols, by name, of all MPIs. An MPI that lacks one reports this when asked for its index.
pub const CONTROL_VARIABLES: [&str; 20] = [
    // Open MPI: the largest message that is sent without a rendezvous, and the size of the pieces after that.
    "btl_vader_eager_limit",
    "btl_sm_eager_limit",
    "btl_tcp_eager_limit",
    "btl_tcp_rndv_eager_limit",
    "btl_openib_eager_limit",
    "btl_self_eager_limit",
    "btl_vader_max_send_size",
    "btl_sm_max_send_size",
    "btl_tcp_max_send_size",
    "mpi_yield_when_idle",
    "mpi_leave_pinned",
    // The MPICH family.
    "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE",
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",
    "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE",
    "MPIR_CVAR_ASYNC_PROGRESS",
    "MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE",
    "MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE",
    "MPIR_CVAR_BCAST_SHORT_MSG_SIZE",
    "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ",
    "MPIR_CVAR_CH4_SHM_POSIX_EAGER",
];

/// Beginnings of the names of variables that MPIs and their transports read.
const OF_MPI: [&str; 19] = [
    "OMPI_MCA_",
    "PRTE_MCA_",
    "MPIR_CVAR_",
    "MPIR_PARAM_",
    "MPICH_",
    "MPIO_",
    "I_MPI_",
    "MV2_",
    "MVP_",
    "PLE_",
    "FLIB_",
    "UCX_",
    "FI_",
    "PSM_",
    "PSM2_",
    "PSM3_",
    "HCOLL_",
    "SHARP_",
    "NCCL_",
];

/// The same of OpenMP and the C library.
const OF_OTHERS: [&str; 5] = ["OMP_", "KMP_", "GOMP_", "MALLOC_", "GLIBC_TUNABLES"];

/// Beginnings of the names of those among them that launchers set for each job or rank.
const OF_JOB: [&str; 13] = [
    "OMPI_MCA_orte_",
    "OMPI_MCA_ess",
    "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_mpi_oversubscribe",
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
    "PRTE_MCA_ess",
    "PRTE_MCA_prte_",
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "I_MPI_HYDRA",
    "I_MPI_INFO_",
    "I_MPI_MPIRUN",
    "PLE_RANK",
];

/// Whether a variable of the environment with this name is a setting of a user or an administrator that can change what an MPI does.
pub fn is_setting(name: &str) -> bool {
    is_of_mpi(name) || begins(name, &OF_OTHERS)
}

/// Whether it is one of the MPI and its transports, and can so change how long messages take.
pub fn is_of_mpi(name: &str) -> bool {
    begins(name, &OF_MPI) && !begins(name, &OF_JOB)
}

fn begins(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// The settings in the environment of this process, in order of their names. Texts that are not UTF-8 are left out.
pub fn in_environment() -> impl Iterator<Item = (String, String)> {
    let texts = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let found: std::collections::BTreeMap<String, String> =
        std::env::vars_os().filter_map(texts).filter(|(name, _)| is_setting(name)).collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_users_and_not_of_launchers() {
        for name in ["OMPI_MCA_btl_tcp_eager_limit", "UCX_TLS", "MPIR_CVAR_ASYNC_PROGRESS", "OMP_NUM_THREADS"] {
            assert!(is_setting(name), "{name}");
            assert_eq!(is_of_mpi(name), name != "OMP_NUM_THREADS");
        }
        for name in ["PATH", "OMPI_MCA_orte_num_nodes", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "I_MPI_HYDRA_ENV", "FIRST"]
        {
            assert!(!is_setting(name), "{name}");
        }
    }
}
