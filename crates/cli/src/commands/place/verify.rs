//! `mpiscope place --verify`: the program in the recorded order and in another one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use mpiscope_experiments::{Bounds, ERROR_RATE, bounds};
use mpiscope_launch::launcher::{InOrder, Launcher};
use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::{self, End};
use mpiscope_launch::{host, shell_words};
use mpiscope_place::Named;
use mpiscope_query::Layout;
use mpiscope_run::Run;
use mpiscope_statistics::{median, sorted};
use mpiscope_units::percent;
use serde::Serialize;

use super::super::report::{grid, style::Style};
use super::Args;
use crate::interrupt::Noting;
use crate::say;
use grid::{Field, Grid, number, words};

/// The exit code after ^C.
pub const INTERRUPTED: i32 = 130;

/// What was measured.
#[derive(Serialize)]
pub struct Verified {
    order: &'static str,
    /// Wall times of the whole job in pairs of runs: as recorded, and in the order, s.
    recorded_seconds: Vec<f64>,
    order_seconds: Vec<f64>,
    /// Time that the order saves: by the model, and in the pairs (their median, and bounds that hold except with the error rate).
    predicted_saves_seconds: Option<f64>,
    predicted_low_seconds: Option<f64>,
    predicted_high_seconds: Option<f64>,
    saves_seconds: f64,
    low_seconds: Option<f64>,
    high_seconds: Option<f64>,
    error_rate: f64,
}

/// A directory that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What starts the program.
struct Start {
    launcher: Launcher,
    program: Vec<String>,
    folder: PathBuf,
}

/// Runs the program in both orders; `predicted` is what the order saves, s, with its interval. `None` after an interruption.
pub fn verify(
    args: &Args,
    run: &Run,
    layout: &Layout,
    order: &Named,
    predicted: Option<[f64; 3]>,
) -> anyhow::Result<Option<Verified>> {
    let Some(now) = &layout.now else { bail!("--verify needs the nodes of the run") };
    if order.nodes == *now {
        bail!(
            "the order {} is that of the run: there is nothing to compare; choose another one with --order",
            order.id
        );
    }
    let start = start(args, run)?;
    let folder = Folder(std::env::temp_dir().join(format!("mpiscope-place-{}", host::random_id())));
    std::fs::create_dir_all(&folder.0).with_context(|| format!("cannot create {}", folder.0.display()))?;
    let in_order = |name: &str, nodes: &[u32]| -> anyhow::Result<InOrder> {
        let file = folder.0.join(name);
        let hosts: String = nodes.iter().map(|&node| format!("{}\n", layout.names[node as usize])).collect();
        std::fs::write(&file, hosts).with_context(|| format!("cannot write {}", file.display()))?;
        start.launcher.in_order(&file, nodes.len()).with_context(|| {
            format!(
                "the order of ranks cannot be given to `{}`; known are mpirun, mpiexec and srun",
                start.launcher.title()
            )
        })
    };
    // Both by a list of hosts, so that nothing but the order is different.
    let sides = [in_order("recorded", now)?, in_order(order.id, &order.nodes)?];
    timed::adopt_orphans();
    let noting = Noting::begin();
    let seed = u64::from_str_radix(&host::random_id(), 16).unwrap_or(1);
    let mut times: [Vec<f64>; 2] = Default::default();
    for pair in 0..args.pairs {
        let first = usize::from((seed >> (pair % 64)) & 1 == 1);
        for side in [first, 1 - first] {
            say::line(format_args!("pair {} of at most {}: {}", pair + 1, args.pairs, ["as recorded", order.id][side]));
            match seconds(&sides[side], &start, args, &noting)? {
                Some(seconds) => times[side].push(seconds),
                None => {
                    say::line("interrupted: the pairs are not complete");
                    return Ok(None);
                }
            }
        }
        let found = gains(&times);
        if found.low.is_some_and(|low| low > 0.0) || found.high.is_some_and(|high| high < 0.0) {
            break;
        }
    }
    Ok(Some(Verified::new(order.id, times, predicted)))
}

/// The recorded program and launcher, or those that are given.
fn start(args: &Args, run: &Run) -> anyhow::Result<Start> {
    let manifest = &run.manifest;
    let text = args.launcher.clone().or_else(|| manifest.launcher.as_ref().map(|words| shell_words::join(words)));
    let text =
        text.context("mpiscope did not start this run, so its launcher is unknown; give it: --launcher WORDS")?;
    let launcher = Launcher::given(&text)?;
    let program = if args.program.is_empty() { manifest.program.clone() } else { args.program.clone() };
    if program.is_empty() {
        bail!("the run does not name its program; give it after --");
    }
    Ok(Start { launcher, program, folder: manifest.cwd.clone() })
}

/// One run; `None` after an interruption.
fn seconds(side: &InOrder, start: &Start, args: &Args, noting: &Noting) -> anyhow::Result<Option<f64>> {
    let mut command = Command::new(&side.words[0]);
    command.args(&side.words[1..]).args(&start.program);
    if Path::new(&start.folder).is_dir() {
        command.current_dir(&start.folder);
    }
    command.envs(side.variable.iter().map(|(name, value)| (*name, value)));
    let done = timed::run(&mut command, args.timeout, false, &|| noting.is_interrupted())
        .with_context(|| format!("cannot start {}", side.words[0]))?;
    let failed = |how: String| {
        let last: Vec<&str> = done.stderr.lines().filter(|line| !line.trim().is_empty()).take(4).collect();
        bail!("the program {how}: {}\n  {}", shell_words::join(&side.words), last.join("\n  "))
    };
    match done.end {
        End::Interrupted => Ok(None),
        End::Itself(How::Exited(0)) => Ok(Some(done.elapsed.as_secs_f64())),
        End::Itself(How::Exited(code)) => failed(format!("ended with exit code {code}")),
        End::Itself(How::Killed(signal)) => failed(format!("was ended by signal {signal}")),
        End::TimedOut => failed(format!("had not ended after {:.0} s (--timeout)", args.timeout.as_secs_f64())),
    }
}

/// Bounds of the logarithm of the ratio of both times.
fn gains([recorded, order]: &[Vec<f64>; 2]) -> Bounds {
    let ratios: Vec<f64> = recorded.iter().zip(order).map(|(a, b)| (a / b).ln()).collect();
    bounds(&ratios, ERROR_RATE)
}

fn middle(values: &[f64]) -> f64 {
    median(&sorted(values))
}

impl Verified {
    fn new(order: &'static str, times: [Vec<f64>; 2], predicted: Option<[f64; 3]>) -> Verified {
        let found = gains(&times);
        let [recorded, own] = times;
        let base = middle(&recorded);
        let saves: Vec<f64> = recorded.iter().zip(&own).map(|(a, b)| a - b).collect();
        let saved = |log: f64| base * (1.0 - (-log).exp());
        Verified {
            order,
            predicted_saves_seconds: predicted.map(|of| of[0]),
            predicted_low_seconds: predicted.map(|of| of[1]),
            predicted_high_seconds: predicted.map(|of| of[2]),
            saves_seconds: middle(&saves),
            low_seconds: found.low.map(saved),
            high_seconds: found.high.map(saved),
            error_rate: ERROR_RATE,
            recorded_seconds: recorded,
            order_seconds: own,
        }
    }

    /// As text.
    pub fn lines(&self, style: Style) -> Vec<String> {
        let time = |seconds: f64| Field::Text(format!("{seconds:.3} s"));
        let range = |low: Option<f64>, high: Option<f64>| {
            let end = |end: Option<f64>| end.map_or("?".to_owned(), |seconds| format!("{seconds:.3}"));
            Field::Text(format!("{} … {} s", end(low), end(high)))
        };
        let columns = vec![words("", "what"), number("", "time"), number("", "interval")];
        let whole = |name: &str, times: &[f64]| {
            let ends = |pick: fn(f64, f64) -> f64| times.iter().copied().reduce(pick);
            vec![Field::Text(name.to_owned()), time(middle(times)), range(ends(f64::min), ends(f64::max))]
        };
        let mut rows = vec![whole("as recorded", &self.recorded_seconds), whole(self.order, &self.order_seconds)];
        if let Some(saves) = self.predicted_saves_seconds {
            let interval = range(self.predicted_low_seconds, self.predicted_high_seconds);
            rows.push(vec![Field::Text("saved, predicted".to_owned()), time(saves), interval]);
        }
        let interval = range(self.low_seconds, self.high_seconds);
        rows.push(vec![Field::Text("saved, measured".to_owned()), time(self.saves_seconds), interval]);
        let pairs = self.recorded_seconds.len();
        let share = percent(self.saves_seconds / middle(&self.recorded_seconds).max(1e-9));
        let mut lines = vec![
            String::new(),
            format!("VERIFIED                  {pairs} pairs of runs, whole jobs"),
            Grid { columns, rows }.text(style).join("\n"),
        ];
        lines.push(match (self.low_seconds, self.high_seconds) {
            (Some(low), _) if low > 0.0 => format!("{} is faster: it saves {share} of the job's time.", self.order),
            (_, Some(high)) if high < 0.0 => format!("{} is slower than the recorded order.", self.order),
            _ => {
                format!("No difference is proved. At least 6 pairs that agree are needed; there are {pairs} (--pairs).")
            }
        });
        lines
    }
}
