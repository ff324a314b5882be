//! The collector's options: parsed once, passed on as text.

mod nearest;
mod probes;
mod ranks;
mod size;
mod table;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use nearest::nearest;
pub use probes::Probes;
pub use ranks::RankSet;
pub use size::{format_size, parse_size, write_size};
pub use table::{ClockRounds, Kind, Settings, Spec, TABLE, User, Value};

/// Minimum size of a ring, so that it holds more than its own headers.
pub const MIN_BUFFER_BYTES: u64 = 1 << 20;
/// Room for two million calls of 8 bytes.
pub const DEFAULT_BUFFER_BYTES: u64 = 16 << 20;
/// Maximum number of frames recorded for a call.
pub const MAX_STACK: u8 = 64;

/// An option with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum OptionError {
    #[error("invalid size '{given}': write a number, with K, M, G or T if needed, such as 16M")]
    Size { given: String },
    #[error("a buffer of {given} is too small: the minimum is 1M")]
    BufferTooSmall { given: String },
    #[error("'{given}' is not one of {choices}")]
    Choice { given: String, choices: &'static str },
    #[error("invalid list of ranks '{given}': write numbers and ranges, such as 0,7-11")]
    Ranks { given: String },
    #[error("invalid stack depth '{given}': write a number from 0 to 64")]
    Stack { given: String },
    #[error("unknown probe group or function '{given}'{}", and_nearest(.nearest))]
    UnknownProbe { given: String, nearest: Option<String> },
    #[error("invalid list of probes '{given}': write names separated by commas, each with an optional + or -")]
    Probes { given: String },
    #[error("invalid number of seconds '{given}': write a number from 0 to 65535")]
    Seconds { given: String },
    #[error("'{given}' is not valid UTF-8")]
    NotText { given: String },
    #[error("the value is empty")]
    Empty,
}

fn and_nearest(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; the nearest name is '{name}'")).unwrap_or_default()
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal),+ }, $all:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$inner])* $variant),+ }
        impl $name {
            /// The words of the variants, in their order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The word on the command line and in `run.json`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
        impl FromStr for $name {
            type Err = OptionError;
            fn from_str(text: &str) -> Result<Self, OptionError> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(OptionError::Choice { given: text.into(), choices: $all }),
                }
            }
        }
    };
}

choice!(
    /// What happens when the ring is full.
    OnFull {
        /// Keep the newest events.
        #[default]
        Wrap = "wrap",
        /// Enlarge the ring.
        Grow = "grow",
        /// Keep the oldest events.
        Stop = "stop"
    },
    "wrap, grow, stop"
);
choice!(
    /// Whether events are recorded in addition to the summary.
    Trace {
        /// Events, with time and arguments of each call.
        #[default]
        On = "on",
        /// Only counts and times of each function and call site.
        Off = "off"
    },
    "on, off"
);
choice!(
    /// Whether accesses to a buffer in flight are detected, with the instruction.
    Guard {
        /// For every operation, by page protection and watchpoints.
        On = "on",
        /// For the first operations of each call site, by watchpoints.
        #[default]
        First = "first",
        /// Never.
        Off = "off"
    },
    "on, first, off"
);
choice!(
    /// Whether the compiler's runtime detects data races between threads while calls are checked.
    ThreadRaces {
        /// The program is instrumented, so its own runtime stays and mpiscope's does not replace it.
        On = "on",
        /// It does not.
        #[default]
        Off = "off"
    },
    "on, off"
);
choice!(
    /// Whether the call sites of a Python program are lines of Python.
    PythonSites {
        /// If the frames of this Python can be read safely.
        #[default]
        Auto = "auto",
        /// The same, with a message on stderr if they cannot.
        On = "on",
        /// Call sites are in the interpreter.
        Off = "off"
    },
    "auto, on, off"
);
choice!(
    /// Whether recording is on from the beginning.
    Start {
        /// From the first call on.
        #[default]
        Running = "running",
        /// Off until recording is resumed.
        Paused = "paused"
    },
    "running, paused"
);

choice!(
    /// Whether the MPI's waiting calls yield their core.
    Yield {
        /// Yes, so that other ranks can use it.
        On = "on",
        /// No, they poll as the MPI does by default.
        #[default]
        Off = "off"
    },
    "on, off"
);

choice!(
    /// The signal that makes `exec` pause and resume recording.
    ToggleSignal {
        /// None: every signal is forwarded to the program.
        #[default]
        None = "none",
        /// SIGUSR1.
        Usr1 = "USR1",
        /// SIGUSR2.
        Usr2 = "USR2"
    },
    "none, USR1, USR2"
);

impl ToggleSignal {
    /// The signal's number.
    pub fn number(self) -> Option<i32> {
        match self {
            Self::None => None,
            Self::Usr1 => Some(libc::SIGUSR1),
            Self::Usr2 => Some(libc::SIGUSR2),
        }
    }
}

/// Frames recorded for a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackDepth(pub u8);

impl FromStr for StackDepth {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let depth = text.parse().ok().filter(|depth| *depth <= MAX_STACK);
        depth.map(Self).ok_or_else(|| OptionError::Stack { given: text.into() })
    }
}

/// Classes and rules to check, separated by commas. The reporting command validates the names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check(String);

impl Default for Check {
    fn default() -> Self {
        Self("none".into())
    }
}

impl Check {
    /// Whether calls are not checked.
    pub fn is_none(&self) -> bool {
        self.0 == "none"
    }
    /// The list.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Check {
    type Err = OptionError;
    fn from_str(text: &str) -> Result<Self, OptionError> {
        if text.trim().is_empty() { Err(OptionError::Empty) } else { Ok(Self(text.trim().to_owned())) }
    }
}

/// Parses the size of the ring in bytes.
///
/// # Errors
///
/// If it is not a size ([`parse_size`]) or is less than [`MIN_BUFFER_BYTES`].
pub fn parse_buffer(text: &str) -> Result<u64, OptionError> {
    let bytes = parse_size(text)?;
    if bytes < MIN_BUFFER_BYTES {
        return Err(OptionError::BufferTooSmall { given: text.into() });
    }
    Ok(bytes)
}

/// Default of [`Options::check_bytes`].
const DEFAULT_CHECK_BYTES: u64 = 64 << 20;

fn default_check_bytes() -> u64 {
    DEFAULT_CHECK_BYTES
}

/// The options of the collector; serialized into `run.json`. [`TABLE`] defines how each is named, read and passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Size of a process's ring of events.
    pub buffer_bytes: u64,
    /// `--on-full`.
    pub on_full: OnFull,
    /// `--probes`.
    pub probes: Probes,
    /// `--ranks`: the recorded ranks; `None` records all.
    pub ranks: Option<RankSet>,
    /// `--stack`.
    pub stack: StackDepth,
    /// `--python-sites`; older runs have none.
    #[serde(default)]
    pub python_sites: PythonSites,
    /// `--trace`.
    pub trace: Trace,
    /// `--start`.
    pub start: Start,
    /// `--check`; older runs have none.
    #[serde(default)]
    pub check: Check,
    /// `--check-bytes`.
    #[serde(default = "default_check_bytes")]
    pub check_bytes: u64,
    /// `--guard`; older runs have none.
    #[serde(default)]
    pub guard: Guard,
    /// `--thread-races`; older runs have none.
    #[serde(default)]
    pub thread_races: ThreadRaces,
    /// The resolved places of `--on` and `--off`, as the collector reads them. Empty without these options.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub places: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_bytes: DEFAULT_BUFFER_BYTES,
            on_full: OnFull::default(),
            probes: Probes::default(),
            ranks: None,
            stack: StackDepth::default(),
            python_sites: PythonSites::default(),
            trace: Trace::default(),
            start: Start::default(),
            check: Check::default(),
            check_bytes: DEFAULT_CHECK_BYTES,
            guard: Guard::default(),
            thread_races: ThreadRaces::default(),
            places: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_and_depths_are_checked() {
        assert_eq!("grow".parse(), Ok(OnFull::Grow));
        let error = "often".parse::<OnFull>().unwrap_err();
        assert_eq!(error.to_string(), "'often' is not one of wrap, grow, stop");
        assert_eq!("64".parse(), Ok(StackDepth(64)));
        assert!("65".parse::<StackDepth>().is_err());
        assert!("-1".parse::<StackDepth>().is_err());
    }

    #[test]
    fn a_buffer_has_a_least_size() {
        assert_eq!(parse_buffer("1M"), Ok(1 << 20));
        assert_eq!(parse_buffer("512K").unwrap_err().to_string(), "a buffer of 512K is too small: the minimum is 1M");
    }
}
