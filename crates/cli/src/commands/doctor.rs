//! `mpiscope doctor`: reports what this machine and an MPI support, and what cannot be recorded.

use anyhow::Context;
use mpiscope_launch::doctor::{self, Check, Mark, Report};

use crate::failure::Failure;
use crate::say;

/// Report what this machine and a program's MPI support, and what cannot be recorded
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 no failures (warnings are possible), 1 failures")]
pub struct Args {
    /// Print the facts as JSON (schemas/doctor.schema.json)
    #[arg(long)]
    json: bool,

    /// The program; its arguments are ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM", value_hint = clap::ValueHint::CommandWithArguments)]
    program: Vec<String>,
}

/// A line is never wider, unless a path is.
const WIDTH: usize = 80;
/// Mark, space, name, space.
const INDENT: usize = 5 + 14;

pub fn main(args: Args) -> Result<i32, Failure> {
    let report = doctor::examine(args.program.first().map(String::as_str), &known_functions());
    let text = match args.json {
        true => serde_json::to_string_pretty(&report).context("facts as JSON")? + "\n",
        false => page(&report),
    };
    say::result(&text).context("standard output")?;
    Ok(i32::from(report.worst() == Mark::Fail))
}

fn page(report: &Report) -> String {
    let mut text = String::new();
    let mut last = "";
    for check in &report.checks {
        let name = if check.id == last { "" } else { check.id };
        last = check.id;
        add(&mut text, check, name);
    }
    text
}

fn add(text: &mut String, check: &Check, name: &str) {
    let mark = match check.mark {
        Mark::Ok => "OK",
        Mark::Warn => "WARN",
        Mark::Fail => "FAIL",
    };
    // "unknown-functions" is longer than its column.
    let name = name.strip_prefix("program-").unwrap_or(name);
    let name: String = name.chars().take(INDENT - 6).collect();
    let mut line = format!("{mark:<4} {name:<width$} ", width = INDENT - 6);
    for part in wrap(&check.text, WIDTH - INDENT) {
        line.push_str(&part);
        text.push_str(line.trim_end());
        text.push('\n');
        line = " ".repeat(INDENT);
    }
    // A command is not wrapped, so that it can be copied.
    if let Some(advice) = &check.advice {
        text.push_str(&format!("     try: {advice}\n"));
    }
}

/// Breaks at spaces; a word that is longer than a line gets its own line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Names of every function the collector can record.
fn known_functions() -> Vec<&'static str> {
    mpiscope_abi::ids().map(mpiscope_abi::name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_at_spaces() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("abcdefgh x", 4), ["abcdefgh", "x"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn the_page_is_no_wider_than_a_terminal() {
        let report = doctor::examine(Some("ls"), &known_functions());
        for line in page(&report).lines() {
            let whole = line.starts_with("     try: ") || line.split(' ').any(|word| word.len() > WIDTH - INDENT);
            assert!(line.chars().count() <= WIDTH || whole, "{line}");
        }
    }
}
