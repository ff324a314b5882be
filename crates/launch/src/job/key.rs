//! Determines the job that a process belongs to.
//!
//! The ranks of a job that starts `mpiscope exec` under another launcher have to agree on one run directory without
//! communication. They use a *job key*: equal in every rank of a job, different in the next job. Some launchers provide such
//! a name; others only provide something that can recur. A key of the second kind is trusted only near the start of the run.

use std::time::Duration;

use super::conventions::slurm_step;
use super::{Env, present};
use crate::host;

/// The name of a job, and how long it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobKey {
    /// The name, compared with `job_key` of `run.json`.
    pub text: String,
    /// A run with this key belongs to this job if it is not older than this.
    pub valid_for: Option<Duration>,
    /// An additional condition, for keys that a later job may also have.
    pub until: Until,
}

/// Events that must not have occurred yet in a run of this job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// No condition: the name never occurs again.
    Whatever,
    /// None of its processes has ended: ranks of an MPI job synchronize in MPI_Init.
    FirstEnd,
    /// The process with this rank has not ended: independent programs do not wait for each other.
    EndOf(u32),
}

impl JobKey {
    fn lasting(text: String) -> Self {
        Self { text, valid_for: None, until: Until::Whatever }
    }

    fn passing(text: String, seconds: u64, until: Until) -> Self {
        Self { text, valid_for: Some(Duration::from_secs(seconds)), until }
    }
}

/// The key of the job of this process; the most specific available name.
pub fn job_key(env: Env) -> JobKey {
    job_key_from(env, &ancestors())
}

/// An ancestor of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// Its process id.
    pub pid: u32,
    /// When it started, clock ticks since boot: a later process may have the same id.
    pub start_ticks: u64,
    /// Its command line.
    pub words: Vec<String>,
}

fn job_key_from(env: Env, ancestors: &[Ancestor]) -> JobKey {
    // The variables of an outer launcher are also set under an inner one, which determines the job.
    let present = present(env);
    let named = present.first().and_then(|(convention, _)| {
        let named = |name: &&str| Some(format!("{name}={}", env(name)?));
        convention.job.iter().find_map(named)
    });
    if let Some(text) = named {
        return JobKey::lasting(text);
    }
    // Hydra provides no name of the job to its ranks. Its proxies have the address of the mpiexec on their command line, the
    // same on every node; ports are reused after some time.
    if let Some(port) = ancestors.iter().find_map(hydra_port) {
        return JobKey::passing(format!("hydra={port}"), 600, Until::Whatever);
    }
    if let (Some(job), Some(step)) = (env("SLURM_JOB_ID"), slurm_step(env)) {
        return JobKey::lasting(format!("slurm={job}.{step}"));
    }
    if let Some(job) = env("PMI_JOBID") {
        return JobKey::lasting(format!("PMI_JOBID={job}"));
    }
    if let (Some(job), Some((convention, rank))) = (env("PBS_JOBID"), present.first()) {
        // One batch job may start several MPI jobs.
        let until = if convention.makes_ranks { Until::FirstEnd } else { Until::EndOf(*rank) };
        return JobKey::passing(format!("PBS_JOBID={job}"), 600, until);
    }
    // A launcher without known variables, or a shell: ranks of one launcher start together.
    let parent = ancestors.first();
    let (pid, ticks) = parent.map_or((0, 0), |parent| (parent.pid, parent.start_ticks));
    JobKey::passing(format!("parent={}.{pid}.{ticks}", host::name()), 60, Until::FirstEnd)
}

fn hydra_port(ancestor: &Ancestor) -> Option<&str> {
    let program = ancestor.words.first()?.rsplit('/').next()?;
    let flag = ancestor.words.iter().position(|word| word == "--control-port")?;
    let port = ancestor.words.get(flag + 1)?;
    (program.contains("hydra") || program.contains("proxy")).then_some(port)
}

/// The ancestors of this process, nearest first. More than one, as there may be a wrapper script between a rank and its
/// launcher.
fn ancestors() -> Vec<Ancestor> {
    let mut found = Vec::new();
    let mut pid = host::stat(std::process::id()).map_or(0, |stat| stat.parent);
    while pid > 1 && found.len() < 6 {
        let Some(stat) = host::stat(pid) else { break };
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = line.split(|byte| *byte == 0);
        found.push(Ancestor {
            pid,
            start_ticks: stat.start_ticks,
            words: words.map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
        });
        pid = stat.parent;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(vars: &[(&str, &str)], ancestors: &[Ancestor]) -> JobKey {
        job_key_from(&|name| lookup(vars, name), ancestors)
    }

    fn lookup(vars: &[(&str, &str)], name: &str) -> Option<String> {
        vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    fn proxy(port: &str) -> Ancestor {
        let words = ["/usr/bin/hydra_pmi_proxy", "--control-port", port, "--proxy-id", "0"];
        Ancestor { pid: 7, start_ticks: 70, words: words.map(str::to_owned).to_vec() }
    }

    fn shell() -> Ancestor {
        Ancestor { pid: 5, start_ticks: 50, words: vec!["bash".into()] }
    }

    #[test]
    fn the_most_particular_name_wins() {
        let slurm = [("SLURM_JOB_ID", "9"), ("SLURM_STEP_ID", "2")];
        assert_eq!(key(&slurm, &[shell()]).text, "slurm=9.2");
        let mut both = slurm.to_vec();
        both.extend([("PMIX_NAMESPACE", "prterun-1@1"), ("PMIX_RANK", "0")]);
        assert_eq!(key(&both, &[shell()]), JobKey::lasting("PMIX_NAMESPACE=prterun-1@1".into()));
        assert_eq!(key(&slurm, &[shell(), proxy("n1:4711")]).text, "hydra=n1:4711");
        assert_eq!(key(&[("FLUX_JOB_ID", "f1"), ("FLUX_TASK_RANK", "3")], &[]).text, "FLUX_JOB_ID=f1");
    }

    #[test]
    fn a_batch_script_is_no_step() {
        let batch = [("SLURM_JOB_ID", "9"), ("SLURM_STEP_ID", "4294967291"), ("SLURM_PROCID", "0")];
        assert!(key(&batch, &[shell()]).text.starts_with("parent="));
        let pbs = [("PBS_JOBID", "1.x")];
        assert!(key(&pbs, &[shell()]).text.starts_with("parent="));
    }

    #[test]
    fn names_that_come_again_are_trusted_for_a_while() {
        let plain = key(&[], &[shell()]);
        assert!(plain.text.ends_with(".5.50") && plain.until == Until::FirstEnd);
        assert_eq!(key(&[], &[proxy("n1:4711")]).valid_for, Some(Duration::from_secs(600)));
        let pbs = [("PBS_JOBID", "1.x"), ("PMI_RANK", "0")];
        let found = key(&pbs, &[shell()]);
        assert_eq!((found.text.as_str(), found.until), ("PBS_JOBID=1.x", Until::FirstEnd));
        let beside = [("PBS_JOBID", "1.x"), ("PBS_TASKNUM", "7"), ("PBS_VNODENUM", "3")];
        assert_eq!(key(&beside, &[shell()]).until, Until::EndOf(3));
    }

    #[test]
    fn this_process_has_ancestors() {
        let above = ancestors();
        assert!(!above.is_empty());
        assert!(above[0].start_ticks > 0);
    }
}
