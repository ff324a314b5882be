//! Python loops that poll until MPI succeeds, recognized by their source: `while not request.Test(): pass`.
//!
//! The interpreter's bytecode differs between releases and does not show what an attribute refers to. But the line that
//! called `MPI_Test` is known, and that no Python code is between that line and MPI: a method of the program would be the
//! innermost frame. What remains is whether the loop does anything else, which its few lines show. Loops in any other form
//! count as loops that may give up.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Methods of mpi4py that poll MPI and return only true or false. `test` and `Testany` return tuples.
const ASKS: [&str; 5] = ["Test", "Testall", "Iprobe", "iprobe", "Get_status"];
/// Limit of bytes, more than any source has.
const MOST_BYTES: u64 = 16 << 20;

/// Results from the sources, by file and line.
pub struct PythonLoops {
    known: HashMap<(String, u32), bool>,
    /// Sources changed after this moment are not what runs.
    began: SystemTime,
}

impl Default for PythonLoops {
    fn default() -> PythonLoops {
        PythonLoops { known: HashMap::new(), began: SystemTime::now() }
    }
}

impl PythonLoops {
    /// Whether the loop around the call in a line of a file may end without success, according to its source.
    pub fn may_give_up(&mut self, file: &str, line: u32) -> bool {
        let began = self.began;
        let may = |path: &str| source(Path::new(path), began).is_none_or(|text| !asks_for_ever(&text, line));
        *self.known.entry((file.to_owned(), line)).or_insert_with(|| may(file))
    }
}

/// The source, if it has not changed since the program began.
fn source(path: &Path, began: SystemTime) -> Option<String> {
    let about = fs::metadata(path).ok().filter(|about| path.is_absolute() && about.is_file())?;
    let is_old = about.modified().is_ok_and(|at| at <= began);
    fs::read_to_string(path).ok().filter(|_| is_old && about.len() <= MOST_BYTES)
}

/// Whether a process catches signals whose handlers may end a loop: a Python handler may raise an exception. Signals of
/// faults and ^C always have handlers.
pub fn catches_signals(pid: u32) -> bool {
    const USUAL: [i32; 8] = [
        libc::SIGINT,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGSEGV,
        libc::SIGSYS,
    ];
    let usual = USUAL.iter().fold(0u64, |mask, signal| mask | 1 << (signal - 1));
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_none_or(|caught| caught & !usual != 0)
}

/// A line with code: its number from 0, its indentation, and its code.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line<'a> {
    indent: &'a str,
    code: &'a str,
}

/// Lines with code, without comments. A line with both a `#` and a quote is kept whole, and matches no known form.
fn read(line: &str) -> Option<Line<'_>> {
    let has_quote = line.contains(['"', '\'']);
    let code = if has_quote { line } else { line.split('#').next().unwrap_or_default() };
    let (indent, rest) = code.split_at(code.len() - code.trim_start().len());
    let rest = rest.trim_end();
    (!rest.is_empty()).then_some(Line { indent, code: rest })
}

/// Whether the loop around the call in a line (from 1) only polls, and ends only with success.
fn asks_for_ever(source: &str, line: u32) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let Some(at) = (line as usize).checked_sub(1).filter(|&at| at < lines.len()) else { return false };
    let Some(own) = read(lines[at]) else { return false };
    let after = lines[at + 1..].iter().filter_map(|line| read(line));
    let pauses = lines.iter().any(|line| imports_time(line));
    let block = |outer: &str| {
        let outer = outer.to_owned();
        after.clone().take_while(move |line| is_below(line, &outer)).collect::<Vec<_>>()
    };
    // while not request.Test(): pass
    if let Some((condition, rest)) = header(own.code, "while not ") {
        let idle = |code: &str| is_idle(code, pauses);
        return asks(condition) && (rest.is_empty() || idle(rest)) && block(own.indent).iter().all(|l| idle(l.code));
    }
    let before: Vec<Line<'_>> = lines[..at].iter().rev().filter_map(|line| read(line)).collect();
    let is_beside = |line: &&Line<'_>| line.indent == own.indent && is_idle(line.code, pauses);
    let idle_before = before.iter().take_while(is_beside).count();
    let Some(head) = before.get(idle_before).filter(|head| is_below(&own, head.indent)) else { return false };
    let inside = block(head.indent);
    // while True: if request.Test(): break
    if let Some((condition, rest)) = header(own.code, "if ") {
        let is_endless = matches!(head.code, "while True:" | "while 1:");
        let (ends, others) = match rest {
            "break" => (true, &inside[..]),
            "" => match inside.split_first() {
                Some((first, others)) => (first.code == "break" && is_below(first, own.indent), others),
                None => (false, &inside[..]),
            },
            _ => (false, &inside[..]),
        };
        return is_endless && asks(condition) && ends && others.iter().all(|line| is_beside(&line));
    }
    // while not done: done = request.Test()
    let Some((name, call)) = own.code.split_once(" = ") else { return false };
    let is_header = header(head.code, "while not ").is_some_and(|(of, rest)| of == name && rest.is_empty());
    is_name(name) && is_header && asks(call) && inside.iter().all(|line| is_beside(&line))
}

/// The condition and the rest of `while not CONDITION: REST`.
fn header<'a>(code: &'a str, begin: &str) -> Option<(&'a str, &'a str)> {
    let (condition, rest) = code.strip_prefix(begin)?.rsplit_once(':')?;
    Some((condition.trim(), rest.trim()))
}

fn is_below(line: &Line<'_>, outer: &str) -> bool {
    line.indent.len() > outer.len() && line.indent.starts_with(outer)
}

/// Whether a line does nothing, or only sleeps.
fn is_idle(code: &str, pauses: bool) -> bool {
    let pause = code.strip_prefix("time.sleep(").and_then(|rest| rest.strip_suffix(')'));
    let is_pause = pause.is_some_and(|rest| rest.parse::<f64>().is_ok_and(f64::is_finite));
    matches!(code, "pass" | "continue" | "...") || (pauses && is_pause)
}

/// Whether `time` is Python's module.
fn imports_time(line: &str) -> bool {
    let names = line.strip_prefix("import ").into_iter().flat_map(|names| names.split(','));
    names.map(str::trim).any(|name| name == "time")
}

/// Whether an expression only polls MPI: nothing in its arguments is called or assigned.
fn asks(call: &str) -> bool {
    let Some((what, arguments)) = call.strip_suffix(')').and_then(|call| call.split_once('(')) else { return false };
    let Some((of, method)) = what.rsplit_once('.') else { return false };
    let of = of.strip_suffix(']').and_then(|of| of.split_once('[')).map_or(of, |(of, at)| {
        match is_name(at) || is_number(at) {
            true => of,
            false => "",
        }
    });
    let is_plain = !arguments.contains(['(', ')', ':', '"', '\'']);
    ASKS.contains(&method) && of.split('.').count() <= 3 && of.split('.').all(is_name) && is_plain
}

fn is_name(text: &str) -> bool {
    let is_first = |c: char| c.is_alphabetic() || c == '_';
    text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with `Test`, `Iprobe` or such in it.
    fn line_of(source: &str) -> u32 {
        let at = source
            .lines()
            .position(|line| ["est(", "robe(", "estall(", "estany("].iter().any(|call| line.contains(call)));
        at.unwrap() as u32 + 1
    }

    fn is_certain(source: &str) -> bool {
        asks_for_ever(source, line_of(source))
    }

    #[test]
    fn loops_that_end_with_the_answer_only() {
        for source in [
            "while not q.Test(): pass\n",
            "def f(q):\n    while not q.Test():\n        pass\n    return 1\n",
            "while not q.Test():  # until it is there\n\n    # nothing\n    continue\n",
            "import time\nif a:\n\twhile not reqs[0].Test(status):\n\t\ttime.sleep(0.001)\nb()\n",
            "while not comm.Iprobe(source=MPI.ANY_SOURCE, tag=3): ...\n",
            "while not MPI.Request.Testall(requests): pass",
            "while not self.req.Test():\n  pass\nelse:\n  done()\n",
            "while True:\n    if q.Test():\n        break\n    pass\nf()\n",
            "while 1:\n    pass\n    if comm.iprobe(): break\n",
            "done = False\nwhile not done:\n    done = q.Test()\nprint(done)\n",
        ] {
            assert!(is_certain(source), "{source}");
        }
    }

    #[test]
    fn loops_that_may_give_up() {
        for source in [
            "while not q.Test() and n < 9: n += 1\n",
            "while not q.Test():\n    n += 1\n",
            "while not q.Test():\n    if n: break\n",
            "while not q.Test():\n    work()\n",
            "time = Clock()\nwhile not q.Test():\n    time.sleep(1)\n",
            "import time\nwhile not q.Test():\n    time.sleep(next(it))\n",
            "while not MPI.Request.Testany(rs): pass\n",
            "while not q.test(): pass\n",
            "while not f().Test(): pass\n",
            "while not rs[f(i)].Test(): pass\n",
            "while not q.Test(g()): pass\n",
            "while (not q.Test()\n       or x):\n    pass\n",
            "while True:\n    if q.Test():\n        pass\n",
            "while True:\n    if q.Test():\n        print(1)\n        break\n",
            "while True:\n    if q.Test():\n        break\n    n += 1\n",
            "while True:\n    n += 1\n    if q.Test(): break\n",
            "while n:\n    if q.Test(): break\n",
            "for i in r:\n    if q.Test(): break\n",
            "while not done:\n    other = q.Test()\n",
            "while not done:\n    done = q.Test()\n    n()\n",
            "while not done or late:\n    done = q.Test()\n",
            "q.Test()\n",
            "if q.Test(): pass\n",
            "while q.Test(): pass\n",
            "while not q.Test() if n else 1: pass\n",
        ] {
            assert!(!is_certain(source), "{source}");
        }
        assert!(!asks_for_ever("", 1) && !asks_for_ever("while not q.Test(): pass", 0) && !asks_for_ever("pass", 7));
    }

    #[test]
    fn a_source_that_was_changed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.py");
        fs::write(&file, "while not q.Test(): pass\n").unwrap();
        let name = file.to_str().unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        let loops = |began| PythonLoops { known: HashMap::new(), began };
        assert!(!loops(later).may_give_up(name, 1));
        assert!(loops(later).may_give_up(name, 2));
        assert!(loops(SystemTime::UNIX_EPOCH).may_give_up(name, 1));
        assert!(loops(later).may_give_up("a.py", 1) && loops(later).may_give_up("/nowhere/a.py", 1));
    }

    #[test]
    fn handlers_of_this_process() {
        assert!(catches_signals(u32::MAX));
    }
}
