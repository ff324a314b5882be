//! Each launcher's environment, as far as it matters here, and what must be read from it.

use super::conventions::Tried;
use super::*;

/// What is expected: launcher, rank, size, ranks of the node, whether it speaks for node and job.
type Seen = (&'static str, u32, Option<u32>, u64, bool, bool);

const CASES: &[(&str, &str, Seen)] = &[
    (
        "Open MPI 4, mpirun inside a Slurm job",
        "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4 \
         PMIX_RANK=5 PMIX_NAMESPACE=77 SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2",
        ("Open MPI's mpirun", 5, Some(8), 4, false, false),
    ),
    ("PRRTE's prun", "PMIX_RANK=0 PMIX_NAMESPACE=prte-n1-7@1", ("a launcher with PMIx", 0, None, 1, true, true)),
    (
        "srun --mpi=pmix",
        "PMIX_RANK=17 PMIX_NAMESPACE=slurm.pmix.9.0 SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=17 SLURM_NTASKS=72 \
         SLURM_LOCALID=1 SLURM_STEP_NUM_TASKS=72 SLURM_STEP_TASKS_PER_NODE=8,16(x4)",
        ("a launcher with PMIx", 17, Some(72), 16, false, false),
    ),
    (
        "srun without PMI, in a step",
        "SLURM_JOB_ID=9 SLURM_STEPID=1 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0 SLURM_TASKS_PER_NODE=2(x2)",
        ("srun", 0, Some(4), 2, true, true),
    ),
    (
        "Hydra",
        "PMI_RANK=3 PMI_SIZE=4 PMI_FD=9 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2",
        ("Hydra (MPICH, Intel MPI)", 3, Some(4), 2, true, false),
    ),
    (
        "Hydra inside a Flux job",
        "FLUX_TASK_RANK=0 FLUX_JOB_SIZE=1 FLUX_JOB_ID=f1 PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2",
        ("Hydra (MPICH, Intel MPI)", 1, Some(2), 2, false, false),
    ),
    (
        "srun --mpi=pmi2",
        "PMI_RANK=1 PMI_SIZE=4 PMI_JOBID=9.0 SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_LOCALID=1 \
         SLURM_TASKS_PER_NODE=2(x2)",
        ("a launcher with PMI-1", 1, Some(4), 2, false, false),
    ),
    (
        "MVAPICH",
        "MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2 MV2_COMM_WORLD_LOCAL_RANK=1 MV2_COMM_WORLD_LOCAL_SIZE=2 PMI_RANK=1",
        ("MVAPICH's mpirun_rsh", 1, Some(2), 2, false, false),
    ),
    (
        "PALS in a PBS job",
        "PALS_RANKID=12 PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=12 PALS_SIZE=24 PALS_APID=a-b PMI_RANK=12 PBS_JOBID=1.x",
        ("HPE's PALS", 12, Some(24), 12, true, false),
    ),
    (
        "flux run, in a Flux instance that srun has started",
        "FLUX_TASK_RANK=2 FLUX_JOB_SIZE=5 FLUX_JOB_NNODES=2 FLUX_TASK_LOCAL_ID=2 FLUX_JOB_ID=f1 PMI_RANK=2 PMI_SIZE=5 \
         SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2",
        ("flux run", 2, Some(5), 3, false, false),
    ),
    (
        "jsrun",
        "JSM_NAMESPACE_RANK=0 JSM_NAMESPACE_SIZE=6 JSM_NAMESPACE_LOCAL_RANK=0 JSM_NAMESPACE_LOCAL_SIZE=6 LSB_JOBID=3",
        ("jsrun", 0, Some(6), 6, true, true),
    ),
    ("aprun", "ALPS_APP_PE=4", ("aprun", 4, None, 1, true, false)),
    (
        "pbsdsh on the first node",
        "PBS_JOBID=1.x PBS_TASKNUM=146 PBS_NODENUM=0 PBS_VNODENUM=0",
        ("pbsdsh", 0, None, 1, true, true),
    ),
    (
        "pbsdsh on another node",
        "PBS_JOBID=1.x PBS_TASKNUM=1 PBS_NODENUM=1 PBS_VNODENUM=4",
        ("pbsdsh", 4, None, 1, true, false),
    ),
];

fn environment(text: &'static str) -> impl Fn(&str) -> Option<String> {
    move |name: &str| {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        let mut found = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value.to_owned());
        found.next()
    }
}

#[test]
fn each_launcher_s_environment_is_read() {
    for (what, text, (launcher, rank, size, local, for_node, for_job)) in CASES {
        let env = environment(text);
        let found = launched(&env).unwrap_or_else(|| panic!("{what}"));
        assert_eq!((found.launcher, found.rank, found.size), (*launcher, *rank, *size), "{what}");
        assert_eq!(local_ranks(&env), *local, "{what}");
        assert_eq!((speaks_for_node(&env), speaks_for_job(&env)), (*for_node, *for_job), "{what}");
        assert_eq!(found.makes_ranks, *launcher != "pbsdsh", "{what}");
    }
}

#[test]
fn what_is_no_rank_is_none() {
    for (what, text) in [
        ("nothing", ""),
        ("a batch script of Slurm", "SLURM_JOB_ID=9 SLURM_STEP_ID=4294967291 SLURM_PROCID=0 SLURM_NTASKS=4"),
        ("salloc's shell", "SLURM_JOB_ID=9 SLURM_NTASKS=4 SLURM_TASKS_PER_NODE=4"),
        ("a batch script of PBS", "PBS_JOBID=1.x PBS_TASKNUM=1 PBS_NODENUM=0 PBS_VNODENUM=0 PBS_NP=4"),
        ("a Flux instance", "FLUX_URI=local:///run/x FLUX_ENCLOSING_ID=f1"),
        ("no numbers", "PMI_RANK=x OMPI_COMM_WORLD_RANK=-1 PMIX_RANK=4294967296"),
    ] {
        let env = environment(text);
        assert_eq!(launched(&env), None, "{what}");
        assert_eq!((size(&env), local_ranks(&env)), (None, 1), "{what}");
        assert!(speaks_for_node(&env) && speaks_for_job(&env), "{what}");
    }
}

#[test]
fn an_outer_launcher_s_size_is_not_the_job_s() {
    let env = environment("PMIX_RANK=3 SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2");
    assert_eq!(launched(&env).unwrap().size, None);
}

#[test]
fn batch_jobs_are_seen() {
    let env = environment("SLURM_JOB_ID=9 SLURM_NTASKS=64 FLUX_URI=local:///x");
    let jobs = batch_jobs(&env);
    assert_eq!(jobs.iter().map(|job| job.system).collect::<Vec<_>>(), ["Flux", "Slurm"]);
    assert_eq!((jobs[1].variable.as_str(), jobs[1].size), ("SLURM_JOB_ID=9", Some(64)));
    assert!(batch_jobs(&environment("")).is_empty());
}

#[test]
fn every_entry_has_a_case_and_a_source() {
    for convention in CONVENTIONS {
        assert!(!convention.source.is_empty());
        // PMI_ID went with Slurm's PMI-1.
        let is_tested = CASES.iter().any(|(_, _, seen)| seen.0 == convention.launcher);
        assert!(is_tested || convention.rank == "PMI_ID", "{}", convention.launcher);
    }
    let real: Vec<_> = CONVENTIONS.iter().filter(|c| c.tried == Tried::Real).map(|c| c.rank).collect();
    // Hydra's and that of others.
    let tried = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_RANK", "SLURM_PROCID"];
    assert_eq!(real, tried, "docs/launchers.md says the same");
}
