//! Findings as text.

use mpiscope_judge::{Confidence, Severity};
use mpiscope_query::{CheckCall, CheckFinding, CheckLine};

use super::findings::who;
use crate::sources::shown;
use crate::wrap::wrap;

/// Line width while a program is checked.
pub const WIDTH: usize = 80;
const INDENT: &str = "  ";

/// The lines of a finding.
pub fn finding_text(finding: &CheckFinding, width: usize) -> String {
    let what = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    };
    let sure = if finding.confidence == Confidence::Possible { "possible " } else { "" };
    let mut out = format!("{sure}{what} {}: {}\n", finding.id, finding.title);
    fill(&mut out, &finding.text, width);
    for call in &finding.parties {
        out += &self::call(call);
    }
    if finding.more > 0 {
        out += &format!("  and {} more\n", finding.more);
    }
    fill(&mut out, &format!("fix: {} (MPI-5.0 §{})", finding.advice, finding.section), width);
    out
}

/// A paragraph, each line indented.
fn fill(out: &mut String, text: &str, width: usize) {
    for line in wrap(text, width.saturating_sub(INDENT.len())) {
        *out += &format!("{INDENT}{line}\n");
    }
}

fn call(call: &CheckCall) -> String {
    let mut out = format!("  {}: {}", who(call), call.function.as_deref().unwrap_or("the process"));
    if let Some(number) = call.argument {
        let name = call.argument_name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        out += &format!(", argument {}{name}", u32::from(number) + 1);
    }
    if !call.role.is_empty() {
        out += &format!(", {}", call.role);
    }
    let mut stack = call.stack.iter();
    if let Some(first) = stack.next() {
        out += &format!(", {}", place(first));
    }
    out.push('\n');
    for line in stack.take_while(|line| !is_start(line)) {
        out += &format!("      called {}\n", place(line));
    }
    out
}

/// Callers of `main` are not shown.
fn is_start(line: &CheckLine) -> bool {
    let function = line.function.split('+').next().unwrap_or_default();
    function.starts_with("__libc_start") || function.starts_with("libc.so") || function == "_start"
}

fn place(line: &CheckLine) -> String {
    match (&line.file, line.line) {
        (Some(file), Some(number)) if number > 0 => format!("at {}:{number} in {}", shown(file), line.function),
        (Some(file), _) => format!("at {} in {}", shown(file), line.function),
        _ => format!("in {}", line.function),
    }
}
