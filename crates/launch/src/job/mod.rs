//! What a process can find out about its job before MPI is initialized: its launcher, rank, number of ranks and batch job.
//! The variables are in [`conventions`].

pub mod conventions;
mod key;
#[cfg(test)]
mod tests;

use serde::Serialize;

use conventions::{BATCH_SYSTEMS, BatchSystem, CONVENTIONS, Convention};

pub use key::{JobKey, Until, job_key};

/// Looks up a variable in an environment; tests use their own.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The process's own environment.
pub fn own_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A process that a launcher started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Launched {
    /// Its name, see [`conventions`].
    pub launcher: &'static str,
    /// The variable that shows it, with its value.
    pub variable: String,
    /// Of this process, in the order of the launcher.
    pub rank: u32,
    /// The number of processes, if the launcher sets it.
    pub size: Option<u32>,
    /// Whether the processes are ranks of one MPI job.
    pub makes_ranks: bool,
}

/// Launchers whose variables are set, with the rank in them; the innermost first.
fn present(env: Env) -> Vec<(&'static Convention, u32)> {
    let rank = |convention: &'static Convention| {
        let rank = env(convention.rank)?.parse().ok()?;
        (convention.only_if)(env).then_some((convention, rank))
    };
    CONVENTIONS.iter().filter_map(rank).collect()
}

/// The first number in one of several variables, of the innermost launcher, or else of another one that started this process
/// with the same rank: PMIx provides no sizes, but the launcher that uses it does.
fn number(env: Env, names: fn(&Convention) -> &'static [&'static str]) -> Option<u32> {
    let present = present(env);
    let rank = present.first()?.1;
    let alike = present.iter().filter(|(_, other)| *other == rank);
    alike.flat_map(|(convention, _)| names(convention)).find_map(|name| largest(&env(name)?)).filter(|n| *n > 0)
}

/// Parses a number, or the first number of Slurm's "16(x4),8".
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

/// The number of ranks of the job, if its launcher provides it.
pub fn size(env: Env) -> Option<u32> {
    number(env, |convention| convention.size)
}

/// The number of ranks of the job on this node, at least 1; if unknown, an even distribution is assumed.
pub fn local_ranks(env: Env) -> u64 {
    let from_launcher = number(env, |convention| convention.local_size);
    let even = || Some(size(env)?.div_ceil(number(env, |convention| convention.nodes)?));
    from_launcher.or_else(even).unwrap_or(1).max(1).into()
}

/// Whether the job runs on several hosts, if its launcher provides it. A process without a launcher is the only one.
pub fn is_on_several_hosts(env: Env) -> Option<bool> {
    if launched(env).is_none() {
        return Some(false);
    }
    if let Some(nodes) = number(env, |convention| convention.nodes) {
        return Some(nodes > 1);
    }
    // Of several hosts, even the largest has fewer ranks than the job.
    Some(size(env)? > number(env, |convention| convention.local_size)?)
}

/// Whether this process prints messages on behalf of its node: the first rank of the node does, and any process that does not
/// know its local rank.
pub fn speaks_for_node(env: Env) -> bool {
    // Not with `number`, as 0 is a rank.
    let from_launcher =
        present(env).into_iter().flat_map(|(convention, _)| convention.local_rank).find_map(|name| env(name));
    from_launcher.is_none_or(|rank| rank == "0")
}

/// Whether this process prints messages on behalf of the job.
pub fn speaks_for_job(env: Env) -> bool {
    launched(env).is_none_or(|launched| launched.rank == 0)
}

/// A batch job that contains this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BatchJob {
    /// Its name, for people.
    pub system: &'static str,
    /// The variable that shows it, with its value.
    pub variable: String,
    /// Ranks for which the job has slots, if the system sets a number.
    pub size: Option<u32>,
    /// The launcher of the system.
    pub launcher: Option<&'static str>,
    /// See [`conventions::BatchSystem::gives_slots`].
    #[serde(skip)]
    pub gives_slots: bool,
}

/// The batch jobs that contain this process, the innermost first.
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
