//! What a process can know of its job before MPI tells: by whom it was started, as which rank of how
//! many, in which batch job. The variables are in [`conventions`].

pub mod conventions;
mod key;
#[cfg(test)]
mod tests;

use serde::Serialize;

use conventions::{BATCH_SYSTEMS, BatchSystem, CONVENTIONS, Convention};

pub use key::{JobKey, Until, job_key};

/// A lookup in an environment, so that tests can give their own.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The process's own environment.
pub fn own_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A process that a launcher started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Launched {
    pub launcher: &'static str,
    /// The variable that tells, with its value.
    pub variable: String,
    pub rank: u32,
    pub size: Option<u32>,
    /// Whether the processes are ranks of one MPI job.
    pub makes_ranks: bool,
}

/// Launchers whose variables are set, with the rank they tell; the innermost first.
fn present(env: Env) -> Vec<(&'static Convention, u32)> {
    let rank = |convention: &'static Convention| {
        let rank = env(convention.rank)?.parse().ok()?;
        (convention.only_if)(env).then_some((convention, rank))
    };
    CONVENTIONS.iter().filter_map(rank).collect()
}

/// The first number that the innermost launcher tells under one of some names, or else another
/// that has started this process under the same rank: PMIx tells no sizes, the launcher that speaks
/// it does.
fn number(env: Env, names: fn(&Convention) -> &'static [&'static str]) -> Option<u32> {
    let present = present(env);
    let rank = present.first()?.1;
    let alike = present.iter().filter(|(_, other)| *other == rank);
    alike.flat_map(|(convention, _)| names(convention)).find_map(|name| largest(&env(name)?)).filter(|n| *n > 0)
}

/// Of a number itself, of Slurm's "16(x4),8" 16.
fn largest(text: &str) -> Option<u32> {
    let number = |item: &str| item.split('(').next()?.trim().parse().ok();
    text.split(',').map(number).collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// The rank this process was started as, if a launcher started it.
pub fn launched(env: Env) -> Option<Launched> {
    let (convention, rank) = *present(env).first()?;
    Some(Launched {
        launcher: convention.launcher,
        variable: format!("{}={}", convention.rank, env(convention.rank)?),
        rank,
        size: size(env),
        makes_ranks: convention.makes_ranks,
    })
}

/// How many ranks the job has, where its launcher tells.
pub fn size(env: Env) -> Option<u32> {
    number(env, |convention| convention.size)
}

/// How many ranks of the job are on this node, at least 1; where nobody tells, as if they were
/// spread evenly.
pub fn local_ranks(env: Env) -> u64 {
    let told = number(env, |convention| convention.local_size);
    let even = || Some(size(env)?.div_ceil(number(env, |convention| convention.nodes)?));
    told.or_else(even).unwrap_or(1).max(1).into()
}

/// Whether the job is on several hosts, where its launcher tells. A process that no launcher started is alone.
pub fn is_on_several_hosts(env: Env) -> Option<bool> {
    if launched(env).is_none() {
        return Some(false);
    }
    if let Some(nodes) = number(env, |convention| convention.nodes) {
        return Some(nodes > 1);
    }
    // The largest of several hosts has fewer ranks than the job.
    Some(size(env)? > number(env, |convention| convention.local_size)?)
}

/// Whether to say what all ranks of a node have to say: the first of a node does, and whoever does
/// not know.
pub fn speaks_for_node(env: Env) -> bool {
    // Not by `number`: 0 is a rank.
    let told = present(env).into_iter().flat_map(|(convention, _)| convention.local_rank).find_map(|name| env(name));
    told.is_none_or(|rank| rank == "0")
}

/// Whether to say what all ranks of a job have to say.
pub fn speaks_for_job(env: Env) -> bool {
    launched(env).is_none_or(|launched| launched.rank == 0)
}

/// A batch job this process is part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BatchJob {
    pub system: &'static str,
    /// The variable that tells, with its value.
    pub variable: String,
    pub size: Option<u32>,
    /// The launcher that comes with the system.
    pub launcher: Option<&'static str>,
    #[serde(skip)]
    pub gives_slots: bool,
}

/// The batch jobs this process is part of, the innermost first.
pub fn batch_jobs(env: Env) -> Vec<BatchJob> {
    let job = |system: &BatchSystem| {
        Some(BatchJob {
            system: system.name,
            variable: format!("{}={}", system.job, env(system.job)?),
            size: system.size.iter().find_map(|name| env(name)?.parse().ok()),
            launcher: system.launcher,
            gives_slots: system.gives_slots,
        })
    };
    BATCH_SYSTEMS.iter().filter_map(job).collect()
}
