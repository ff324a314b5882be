//! `mpiscope config`: lists the options that `run` and `exec` would use here, and where each comes from.

use anyhow::Context;
use mpiscope_launch::Asked;
use mpiscope_launch::options::{Kind, Spec, Value, write_size};
use mpiscope_launch::settings::{At, Known, Origin, Resolved};
use serde::Serialize;

use crate::failure::{Failure, OrFail};
use crate::recording::{Launching, Recording};
use crate::say;

/// List the options that run and exec would use here, and where each comes from
#[derive(clap::Args)]
pub struct Args {
    /// Print the options as JSON (schemas/config.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    launching: Launching,

    #[command(flatten)]
    recording: Recording,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let asked = Asked { verb: "config", ..Asked::default() };
    let resolved = args.recording.resolve(Some(&args.launching)).or_fail(&asked)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&json(&resolved)).context("options as JSON")? + "\n",
        false => page(&resolved),
    };
    say::result(&text).context("standard output")?;
    Ok(0)
}

#[derive(Serialize)]
struct Json<'a> {
    format: u32,
    mpiscope_version: &'static str,
    file: &'a Option<std::path::PathBuf>,
    profile: Option<Chosen<'a>>,
    options: Vec<Line<'a>>,
    profiles: &'a [Known],
}

#[derive(Serialize)]
struct Chosen<'a> {
    name: &'a str,
    #[serde(flatten)]
    origin: &'a Origin,
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'static str,
    value: Value,
    #[serde(flatten)]
    origin: &'a Origin,
}

fn json(resolved: &Resolved) -> Json<'_> {
    let chosen = resolved.note.profile.as_deref().zip(resolved.profile_origin.as_ref());
    let lines = resolved.origins.iter();
    Json {
        format: 1,
        mpiscope_version: env!("CARGO_PKG_VERSION"),
        file: &resolved.note.file,
        profile: chosen.map(|(name, origin)| Chosen { name, origin }),
        options: lines
            .map(|(spec, origin)| Line { name: spec.name, value: spec.get(&resolved.settings), origin })
            .collect(),
        profiles: &resolved.profiles,
    }
}

fn page(resolved: &Resolved) -> String {
    let mut rows = vec![["option".to_owned(), "value".to_owned(), "from".to_owned()]];
    for (spec, origin) in &resolved.origins {
        rows.push([spec.name.to_owned(), value(spec, resolved, origin), from(origin, spec.name)]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, given) = (width(0), width(1));
    let mut text = String::new();
    for row in &rows {
        text.push_str(&format!("{:<name$}  {:<given$}  {}\n", row[0], row[1], row[2]));
    }
    let file = resolved.note.file.as_ref().map_or("none".into(), |file| file.display().to_string());
    text.push_str(&format!("\nfile      {file}\n"));
    if let (Some(profile), Some(origin)) = (&resolved.note.profile, &resolved.profile_origin) {
        text.push_str(&format!("profile   {profile}, from {}\n", from(origin, "profile")));
    }
    let known: Vec<String> = resolved.profiles.iter().map(described).collect();
    text.push_str(&format!("profiles  {}\n", known.join("\n          ")));
    text
}

fn value(spec: &Spec, resolved: &Resolved, origin: &Origin) -> String {
    match spec.get(&resolved.settings) {
        _ if *origin == Origin::Default => spec.default.to_owned(),
        Value::Integer(bytes) if spec.kind == Kind::Size => write_size(bytes),
        value => value.text().unwrap_or_default(),
    }
}

fn from(origin: &Origin, name: &str) -> String {
    match origin {
        Origin::CommandLine => format!("--{name}"),
        Origin::Environment { variable } => (*variable).to_owned(),
        Origin::Profile { profile, at } => format!("profile {profile}, {}", place(at)),
        Origin::File { at } => at.to_string(),
        Origin::Default => "default".to_owned(),
    }
}

fn described(known: &Known) -> String {
    let base = known.inherits.as_ref().map_or_else(String::new, |base| format!(", based on {base}"));
    format!("{} ({}{base})", known.name, place(&known.at))
}

fn place(at: &Option<At>) -> String {
    at.as_ref().map_or_else(|| "built in".to_owned(), At::to_string)
}
