//! What the library itself lists, read by another process: a library may write to the terminal, end the process or hang.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use mpiscope_launch::subprocess;
use mpiscope_mpi::Mpi;
use mpiscope_tune::{Family, Known, Listed, Setting, Source, lookup};

use crate::failure::Failure;
use crate::say;

/// Open MPI opens all of its components, which takes 0.2 s on a quiet machine.
const LIMIT: Duration = Duration::from_secs(10);
/// The hidden option of `mpiscope env` that lists a library.
const OPTION: &str = "--list-library";

/// What a library lists about itself. Open MPI reads its files for that, so values of variables that are in them are left out.
///
/// # Errors
///
/// If it cannot be loaded, ends the process, or does not answer in time.
pub fn ask(library: &Path, settings: &[Setting]) -> anyhow::Result<Listed> {
    let own = std::fs::read_link("/proc/self/exe").context("this executable")?;
    let mut command = Command::new(own);
    command.args(["env", OPTION]).arg(library);
    // The list does not depend on what is set, and a wrong value may end the process.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| !matches!(lookup(name, None), Known::Other)) {
            command.env_remove(name);
        }
    }
    let answer = subprocess::run_with_limit(&mut command, LIMIT)?;
    if answer.code != Some(0) {
        let reason = answer.stderr.lines().map(str::trim).find(|line| line.contains(|c: char| c.is_alphabetic()));
        let reason = reason.map(|line| line.trim_start_matches("mpiscope: error: "));
        bail!("{}", reason.unwrap_or("it ended the process that read its list"));
    }
    // Libraries may print before.
    let line = answer.stdout.lines().rev().find(|line| line.starts_with('{')).context("it printed no list")?;
    let mut listed: Listed = serde_json::from_str(line).context("the list of the library")?;
    for setting in settings.iter().filter(|setting| setting.source != Source::Environment) {
        if let Some(value) = listed.variables.get_mut(&setting.name) {
            *value = None;
        }
    }
    Ok(listed)
}

/// The names that UCX and libfabric list, for each of them that has a variable set and its tool installed.
pub fn ask_below(settings: &[Setting]) -> BTreeMap<Family, BTreeSet<String>> {
    let tools =
        [(Family::Ucx, "UCX_", "ucx_info", &["-c", "-f", "-a"][..]), (Family::Libfabric, "FI_", "fi_info", &["-e"])];
    let mut found = BTreeMap::new();
    for (family, prefix, tool, options) in tools {
        if !settings.iter().any(|setting| setting.name.starts_with(prefix)) {
            continue;
        }
        let Ok(answer) = subprocess::run_with_limit(Command::new(tool).args(options), LIMIT) else { continue };
        // `UCX_TLS=all` and `# FI_PROVIDER: String`.
        let words = answer.stdout.lines().filter_map(|line| line.trim_start_matches("# ").split(['=', ':']).next());
        let names: BTreeSet<String> = words.filter(|name| name.starts_with(prefix)).map(Into::into).collect();
        if !names.is_empty() {
            found.insert(family, names);
        }
    }
    found
}

/// The process that [`ask`] starts.
pub fn print_list(library: &Path) -> Result<i32, Failure> {
    let mpi = Mpi::open(library).map_err(anyhow::Error::from)?;
    let list = mpi.list_control_variables().context("this MPI has no tool interface")?;
    let listed = Listed { variables: list.into_iter().collect() };
    let text = serde_json::to_string(&listed).context("list as JSON")?;
    say::result(&format!("{text}\n")).context("standard output")?;
    Ok(0)
}
