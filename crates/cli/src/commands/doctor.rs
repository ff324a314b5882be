//! `mpiscope doctor`: what this machine and this MPI allow, and what will be missed.

use crate::failure::Failure;

/// Say what this machine and a program's MPI allow, and what will be missed
#[derive(clap::Args)]
pub struct Args {
    /// Print the facts as JSON (schemas/doctor.schema.json)
    #[arg(long)]
    json: bool,

    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<String>,
}

pub fn main(args: Args) -> Result<i32, Failure> {
    let _ = (args.json, args.program);
    Ok(0)
}
