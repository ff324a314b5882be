//! Options that `run`, `exec` and `config` share, built from the table in `launch`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches, ValueHint, value_parser};
use mpiscope_launch::Diagnosis;
use mpiscope_launch::options::{Kind, Settings, Spec, TABLE, User};
use mpiscope_launch::settings::{self, Choice, Resolved, Typed};

const HEADING: &str = "Recording";

#[derive(clap::Args)]
pub struct Recording {
    #[command(flatten)]
    values: Values<false>,

    /// Replace RUN if it is an existing run
    #[arg(long, help_heading = HEADING)]
    pub force: bool,

    /// Use the options of this profile, from mpiscope.toml or built in: light, full [env: MPISCOPE_PROFILE]
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    profile: Option<String>,

    /// Read options from FILE [env: MPISCOPE_CONFIG] [default: mpiscope.toml here or in a parent directory]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = HEADING)]
    config: Option<PathBuf>,

    /// Places in the program's code, as resolved by mpiscope run
    #[arg(long, hide = true, value_name = "TEXT")]
    places: Option<String>,

    /// Do not read mpiscope.toml
    #[arg(long, conflicts_with = "config", help_heading = HEADING)]
    no_config: bool,
}

/// Options of the table that `run` has and `exec` does not.
#[derive(clap::Args)]
pub struct Launching {
    #[command(flatten)]
    values: Values<true>,
}

/// Options of the table on the command line: those only of `run`, or all others.
struct Values<const OF_RUN: bool>(Vec<(&'static Spec, OsString)>);

impl Recording {
    /// The options in force for this command line, environment and directory.
    pub fn resolve(&self, launching: Option<&Launching>) -> Result<Resolved, Diagnosis> {
        let mut typed = self.typed();
        typed.values.extend(launching.iter().flat_map(|more| more.values.0.clone()));
        let here = std::env::current_dir().unwrap_or_default();
        let mut resolved = settings::resolve(&typed, &settings::own_environment, &here)?;
        resolved.settings.collector.places = self.places.clone().unwrap_or_default();
        Ok(resolved)
    }

    /// The options that `mpiscope run` put on the command line of `exec`. Environment and file are ignored: `run` has read
    /// them, perhaps on another node.
    pub fn given_by_run(&self) -> Result<Settings, Diagnosis> {
        let typed = Typed { config: Choice::None, ..self.typed() };
        let mut settings = settings::resolve(&typed, &|_| None, std::path::Path::new(""))?.settings;
        settings.collector.places = self.places.clone().unwrap_or_default();
        Ok(settings)
    }

    fn typed(&self) -> Typed {
        let config = match &self.config {
            _ if self.no_config => Choice::None,
            Some(file) => Choice::Given(file.clone()),
            None => Choice::Found,
        };
        Typed { values: self.values.0.clone(), profile: self.profile.clone(), config }
    }
}

/// Launcher and MPI for a command that has no other options of the table: from its command line, the environment and the file.
pub fn resolve_launching(launching: &Launching) -> Result<Settings, Diagnosis> {
    let typed = Typed { values: launching.values.0.clone(), profile: None, config: Choice::Found };
    let here = std::env::current_dir().unwrap_or_default();
    Ok(settings::resolve(&typed, &settings::own_environment, &here)?.settings)
}

impl<const OF_RUN: bool> Values<OF_RUN> {
    fn table() -> impl Iterator<Item = &'static Spec> {
        TABLE.iter().filter(|spec| (spec.user == User::Run) == OF_RUN)
    }
}

impl<const OF_RUN: bool> clap::Args for Values<OF_RUN> {
    fn augment_args(command: Command) -> Command {
        Self::table().fold(command, |command, spec| command.arg(argument(spec)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The environment is read together with the file, not by clap, so that an error names the variable.
fn argument(spec: &'static Spec) -> Arg {
    let help = format!("{} [env: {}] [default: {}]", spec.help, spec.variable, spec.default);
    let argument = Arg::new(spec.name).long(spec.name).value_name(spec.value_name).help(help);
    let argument = match spec.short {
        Some(short) => argument.short(short),
        None => argument,
    };
    let argument = match spec.user {
        User::Run => argument,
        _ => argument.help_heading(HEADING),
    };
    match spec.kind {
        // Without a value it is on.
        Kind::Choice(words) if spec.name == "guard" => argument
            .value_parser(PossibleValuesParser::new(words))
            .hide_possible_values(true)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on"),
        Kind::Switch if ["yield", "thread-races"].contains(&spec.name) => argument
            .value_parser(PossibleValuesParser::new(["on", "off"]))
            .hide_possible_values(true)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on"),
        Kind::Choice(words) => argument.value_parser(PossibleValuesParser::new(words)).hide_possible_values(true),
        Kind::Path => argument.value_parser(value_parser!(OsString)).value_hint(ValueHint::AnyPath),
        // Without a value it means everything.
        Kind::List if spec.name == "check" => argument
            .value_parser(value_parser!(OsString))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("all")
            .action(clap::ArgAction::Append),
        // A list of probes may begin with '-'.
        Kind::List => {
            argument.value_parser(value_parser!(OsString)).allow_hyphen_values(true).action(clap::ArgAction::Append)
        }
        _ => argument.value_parser(value_parser!(OsString)),
    }
}

impl<const OF_RUN: bool> FromArgMatches for Values<OF_RUN> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values = Self(Vec::new());
        values.update_from_arg_matches(matches)?;
        Ok(values)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let typed = Self::table().filter(|spec| matches.value_source(spec.name) == Some(ValueSource::CommandLine));
        let values = typed.filter_map(|spec| {
            let mut given = matches.get_raw(spec.name)?;
            // Repeated lists are joined.
            let value = match spec.kind {
                Kind::List => given.collect::<Vec<_>>().join(OsStr::new(",")),
                _ => given.next_back()?.to_owned(),
            };
            Some((spec, value))
        });
        self.0 = values.collect();
        Ok(())
    }
}
