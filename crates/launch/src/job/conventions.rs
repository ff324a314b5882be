//! The variables that launchers set for their processes: one table, so that a new launcher is one entry. Rank and size of a
//! recorded rank come from MPI; these variables are for decisions before or without MPI_Init.

use super::Env;

/// A launcher's variables. Lists are alternatives, the best first.
#[derive(Debug)]
pub struct Convention {
    /// The launcher's name, for people.
    pub launcher: &'static str,
    /// The variable that every process of a job has, and no other process.
    pub rank: &'static str,
    /// Processes of the job.
    pub size: &'static [&'static str],
    /// Rank among the processes of this node.
    pub local_rank: &'static [&'static str],
    /// Ranks on this node; of lists like Slurm's "16(x4),8" the largest number.
    pub local_size: &'static [&'static str],
    /// Nodes of the job, for launchers that do not provide the ranks of a node.
    pub nodes: &'static [&'static str],
    /// A unique name of the job.
    pub job: &'static [&'static str],
    /// An additional condition, as some set the variable elsewhere, too.
    pub only_if: fn(Env) -> bool,
    /// Whether the processes are ranks of one MPI job.
    pub makes_ranks: bool,
    /// The documentation.
    pub source: &'static str,
    /// How well the entry is tested.
    pub tried: Tried,
}

/// How the entry was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// Under the launcher.
    Real,
    /// Under a script that sets the same variables.
    StandIn,
}

fn always(_: Env) -> bool {
    true
}

const NONE: Convention = Convention {
    launcher: "",
    rank: "",
    size: &[],
    local_rank: &[],
    local_size: &[],
    nodes: &[],
    job: &[],
    only_if: always,
    makes_ranks: true,
    source: "",
    tried: Tried::StandIn,
};

/// Inner launchers before outer ones: an mpirun inside a Flux job inside a Slurm step is an mpirun.
pub static CONVENTIONS: &[Convention] = &[
    Convention {
        launcher: "Open MPI's mpirun",
        rank: "OMPI_COMM_WORLD_RANK",
        size: &["OMPI_COMM_WORLD_SIZE"],
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
        source: "Open MPI documentation, \"Environment variables set for MPI processes\"",
        tried: Tried::Real,
        ..NONE
    },
    Convention {
        launcher: "a launcher with PMIx",
        rank: "PMIX_RANK",
        job: &["PMIX_NAMESPACE"],
        source: "PMIx standard, PMIx_server_setup_fork; ranks and names only, no sizes",
        tried: Tried::Real,
        ..NONE
    },
    // No other launcher with PMI-1 uses this name for the local rank.
    Convention {
        launcher: "Hydra (MPICH, Intel MPI)",
        rank: "PMI_RANK",
        size: &["PMI_SIZE"],
        local_rank: &["MPI_LOCALRANKID"],
        local_size: &["MPI_LOCALNRANKS"],
        only_if: |env| env("MPI_LOCALRANKID").is_some(),
        source: "MPICH, Hydra's proxy (environment of a process) and PMI version 1",
        tried: Tried::Real,
        ..NONE
    },
    Convention {
        launcher: "MVAPICH's mpirun_rsh",
        rank: "MV2_COMM_WORLD_RANK",
        size: &["MV2_COMM_WORLD_SIZE"],
        local_rank: &["MV2_COMM_WORLD_LOCAL_RANK"],
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
        source: "MVAPICH2 user guide, \"Identification of MPI processes\"",
        ..NONE
    },
    Convention {
        launcher: "HPE's PALS",
        rank: "PALS_RANKID",
        size: &["PALS_SIZE"],
        local_rank: &["PALS_LOCAL_RANKID"],
        local_size: &["PALS_LOCAL_SIZE"],
        job: &["PALS_APID"],
        source: "HPE Cray PALS mpiexec(1) and aprun(1), ENVIRONMENT",
        ..NONE
    },
    Convention {
        launcher: "flux run",
        rank: "FLUX_TASK_RANK",
        size: &["FLUX_JOB_SIZE"],
        local_rank: &["FLUX_TASK_LOCAL_ID"],
        nodes: &["FLUX_JOB_NNODES"],
        job: &["FLUX_JOB_ID"],
        source: "flux-environment(7)",
        ..NONE
    },
    // Other launchers with PMI-1.
    Convention {
        launcher: "a launcher with PMI-1",
        rank: "PMI_RANK",
        size: &["PMI_SIZE"],
        source: "MPICH, PMI version 1; srun --mpi=pmi2",
        tried: Tried::Real,
        ..NONE
    },
    Convention {
        launcher: "jsrun",
        rank: "JSM_NAMESPACE_RANK",
        size: &["JSM_NAMESPACE_SIZE"],
        local_rank: &["JSM_NAMESPACE_LOCAL_RANK"],
        local_size: &["JSM_NAMESPACE_LOCAL_SIZE"],
        source: "IBM Job Step Manager, jsrun(1)",
        ..NONE
    },
    Convention { launcher: "aprun", rank: "ALPS_APP_PE", source: "Cray ALPS aprun(1)", ..NONE },
    Convention {
        launcher: "srun",
        rank: "SLURM_PROCID",
        size: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        local_rank: &["SLURM_LOCALID"],
        local_size: &["SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"],
        nodes: &["SLURM_STEP_NUM_NODES", "SLURM_NNODES"],
        // A batch script also has the variable, but is not a rank of a step.
        only_if: |env| slurm_step(env).is_some(),
        source: "srun(1), OUTPUT ENVIRONMENT VARIABLES",
        tried: Tried::Real,
        ..NONE
    },
    Convention {
        launcher: "srun with PMI-1",
        rank: "PMI_ID",
        size: &["PMI_SIZE"],
        source: "Slurm, mpi/pmi1 (older releases)",
        ..NONE
    },
    Convention {
        launcher: "pbsdsh",
        rank: "PBS_VNODENUM",
        local_rank: &[],
        // The batch script itself is task 1 on node 0.
        only_if: |env| env("PBS_JOBID").is_some() && (!is(env, "PBS_TASKNUM", "1") || !is(env, "PBS_NODENUM", "0")),
        // Independent programs; some start their own mpirun.
        makes_ranks: false,
        source: "PBS Professional reference guide, PBS environment variables; pbsdsh(1)",
        ..NONE
    },
];

fn is(env: Env, name: &str, wanted: &str) -> bool {
    env(name).is_some_and(|value| value == wanted)
}

/// Numbers above are Slurm's own steps: batch, extern, interactive.
const SLURM_FIRST_SPECIAL_STEP: u32 = 0xffff_fff0;

/// The number of the Slurm step this process belongs to.
pub(super) fn slurm_step(env: Env) -> Option<u32> {
    let step = env("SLURM_STEP_ID").or_else(|| env("SLURM_STEPID"))?;
    step.parse().ok().filter(|step| *step < SLURM_FIRST_SPECIAL_STEP)
}

/// A batch system.
#[derive(Debug)]
pub struct BatchSystem {
    /// Its name, for people.
    pub name: &'static str,
    /// The variable with the job's name, set in its script and its ranks.
    pub job: &'static str,
    /// Variables with the number of ranks of its job, if any.
    pub size: &'static [&'static str],
    /// Whether Open MPI's mpirun takes its slots from it; then mpiscope must not add slots.
    pub gives_slots: bool,
    /// Its launcher.
    pub launcher: Option<&'static str>,
}

/// Inner systems before outer ones: Flux runs inside jobs of others.
pub static BATCH_SYSTEMS: &[BatchSystem] = &[
    BatchSystem { name: "Flux", job: "FLUX_URI", size: &[], gives_slots: false, launcher: Some("flux run") },
    BatchSystem {
        name: "Slurm",
        job: "SLURM_JOB_ID",
        size: &["SLURM_NTASKS"],
        gives_slots: true,
        launcher: Some("srun"),
    },
    // Its pbsdsh starts programs, not MPI jobs.
    BatchSystem { name: "PBS", job: "PBS_JOBID", size: &["PBS_NP"], gives_slots: true, launcher: None },
    BatchSystem { name: "LSF", job: "LSB_JOBID", size: &["LSB_DJOB_NUMPROC"], gives_slots: true, launcher: None },
    BatchSystem { name: "Grid Engine", job: "PE_HOSTFILE", size: &["NSLOTS"], gives_slots: true, launcher: None },
];
