//! A finding as text for people.

use mpiscope_judge::{Confidence, Severity};

use super::findings::{Call, Line, Told};

/// The lines of a finding.
pub fn of(finding: &Told) -> String {
    let what = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    };
    let sure = if finding.confidence == Confidence::Possible { "possible " } else { "" };
    let mut out = format!("{sure}{what} {}: {}\n", finding.id, finding.title);
    out += &format!("  {}\n", finding.text);
    for call in &finding.parties {
        out += &self::call(call);
    }
    if finding.more > 0 {
        out += &format!("  and {} more\n", finding.more);
    }
    out += &format!("  do: {} (MPI-5.0 §{})\n", finding.advice, finding.section);
    out
}

fn call(call: &Call) -> String {
    let mut out = format!("  rank {}: {}", call.rank, call.function.unwrap_or("the process"));
    if let Some(number) = call.argument {
        let name = call.argument_name.map_or(String::new(), |name| format!(" ({name})"));
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

/// What calls `main` is of no interest.
fn is_start(line: &Line) -> bool {
    let function = line.function.split('+').next().unwrap_or_default();
    function.starts_with("__libc_start") || function.starts_with("libc.so") || function == "_start"
}

fn place(line: &Line) -> String {
    match (&line.file, line.line) {
        (Some(file), Some(number)) if number > 0 => format!("at {file}:{number} in {}", line.function),
        (Some(file), _) => format!("at {file} in {}", line.function),
        _ => format!("in {}", line.function),
    }
}
