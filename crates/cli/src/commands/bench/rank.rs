//! `mpiscope bench --rank`: one rank of the job.

use std::time::Duration;

use anyhow::anyhow;
use mpiscope_bench::{BenchError, Plan, Step, make_profile, run};
use mpiscope_launch::{Asked, job, mpi};
use mpiscope_machine::Pair;

use super::{Measure, distance_text};
use crate::failure::{Failure, OrFail};
use crate::progress::Progress;
use crate::say;

/// Exit code, as the help states it.
const NOTHING_MEASURED: i32 = 2;

pub fn main(args: &Measure) -> Result<i32, Failure> {
    let asked = Asked { verb: "bench", ranks: None, program: args.experiments.clone() };
    args.check()?;
    if args.n.is_some() {
        return Err(anyhow!("--rank is for use after a launcher, which sets the number of ranks: omit -n").into());
    }
    let settings = args.settings().or_fail(&asked)?;
    let library = match &settings.mpi {
        Some(path) => mpi::named(path).or_fail(&asked)?.library,
        None => mpi::of_this_job(&job::own_env).or_fail(&asked)?,
    };
    let plan = Plan {
        library: library.path,
        directory: args.directory()?,
        experiments: args.experiments.clone(),
        budget: args.budget(),
        max_bytes: args.max_bytes,
        seed: 1,
        with_threads: args.threads,
        skew: Duration::from_micros(args.skew.unwrap_or(0).into()),
        order: args.order.clone(),
        topology: args.topology.clone(),
        can_launch: args.journal_only,
        further: args.further,
    };
    let mut progress = Progress::new("measuring");
    let mut measured = String::new();
    let rank = run(&plan, &mut |step| match step {
        Step::Begun { mpi, pairs, warnings } => {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|Pair { class, hops, ranks }| {
                    format!("ranks {} and {} ({})", ranks[0], ranks[1], distance_text(class, *hops))
                })
                .collect();
            say::line(format_args!("{mpi}; measuring {}", pairs.join(", ")));
            for warning in warnings {
                say::warning(format_args!("{warning}: numbers will be marked"));
            }
        }
        Step::Progress { experiment, done, all } => {
            if measured != experiment {
                measured = experiment.to_owned();
                std::mem::replace(&mut progress, Progress::new(format!("measuring {experiment}"))).done();
            }
            progress.at(done, all);
        }
        Step::Failed { text } => say::line(format_args!("error: {text}")),
    });
    progress.done();
    // Rank 0 has printed it.
    if let Err(BenchError::Topology(_)) = rank {
        return Ok(NOTHING_MEASURED);
    }
    let rank = rank.map_err(anyhow::Error::from)?;
    if rank == 0 && !args.journal_only {
        let profile = make_profile(&plan.directory, None).map_err(anyhow::Error::from)?;
        super::drive::print_problems(&profile, &plan.directory);
    }
    Ok(0)
}

/// The words after `bench` that make a rank do what was requested of the launching mpiscope.
pub fn words(args: &Measure, library: &std::path::Path, directory: &std::path::Path) -> Vec<String> {
    let mut words = vec![
        "bench".to_owned(),
        "--rank".into(),
        "--journal-only".into(),
        format!("--mpi={}", library.display()),
        format!("--output={}", directory.display()),
        format!("--budget={}", args.budget),
        format!("--max-bytes={}", args.max_bytes),
    ];
    words.extend(args.threads.then(|| "--threads".to_owned()));
    words.extend(args.skew.map(|us| format!("--skew={us}")));
    let order = args.order.iter().map(|order| order.iter().map(i32::to_string).collect::<Vec<_>>().join(","));
    words.extend(order.map(|order| format!("--order={order}")));
    // The ranks may start in another directory.
    let topology = args.topology.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()));
    words.extend(topology.map(|file| format!("--topology={}", file.display())));
    words.extend(args.experiments.iter().cloned());
    words
}
