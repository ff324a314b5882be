//! `mpiscope relay`: sends the events of this host's ranks to the host where the checker runs.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::checking::hosts::relay::{self, RelayConfig};
use crate::failure::Failure;

/// Send the events of this host's ranks to the checker on another host
#[derive(clap::Args)]
pub struct Args {
    /// The run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Its id
    #[arg(long, value_name = "ID")]
    run_id: String,

    /// Where its live buffers are
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let plan = RelayConfig::new(&args.run, &args.run_id, args.spool.as_deref());
    relay::work(plan).with_context(|| format!("cannot send events from {}", mpiscope_launch::host::name()))?;
    Ok(0)
}

/// Starts the relay as a detached process, so that whatever starts the ranks neither waits for it nor ends it.
pub fn start(run: &Path, run_id: &str, spool: Option<&Path>) -> io::Result<()> {
    let mut command = Command::new(std::fs::read_link("/proc/self/exe")?);
    command.arg("relay").arg(run).arg("--run-id").arg(run_id).current_dir("/");
    if let Some(spool) = spool {
        command.arg("--spool").arg(std::path::absolute(spool)?);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: signal-safe calls only; the child has one thread.
    unsafe {
        command.pre_exec(|| {
            // Launchers wait until the pipes and sockets that they gave to ranks are closed.
            libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
            libc::setsid();
            // The second fork reparents it, so that no process here has to wait for it.
            match libc::fork() {
                0 => Ok(()),
                -1 => Err(io::Error::last_os_error()),
                _ => libc::_exit(0),
            }
        })
    };
    command.spawn()?.wait().map(|_| ())
}
