//! One module for each command: its arguments, and `main(args) -> Result<exit code, Failure>`.

pub mod config;
pub mod doctor;
pub mod exec;
pub mod report;
pub mod run;
