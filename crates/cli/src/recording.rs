//! Options that `run` and `exec` share: where the run goes and what the collector keeps.

use std::path::PathBuf;

use mpiscope_launch::options::{OnFull, OptionError, Options, Probes, RankSet, StackDepth, Start, Trace, parse_buffer};
use mpiscope_launch::program::Program;
use mpiscope_symbols::Place;

use crate::failure::Failure;
use crate::places;

#[derive(clap::Args)]
#[command(next_help_heading = "Recording")]
pub struct Recording {
    /// Directory of the run [default: PROGRAM.mpiscope]
    #[arg(short, long, value_name = "RUN", env = "MPISCOPE_OUT", hide_env_values = true)]
    pub output: Option<PathBuf>,

    /// Replace RUN if it exists and is a run
    #[arg(long)]
    pub force: bool,

    /// Memory for the events of a process
    #[arg(
        long, value_name = "SIZE", env = "MPISCOPE_BUFFER", hide_env_values = true,
        default_value = "16M", value_parser = parse_buffer
    )]
    buffer: u64,

    /// When that memory is full: keep the newest events, take more, keep the oldest
    #[arg(
        long,
        value_name = "wrap|grow|stop",
        env = "MPISCOPE_ON_FULL",
        hide_env_values = true,
        default_value = "wrap"
    )]
    on_full: OnFull,

    /// Functions to record, by group or name: mpi_coll,mpi_pt2pt or -mpi_time or none,MPI_Send
    #[arg(
        long, value_name = "LIST", env = "MPISCOPE_PROBES", hide_env_values = true,
        default_value = "all", allow_hyphen_values = true, value_parser = probes
    )]
    probes: Probes,

    /// Ranks to record, such as 0,7-11 [default: all]
    #[arg(long, value_name = "LIST", env = "MPISCOPE_RANKS", hide_env_values = true)]
    ranks: Option<RankSet>,

    /// Frames of the call stack kept for a call, 0 to 64; 0 keeps the caller alone
    #[arg(long, value_name = "DEPTH", env = "MPISCOPE_STACK", hide_env_values = true, default_value = "0")]
    stack: StackDepth,

    /// Keep events beside the summary
    #[arg(long, value_name = "on|off", env = "MPISCOPE_TRACE", hide_env_values = true, default_value = "on")]
    trace: Trace,

    /// Keep events from the start on, or from MPI_Pcontrol(1) or --on on [default: paused with --on, else running]
    #[arg(long, value_name = "running|paused", env = "MPISCOPE_START", hide_env_values = true)]
    start: Option<Start>,

    /// Go on recording where control reaches function:NAME or FILE:LINE; may be repeated
    #[arg(long, value_name = "PLACE", env = "MPISCOPE_ON", hide_env_values = true, value_delimiter = ',')]
    on: Vec<Place>,

    /// Pause recording there; may be repeated
    #[arg(long, value_name = "PLACE", env = "MPISCOPE_OFF", hide_env_values = true, value_delimiter = ',')]
    off: Vec<Place>,

    /// Places that mpiscope run has found
    #[arg(long, hide = true, value_name = "TEXT")]
    places: Option<String>,

    /// Directory for live buffers [default: shared memory if there is room, else RUN]
    #[arg(long, value_name = "DIR", env = "MPISCOPE_SPOOL", hide_env_values = true)]
    pub spool: Option<PathBuf>,
}

fn probes(text: &str) -> Result<Probes, OptionError> {
    Probes::parse(text)
}

impl Recording {
    /// Everything, with the places found in the program.
    pub fn options_for(&self, program: &Program) -> Result<Options, Failure> {
        let places = match &self.places {
            Some(places) => places.clone(),
            None => places::find(program, &self.on, &self.off, self.start.is_none())?,
        };
        Ok(Options { places, ..self.options() })
    }

    fn options(&self) -> Options {
        Options {
            buffer_bytes: self.buffer,
            on_full: self.on_full,
            probes: self.probes.clone(),
            ranks: self.ranks.clone(),
            stack: self.stack,
            trace: self.trace,
            start: self.start.unwrap_or_default(),
            places: String::new(),
        }
    }
}
