//! Every option of a recording, defined once. The command line, the environment, `mpiscope.toml`, the collector's
//! variables, the arguments of `exec` and `mpiscope config` are all derived from this table.

use std::ffi::OsStr;
use std::path::PathBuf;

use serde::Serialize;

use super::{
    Guard, OnFull, OptionError, Options, Probes, PythonSites, Start, ToggleSignal, Yield, parse_buffer, parse_size,
};
use crate::env;

/// The value of every option, for the collector and for mpiscope itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the collector reads, and `run.json` contains.
    pub collector: Options,
    /// The run's directory; `None` names it after the program.
    pub output: Option<PathBuf>,
    /// The directory of live buffers; `None` selects one, see [`crate::spool`].
    pub spool: Option<PathBuf>,
    /// The launcher's command line; `None` searches the one that matches the MPI.
    pub launcher: Option<String>,
    /// The MPI library; `None` takes the one that the program loads.
    pub mpi: Option<PathBuf>,
    /// Places in the program's code where recording resumes.
    pub on: Vec<String>,
    /// Places in the program's code where recording pauses.
    pub off: Vec<String>,
    /// `--clock-rounds`.
    pub clock_rounds: ClockRounds,
    /// `--signal`.
    pub signal: ToggleSignal,
    /// Whether waiting calls of the MPI yield their core.
    pub give_way: Yield,
}

/// Seconds between rounds that compare the clocks of hosts; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRounds(pub u16);

impl Default for ClockRounds {
    /// Clocks of nodes drift by a few parts per million. The constant part is interpolated; the rest is, in 10 s, less
    /// than the latency of a message.
    fn default() -> Self {
        Self(10)
    }
}

/// An option.
#[derive(Debug)]
pub struct Spec {
    /// The name: with `--` on the command line, as it is in the file.
    pub name: &'static str,
    /// With one `-`, if it has a short form.
    pub short: Option<char>,
    /// The environment variable.
    pub variable: &'static str,
    /// The placeholder in help.
    pub value_name: &'static str,
    /// Its help in one sentence.
    pub help: &'static str,
    /// The default as help shows it; its value is in `Settings::default()`.
    pub default: &'static str,
    /// The form of its value.
    pub kind: Kind,
    /// Which component uses it.
    pub user: User,
    set: fn(&mut Settings, &OsStr) -> Result<(), OptionError>,
    get: fn(&Settings) -> Value,
}

/// The form of a value, for the types of a file and the completions of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `16M`, or bytes.
    Size,
    /// A number without a unit.
    Count,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `on` or `off`.
    Switch,
    /// Words or numbers, separated by commas.
    List,
    /// A path; in a file, relative to that file.
    Path,
    /// Any text.
    Text,
}

/// The component that uses an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// The collector: `run` passes it to `exec`, which passes it on in the environment.
    Collector,
    /// `exec`: `run` passes it on the command line.
    Exec,
    /// The command that creates the run; under `run`, the ranks get the run's path.
    Maker,
    /// Only `run`.
    Run,
}

/// A value, for JSON and text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, such as bytes or seconds.
    Integer(u64),
    /// Any other value, as it is written.
    Text(String),
    /// The option has no value: `null` in JSON.
    Unset,
}

impl Value {
    /// The text that the collector and `exec` read.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Integer(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Unset => None,
        }
    }

    fn of<T: ToString>(value: Option<T>) -> Self {
        value.map_or(Self::Unset, |value| Self::Text(value.to_string()))
    }

    fn path(value: &Option<PathBuf>) -> Self {
        Self::of(value.as_ref().map(|path| path.display()))
    }
}

/// All options, in the order of the help.
pub static TABLE: &[Spec] = &[
    Spec {
        name: "output",
        short: Some('o'),
        variable: env::OUT,
        value_name: "RUN",
        help: "Directory of the run",
        default: "PROGRAM.mpiscope",
        kind: Kind::Path,
        user: User::Maker,
        set: |to, value| path(value).map(|path| to.output = Some(path)),
        get: |from| Value::path(&from.output),
    },
    Spec {
        name: "buffer",
        short: None,
        variable: env::BUFFER,
        value_name: "SIZE",
        help: "Buffer for the events of a process",
        default: "16M",
        kind: Kind::Size,
        user: User::Collector,
        set: |to, value| parse_buffer(text(value)?).map(|bytes| to.collector.buffer_bytes = bytes),
        get: |from| Value::Integer(from.collector.buffer_bytes),
    },
    Spec {
        name: "on-full",
        short: None,
        variable: env::ON_FULL,
        value_name: "wrap|grow|stop",
        help: "When the buffer is full: keep the newest events, grow the buffer, or keep the oldest events",
        default: "wrap",
        kind: Kind::Choice(OnFull::NAMES),
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|choice| to.collector.on_full = choice),
        get: |from| Value::of(Some(from.collector.on_full.as_str())),
    },
    Spec {
        name: "probes",
        short: None,
        variable: env::PROBES,
        value_name: "LIST",
        help: "Functions to record, by group or name: mpi_coll,mpi_pt2pt or -mpi_time or none,MPI_Send",
        default: "all",
        kind: Kind::List,
        user: User::Collector,
        set: |to, value| Probes::parse(text(value)?).map(|probes| to.collector.probes = probes),
        get: |from| Value::of(Some(from.collector.probes.as_str())),
    },
    Spec {
        name: "ranks",
        short: None,
        variable: env::RANKS,
        value_name: "LIST",
        help: "Ranks to record, such as 0,7-11",
        default: "all",
        kind: Kind::List,
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|ranks| to.collector.ranks = Some(ranks)),
        get: |from| Value::of(from.collector.ranks.as_ref().map(|ranks| ranks.as_str())),
    },
    Spec {
        name: "stack",
        short: None,
        variable: env::STACK,
        value_name: "DEPTH",
        help: "Frames of the call stack to record for each call, 0 to 64; 0 records only the caller",
        default: "0",
        kind: Kind::Count,
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|depth| to.collector.stack = depth),
        get: |from| Value::Integer(from.collector.stack.0.into()),
    },
    Spec {
        name: "python-sites",
        short: None,
        variable: env::PYTHON_SITES,
        value_name: "auto|on|off",
        help: "Use the line of Python code as the call site where the interpreter's frames can be read safely",
        default: "auto",
        kind: Kind::Choice(PythonSites::NAMES),
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|choice| to.collector.python_sites = choice),
        get: |from| Value::of(Some(from.collector.python_sites.as_str())),
    },
    Spec {
        name: "trace",
        short: None,
        variable: env::TRACE,
        value_name: "on|off",
        help: "Record events in addition to the summary",
        default: "on",
        kind: Kind::Switch,
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|trace| to.collector.trace = trace),
        get: |from| Value::of(Some(from.collector.trace.as_str())),
    },
    Spec {
        name: "start",
        short: None,
        variable: env::START,
        value_name: "running|paused",
        help: "Record events from the start, or only after MPI_Pcontrol(1)",
        default: "running",
        kind: Kind::Choice(Start::NAMES),
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|start| to.collector.start = start),
        get: |from| Value::of(Some(from.collector.start.as_str())),
    },
    Spec {
        name: "check",
        short: None,
        variable: env::CHECK,
        value_name: "LIST",
        help: "Check the use of MPI while the program runs: all, none, or classes and rules of mpiscope check",
        default: "none",
        kind: Kind::List,
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|check| to.collector.check = check),
        get: |from| Value::of(Some(from.collector.check.as_str())),
    },
    Spec {
        name: "check-bytes",
        short: None,
        variable: env::CHECK_BYTES,
        value_name: "SIZE",
        help: "Bytes to check of each buffer in flight; 0 checks only whether buffers overlap",
        default: "64M",
        kind: Kind::Size,
        user: User::Collector,
        set: |to, value| parse_size(text(value)?).map(|bytes| to.collector.check_bytes = bytes),
        get: |from| Value::Integer(from.collector.check_bytes),
    },
    Spec {
        name: "guard",
        short: None,
        variable: env::GUARD,
        value_name: "on|first|off",
        help: "With checks, catch the instruction that accesses a buffer in flight: by page protection and watchpoints (on), or by \
               watchpoints for the first operations of each call site (first)",
        default: "first",
        kind: Kind::Choice(Guard::NAMES),
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|guard| to.collector.guard = guard),
        get: |from| Value::of(Some(from.collector.guard.as_str())),
    },
    Spec {
        name: "thread-races",
        short: None,
        variable: env::THREAD_RACES,
        value_name: "on|off",
        help: "With checks, detect data races between threads, and between threads and MPI, in programs compiled with \
               -fsanitize=thread; the compiler's runtime then runs",
        default: "off",
        kind: Kind::Switch,
        user: User::Collector,
        set: |to, value| text(value)?.parse().map(|choice| to.collector.thread_races = choice),
        get: |from| Value::of(Some(from.collector.thread_races.as_str())),
    },
    Spec {
        name: "on",
        short: None,
        variable: env::ON,
        value_name: "PLACE",
        help: "Start paused, and resume recording where control reaches function:NAME or FILE:LINE; may be repeated",
        default: "none",
        kind: Kind::List,
        user: User::Maker,
        set: |to, value| places(value).map(|places| to.on = places),
        get: |from| Value::of((!from.on.is_empty()).then(|| from.on.join(","))),
    },
    Spec {
        name: "off",
        short: None,
        variable: env::OFF,
        value_name: "PLACE",
        help: "Pause recording where control reaches function:NAME or FILE:LINE; may be repeated",
        default: "none",
        kind: Kind::List,
        user: User::Maker,
        set: |to, value| places(value).map(|places| to.off = places),
        get: |from| Value::of((!from.off.is_empty()).then(|| from.off.join(","))),
    },
    Spec {
        name: "spool",
        short: None,
        variable: env::SPOOL,
        value_name: "DIR",
        help: "Directory for event buffers while the program runs",
        default: "shared memory if it has enough space, otherwise RUN",
        kind: Kind::Path,
        user: User::Exec,
        set: |to, value| path(value).map(|path| to.spool = Some(path)),
        get: |from| Value::path(&from.spool),
    },
    Spec {
        name: "clock-rounds",
        short: None,
        variable: env::CLOCK_ROUNDS,
        value_name: "SECONDS",
        help: "Interval between comparisons of the clocks of a job's hosts; 0: none",
        default: "10",
        kind: Kind::Count,
        user: User::Exec,
        set: |to, value| seconds(text(value)?).map(|seconds| to.clock_rounds = ClockRounds(seconds)),
        get: |from| Value::Integer(from.clock_rounds.0.into()),
    },
    Spec {
        name: "signal",
        short: None,
        variable: env::SIGNAL,
        value_name: "none|USR1|USR2",
        help: "Signal that alternately pauses and resumes recording; the program then ignores it",
        default: "none",
        kind: Kind::Choice(ToggleSignal::NAMES),
        user: User::Exec,
        set: |to, value| text(value)?.parse().map(|signal| to.signal = signal),
        get: |from| Value::of(Some(from.signal.as_str())),
    },
    Spec {
        name: "yield",
        short: None,
        variable: env::YIELD,
        value_name: "on|off",
        help: "Make polling MPI libraries yield the core in waiting calls, for more ranks than cores (MPICH over UCX, Open MPI)",
        default: "off",
        kind: Kind::Switch,
        user: User::Exec,
        set: |to, value| text(value)?.parse().map(|choice| to.give_way = choice),
        get: |from| Value::of(Some(from.give_way.as_str())),
    },
    Spec {
        name: "launcher",
        short: None,
        variable: env::LAUNCHER,
        value_name: "COMMAND",
        help: "Launcher to use, such as \"srun --mpi=pmix\"",
        default: "launcher of the program's MPI",
        kind: Kind::Text,
        user: User::Run,
        set: |to, value| text(value).map(|text| to.launcher = Some(text.to_owned())),
        get: |from| Value::of(from.launcher.as_ref()),
    },
    Spec {
        name: "mpi",
        short: None,
        variable: env::MPI,
        value_name: "LIBRARY",
        help: "MPI library of the program, if the program loads it only at run time",
        default: "found in the program",
        kind: Kind::Path,
        user: User::Run,
        set: |to, value| path(value).map(|path| to.mpi = Some(path)),
        get: |from| Value::path(&from.mpi),
    },
];

fn text(value: &OsStr) -> Result<&str, OptionError> {
    value.to_str().ok_or_else(|| OptionError::NotText { given: value.to_string_lossy().into() })
}

fn path(value: &OsStr) -> Result<PathBuf, OptionError> {
    if value.is_empty() { Err(OptionError::Empty) } else { Ok(value.into()) }
}

fn seconds(text: &str) -> Result<u16, OptionError> {
    text.parse().map_err(|_| OptionError::Seconds { given: text.into() })
}

/// `none`, or places separated by commas.
fn places(value: &OsStr) -> Result<Vec<String>, OptionError> {
    match text(value)? {
        "" => Err(OptionError::Empty),
        "none" => Ok(Vec::new()),
        list => Ok(list.split(',').map(str::to_owned).collect()),
    }
}

impl Spec {
    /// Checks a value and takes it.
    ///
    /// # Errors
    ///
    /// If the value is invalid for this option; the settings are unchanged then.
    pub fn set(&self, settings: &mut Settings, value: &OsStr) -> Result<(), OptionError> {
        (self.set)(settings, value)
    }

    /// The option's value in `settings`.
    pub fn get(&self, settings: &Settings) -> Value {
        (self.get)(settings)
    }

    /// The option with this long name, without `--`.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|spec| spec.name == name)
    }
}

impl Settings {
    /// Variables for the collector.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let passed = TABLE.iter().filter(|spec| spec.user == User::Collector);
        let passed = passed.filter_map(|spec| Some((spec.variable, spec.get(self).text()?)));
        passed.chain(self.places().map(|places| (env::PLACES, places.to_owned()))).collect()
    }

    /// Arguments for `mpiscope exec`. A launcher passes a command line to every node, but not always the environment, and
    /// the configuration file may not exist there. So every option is passed, also defaults.
    pub fn arguments(&self) -> Vec<String> {
        let passed = TABLE.iter().filter(|spec| matches!(spec.user, User::Collector | User::Exec));
        // With '=' because a list of probes may begin with '-'.
        let passed = passed.filter_map(|spec| Some(format!("--{}={}", spec.name, spec.get(self).text()?)));
        passed.chain(self.places().map(|places| format!("--places={places}"))).collect()
    }

    /// The resolved places of `--on` and `--off`.
    fn places(&self) -> Option<&str> {
        Some(self.collector.places.as_str()).filter(|places| !places.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Guard, StackDepth, ThreadRaces, Trace};

    #[test]
    fn options_are_carried() {
        let settings = Settings {
            collector: Options {
                buffer_bytes: 1 << 30,
                on_full: OnFull::Stop,
                probes: Probes::parse("-mpi_time").unwrap(),
                ranks: Some("0,7-11".parse().unwrap()),
                stack: StackDepth(4),
                python_sites: PythonSites::Off,
                trace: Trace::Off,
                start: Start::Paused,
                check: "arguments".parse().unwrap(),
                check_bytes: 1 << 20,
                guard: Guard::On,
                thread_races: ThreadRaces::On,
                places: String::new(),
            },
            spool: Some("/s".into()),
            launcher: Some("srun".into()),
            ..Settings::default()
        };
        let said = settings.arguments().join(" ");
        assert_eq!(
            said,
            "--buffer=1073741824 --on-full=stop --probes=-mpi_time --ranks=0,7-11 --stack=4 \
             --python-sites=off --trace=off --start=paused --check=arguments --check-bytes=1048576 --guard=on --thread-races=on --spool=/s --clock-rounds=10 --signal=none --yield=off"
        );
        let set = settings.variables();
        assert!(set.contains(&(env::RANKS, "0,7-11".into())));
        assert!(set.contains(&(env::BUFFER, "1073741824".into())));
        assert_eq!(set.len(), 12, "{set:?}");
        // Reading the arguments gives the same settings.
        let mut again = Settings { launcher: Some("srun".into()), ..Settings::default() };
        for word in settings.arguments() {
            let (name, value) = word[2..].split_once('=').unwrap();
            Spec::named(name).unwrap().set(&mut again, value.as_ref()).unwrap();
        }
        assert_eq!(again, settings);
    }

    #[test]
    fn defaults_are_those_that_help_shows() {
        for spec in TABLE {
            let mut settings = Settings::default();
            let is_value = match spec.kind {
                Kind::Path | Kind::Text => false,
                _ => spec.name != "ranks",
            };
            if is_value {
                spec.set(&mut settings, spec.default.as_ref()).unwrap();
                assert_eq!(settings, Settings::default(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn every_option_is_documented() {
        let (variables, file) =
            (include_str!("../../../../docs/environment.md"), include_str!("../../../../docs/configuration.md"));
        for spec in TABLE {
            let row = format!("| `{}` | ", spec.variable);
            let row = variables.lines().find(|line| line.starts_with(&row));
            assert!(row.is_some_and(|row| row.contains(&format!("`--{}`", spec.name))), "{}", spec.variable);
            assert!(file.contains(&format!("`{}`", spec.name)), "{} in docs/configuration.md", spec.name);
        }
    }

    #[test]
    fn names_and_variables_differ() {
        for (index, spec) in TABLE.iter().enumerate() {
            for other in &TABLE[..index] {
                assert!(spec.name != other.name && spec.variable != other.variable, "{}", spec.name);
            }
            assert!(!spec.name.contains('_') && spec.variable.starts_with("MPISCOPE_"), "{}", spec.name);
        }
    }

    #[test]
    fn choices_are_those_that_the_value_accepts() {
        for spec in TABLE {
            let words = match spec.kind {
                Kind::Choice(words) => words,
                Kind::Switch => Trace::NAMES,
                _ => continue,
            };
            assert_eq!(words.join("|"), spec.value_name);
            for word in words {
                spec.set(&mut Settings::default(), word.as_ref()).unwrap();
            }
        }
    }
}
