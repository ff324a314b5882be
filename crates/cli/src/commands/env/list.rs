//! `mpiscope env list`: what the tables contain.

use std::fmt::Write;

use anyhow::Context;
use mpiscope_tune::{Family, entries, subjects};

use super::page::add;
use crate::failure::Failure;
use crate::say;

/// List the subjects, and the size of each table
#[derive(clap::Args)]
pub struct Args {}

pub fn main(_: &Args) -> Result<i32, Failure> {
    let mut text = String::from("Tables\n");
    for family in Family::ALL {
        let all = entries(family);
        let with_subject = all.iter().filter(|entry| entry.subject().is_some()).count();
        let _ = writeln!(
            text,
            "  {:<12} {:>4} variables, {with_subject} with a subject ({})",
            family.word(),
            all.len(),
            family.title()
        );
    }
    text.push_str("\nSubjects, for mpiscope env show\n");
    add(&mut text, "  ", &subjects().join(", "));
    say::result(&text).context("standard output")?;
    Ok(0)
}
