//! One module per command: its arguments, and `main(args) -> Result<exit code, Failure>`.

pub mod bench;
pub mod check;
pub mod completions;
pub mod config;
pub mod ctl;
pub mod diff;
pub mod doctor;
pub mod env;
pub mod exec;
pub mod explain;
pub mod gather;
pub mod man;
pub mod place;
pub mod predict;
pub mod relay;
pub mod report;
pub mod run;
pub mod store;
pub mod tune;
pub mod view;
