//! `--output`: the run under the changes, as a run of its own.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;
use mpiscope_launch::manifest::Manifest;
use mpiscope_launch::run_dir;
use mpiscope_predict::Answer;
use mpiscope_query::Prediction;
use mpiscope_records::Predicted;
use mpiscope_run::{Resolver, Run};

use crate::failure::Failure;
use crate::memory::give_back;
use crate::progress::Progress;
use crate::say;

/// Where it is written.
pub struct Output<'a> {
    /// The new run.
    pub path: &'a Path,
    /// Whether it replaces one that exists.
    pub force: bool,
}

impl Output<'_> {
    /// Writes `run` under the changes of the only question.
    pub fn write(&self, run: &Run, found: &Prediction) -> Result<(), Failure> {
        let Some(answer) = found.answers.iter().flatten().next() else { return Ok(()) };
        let is_itself = fs::canonicalize(self.path).is_ok_and(|path| Some(path) == fs::canonicalize(&run.path).ok());
        if is_itself {
            return Err(anyhow::anyhow!(
                "{} is the run that is predicted from; give another --output",
                self.path.display()
            )
            .into());
        }
        let manifest = manifest(run, found, answer)?;
        let made = run_dir::create(self.path, &manifest, self.force).map_err(|error| match error {
            mpiscope_launch::Diagnosis::RunExists { path } => {
                anyhow::anyhow!("{} already exists; use --force to replace it, or -o NEW.mpiscope", path.display())
            }
            error => error.into(),
        })?;
        let run_id = u64::from_str_radix(&manifest.run_id, 16).unwrap_or(0);
        let mut progress = Progress::new("writing the predicted run");
        let mut watch = |done, all| {
            progress.at(done, all);
            give_back();
            ControlFlow::Continue(())
        };
        let to = (made.path.as_path(), run_id);
        let written = mpiscope_query::write_predicted(run, &Resolver::default(), found, to, &mut watch);
        progress.done();
        if let Err(error) = written {
            // An incomplete run would look like a short one.
            let _ = fs::remove_dir_all(&made.path);
            return Err(anyhow::Error::from(error).into());
        }
        say::line(format_args!("predicted run: {}", self.path.display()));
        Ok(())
    }
}

/// That of the recorded run, with what was asked.
fn manifest(run: &Run, found: &Prediction, answer: &Answer) -> anyhow::Result<Manifest> {
    let path = run.path.display();
    let from = Manifest::read(&run.path).with_context(|| format!("{path}: its run.json cannot be read"))?;
    let reproduction = &found.reproduction;
    let predicted = Predicted {
        from: fs::canonicalize(&run.path).unwrap_or_else(|_| run.path.clone()),
        from_run_id: from.run_id.clone(),
        changes: answer.change.clone(),
        network: found.network.to_owned(),
        recorded_ns: reproduction.time.recorded_ns,
        predicted_ns: answer.predicted_ns,
        gain: answer.gain,
        low: answer.low,
        high: answer.high,
        error_of_time: reproduction.time.error(),
        error_of_waits: reproduction.error_of_waits(),
    };
    // The same question about the same run has the same id.
    let run_id = format!("{:016x}", id(&format!("{} {} {}", from.run_id, predicted.changes, predicted.network)));
    Ok(Manifest { run_id, job_key: String::new(), predicted: Some(predicted), ..from })
}

/// FNV-1a; 0 would be no id.
fn id(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}
