//! `mpiscope view NAME.machine`: a machine profile, or two over each other.

use std::path::Path;

use anyhow::{Context, anyhow};
use mpiscope_bench::{JOURNAL, make_profile};
use mpiscope_machine::{FILE, SUFFIX, read};
use mpiscope_server::{Machine, export_machines};

use super::output::Output;
use super::{Args, bind, links, open_browser};
use crate::commands::report::units;
use crate::failure::Failure;
use crate::interrupt::Noting;
use crate::say;

/// Whether the command line names a machine profile.
pub fn is_meant(args: &Args) -> bool {
    [&args.run, &args.other].into_iter().flatten().any(|path| is_profile(path))
}

/// By its content, or by its name if it has none.
fn is_profile(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension == SUFFIX);
    is_named || path.join(FILE).exists() || path.join(JOURNAL).exists()
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    let of_runs = [
        ("--store", args.store.is_some()),
        ("--topology", args.topology.is_some()),
        ("--launch", args.launch),
        ("--window", args.window.is_some()),
        ("--png", args.picture.png.is_some()),
    ];
    if let Some((option, _)) = of_runs.into_iter().find(|(_, is_given)| *is_given) {
        return Err(anyhow!("{option} is for runs; a machine profile has no timeline").into());
    }
    if args.force && args.export.is_none() {
        return Err(anyhow!("--force requires --export FILE").into());
    }
    let machines = open(args)?;
    match args.export.as_deref().map(Output::new) {
        Some(to) => write(&machines, &to, args.force),
        None => serve(args, &machines),
    }
}

/// The profiles of the command line, in its order.
fn open(args: &Args) -> anyhow::Result<Vec<Machine>> {
    let paths: Vec<&Path> = [&args.run, &args.other].into_iter().flatten().map(AsRef::as_ref).collect();
    if let Some(other) = paths.iter().find(|path| path.exists() && !is_profile(path)) {
        return Err(anyhow!("{} is not a machine profile: view shows two runs or two profiles", other.display()));
    }
    let short = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let is_ambiguous = matches!(paths[..], [a, b] if short(a) == short(b));
    paths
        .into_iter()
        .map(|path| {
            let name = short(path).filter(|_| !is_ambiguous).unwrap_or_else(|| path.display().to_string());
            // A job without a launching mpiscope that ended early has left only its journal.
            let profile = match !path.join(FILE).exists() && path.join(JOURNAL).exists() {
                true => make_profile(path, None)?,
                false => read(path)?,
            };
            Ok(Machine { name, profile })
        })
        .collect()
}

fn write(machines: &[Machine], to: &Output, may_replace: bool) -> Result<i32, Failure> {
    to.check("page", may_replace)?;
    let html = export_machines(machines).map_err(anyhow::Error::from)?;
    to.write(&html, may_replace)?;
    if let Output::File(path) = to {
        say::line(format_args!("{}: {}", path.display(), units::bytes(html.len() as u64)));
    }
    Ok(0)
}

fn serve(args: &Args, machines: &[Machine]) -> Result<i32, Failure> {
    let server = bind(args, links(args)?)?;
    let url = server.url();
    let noting = Noting::begin();
    say::result(&format!("{url}\n")).context("cannot print the address")?;
    open_browser(args, &url, &server);
    let served = server.serve_machines(machines, || noting.is_interrupted());
    drop(noting);
    served.context("the server failed")?;
    Ok(0)
}
