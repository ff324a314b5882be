//! `mpiscope env show`: searches the tables.

use anyhow::{Context, bail};
use mpiscope_launch::mpi;
use mpiscope_tune::{Entry, Family, Version, search};
use serde::Serialize;

use super::page::add;
use crate::failure::Failure;
use crate::{say, variables};

/// Search variables by name, subject and text
#[derive(clap::Args)]
pub struct Args {
    /// Words that must all occur
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,

    /// Search the tables of all MPIs
    #[arg(long, conflicts_with = "mpi")]
    all: bool,

    /// Search this MPI's, such as openmpi@5 or cray-mpich [default: the MPI of the first launcher in PATH]
    #[arg(long, value_name = "NAME[@VERSION]")]
    mpi: Option<String>,

    /// Number of variables to show
    #[arg(long, value_name = "N", default_value_t = 12)]
    limit: usize,

    /// Print as JSON (schemas/env.schema.json)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Json<'a> {
    format: u32,
    mpiscope_version: &'static str,
    variables: Vec<Variable<'a>>,
    left_out: usize,
}

#[derive(Serialize)]
struct Variable<'a> {
    name: String,
    family: Family,
    other_names: &'a [String],
    kind: &'static str,
    default: &'a str,
    choices: Vec<&'a str>,
    least: Option<i64>,
    most: Option<i64>,
    versions: Option<String>,
    subject: Option<&'a str>,
    changes: Option<&'a str>,
    helps: Option<&'a str>,
    costs: Option<&'a str>,
    instead: Option<&'a str>,
    text: &'a str,
    source: Option<&'a str>,
}

pub fn main(args: &Args) -> Result<i32, Failure> {
    let (family, version) = which(args)?;
    let hits = search(&args.words, family, version.as_ref());
    let shown: Vec<&Entry> = hits.iter().take(args.limit).map(|hit| hit.entry).collect();
    let left_out = hits.len() - shown.len();
    let text = match args.json {
        true => {
            let variables = shown.iter().map(|entry| variable(entry)).collect();
            let json = Json { format: 1, mpiscope_version: env!("CARGO_PKG_VERSION"), variables, left_out };
            serde_json::to_string_pretty(&json).context("variables as JSON")? + "\n"
        }
        false => page(&shown, left_out),
    };
    say::result(&text).context("standard output")?;
    if hits.is_empty() {
        let of = family.map_or(String::new(), |family| format!(" of {}", family.title()));
        let more = if args.all { "" } else { "; --all searches every table" };
        say::line(format_args!("no variable{of} has all of these words{more}"));
    }
    Ok(i32::from(hits.is_empty()))
}

fn which(args: &Args) -> anyhow::Result<(Option<Family>, Option<Version>)> {
    if args.all {
        return Ok((None, None));
    }
    let Some(text) = &args.mpi else {
        let target = mpi::of_launcher(None).ok().and_then(|library| variables::target(&library));
        return Ok(target.map_or((None, None), |target| (Some(target.family), target.version)));
    };
    let (name, version) = text.split_once('@').map_or((text.as_str(), None), |(name, version)| (name, Some(version)));
    let Some(family) = Family::by_word(name) else {
        let known: Vec<&str> = Family::ALL.iter().map(|family| family.word()).collect();
        bail!("--mpi: '{name}' is not one of {}", known.join(", "));
    };
    let version = match version {
        Some(text) => Some(Version::parse(text).with_context(|| format!("--mpi: '{text}' is not a version"))?),
        None => None,
    };
    Ok((Some(family), version))
}

fn variable(entry: &Entry) -> Variable<'_> {
    let note = &entry.note;
    Variable {
        name: entry.variable(),
        family: entry.family,
        other_names: &entry.names,
        kind: entry.kind.word(),
        default: &entry.default,
        choices: entry.choices.iter().map(|choice| choice.name.as_str()).collect(),
        least: entry.limits.0,
        most: entry.limits.1,
        versions: entry.seen_versions(),
        subject: entry.subject(),
        changes: note.changes.as_deref(),
        helps: note.helps.as_deref(),
        costs: note.costs.as_deref(),
        instead: note.instead.as_deref(),
        text: &entry.text,
        source: note.source.as_deref(),
    }
}

fn page(entries: &[&Entry], left_out: usize) -> String {
    let mut text = String::new();
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        one(&mut text, entry);
    }
    if left_out > 0 {
        text.push_str(&format!("\n{left_out} more; --limit shows them.\n"));
    }
    text
}

fn one(text: &mut String, entry: &Entry) {
    let note = &entry.note;
    let versions = entry.seen_versions().map(|versions| format!(" {versions}")).unwrap_or_default();
    add(text, "", &format!("{}  ({}{versions})", entry.variable(), entry.family.title()));
    let mut form = entry.kind.word().to_owned();
    match entry.limits {
        (Some(least), Some(most)) => form.push_str(&format!(", {least} to {most}")),
        (Some(least), None) => form.push_str(&format!(", {least} or more")),
        (None, Some(most)) => form.push_str(&format!(", up to {most}")),
        (None, None) => {}
    }
    if !entry.default.is_empty() {
        form.push_str(&format!("; default {}", entry.default));
    }
    if let Some(subject) = entry.subject() {
        form.push_str(&format!("; subject {}", subject.replace('-', " ")));
    }
    add(text, "    ", &form);
    if !entry.choices.is_empty() {
        let words: Vec<&str> = entry.choices.iter().map(|choice| choice.name.as_str()).collect();
        add(text, "    ", &format!("values: {}", words.join(", ")));
    }
    let lines = [
        ("", note.changes.as_deref().or((!entry.text.is_empty()).then_some(&entry.text))),
        ("helps: ", note.helps.as_deref()),
        ("costs: ", note.costs.as_deref()),
        ("instead: ", note.renamed.as_deref().or(note.instead.as_deref())),
    ];
    for (title, line) in lines {
        if let Some(line) = line {
            add(text, "    ", &format!("{title}{line}"));
        }
    }
    if !entry.names.is_empty() {
        add(text, "    ", &format!("other names: {}", entry.names.join(", ")));
    }
}
