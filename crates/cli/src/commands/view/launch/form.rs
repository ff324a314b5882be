//! The launch form: its contents, and the command that a filled form results in.

use std::path::{Path, PathBuf};

use mpiscope_launch::options::{Kind, Settings, Spec, TABLE, User};
use mpiscope_launch::{Asked, Diagnosis, host, run_dir, shell_words};
use mpiscope_server::launch::{Command, Refusal, Wish};
use serde_json::{Value, json};

use super::refusal;

/// Limit of numbered runs of the same program: a.out.mpiscope, a.out-2.mpiscope…
const MOST_RUNS: usize = 10_000;

/// The form, with the options of the table.
pub fn form() -> Value {
    let option = |spec: &Spec| {
        let (kind, choices): (&str, &[&str]) = match spec.kind {
            Kind::Choice(words) => ("choice", words),
            Kind::Switch => ("choice", &["on", "off"]),
            Kind::Count => ("number", &[]),
            Kind::Size | Kind::List | Kind::Path | Kind::Text => ("text", &[]),
        };
        json!({
            "name": spec.name, "help": spec.help, "value_name": spec.value_name, "default": spec.default, "kind": kind,
            "choices": choices, "group": if spec.user == User::Run { "launching" } else { "recording" },
        })
    };
    let options: Vec<Value> = TABLE.iter().map(option).collect();
    json!({
        "directory": std::env::current_dir().unwrap_or_default(), "host": host::name(), "options": options,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// The command for a filled form. Starts nothing.
pub fn check(wish: &Wish) -> Result<Command, Refusal> {
    let program = shell_words::split(&wish.program).map_err(|why| refusal(why.to_string(), "Close the quotation."))?;
    if program.is_empty() {
        return Err(refusal("The program is missing.", "Type a program with its arguments, such as ./a.out 100"));
    }
    if program.iter().any(|word| word.contains('\0')) {
        return Err(refusal("A word contains a zero byte.", "Type the command again."));
    }
    let asked = |ranks| Asked { verb: "run", ranks, program: program.clone() };
    let ranks = match wish.ranks.trim() {
        "" => None,
        text => match text.parse::<u64>().ok().filter(|ranks| *ranks > 0) {
            Some(ranks) => Some(ranks),
            None => return Err(diagnosed(&Diagnosis::Ranks { given: Some(text.into()) }, &asked(None))),
        },
    };
    // Parsed as in `run`, so that an invalid value is reported at its field, not when the program starts.
    let mut settings = Settings::default();
    let mut options = Vec::new();
    for (name, value) in wish.options.iter().filter(|(_, value)| !value.trim().is_empty()) {
        let spec = Spec::named(name).ok_or_else(|| refusal(format!("Unknown option --{name}."), "Reload the page."))?;
        let value = value.trim();
        spec.set(&mut settings, value.as_ref())
            .map_err(|why| refusal(format!("--{name}: {why}"), "Change the value of that option."))?;
        if spec.name != "output" {
            options.push(format!("--{name}={value}"));
        }
    }
    let directory = std::env::current_dir().map_err(|why| {
        refusal(format!("The working directory is not accessible: {why}"), "Start mpiscope view in another directory.")
    })?;
    let run = match settings.output {
        Some(output) => output,
        None => free_name(&run_dir::default_name(&program), &directory)?,
    };
    let mut words = vec!["mpiscope".to_owned(), "run".into()];
    words.extend(ranks.iter().flat_map(|ranks| ["-n".into(), ranks.to_string()]));
    words.append(&mut options);
    words.push(format!("--output={}", run.display()));
    words.push("--".into());
    words.extend(program.iter().cloned());
    let text = shell_words::join(&words);
    // This executable, not the mpiscope in PATH.
    words[0] = own_path()?;
    Ok(Command { program, text, run: directory.join(run), directory, ranks, words })
}

fn own_path() -> Result<String, Refusal> {
    let path = std::env::current_exe().map_err(|why| {
        refusal(format!("Cannot find the executable of mpiscope: {why}"), "Start mpiscope view again.")
    })?;
    Ok(path.to_string_lossy().into_owned())
}

/// The first free name: an existing run is not replaced.
fn free_name(name: &Path, directory: &Path) -> Result<PathBuf, Refusal> {
    let is_free = |path: &PathBuf| !directory.join(path).exists();
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    let numbered = (2..MOST_RUNS).map(|n| PathBuf::from(format!("{stem}-{n}.mpiscope")));
    std::iter::once(name.to_path_buf()).chain(numbered).find(is_free).ok_or_else(|| {
        refusal(format!("There are too many runs of {stem} here."), "Delete some, or set the option output.")
    })
}

/// A diagnosis in the words of `run`, with the next step.
fn diagnosed(what: &Diagnosis, asked: &Asked) -> Refusal {
    refusal(what.to_string(), what.next_steps(asked).join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(program: &str, ranks: &str, options: &[(&str, &str)]) -> Wish {
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Wish { program: program.into(), ranks: ranks.into(), options }
    }

    #[test]
    fn a_form_comes_to_words_that_no_shell_reads() {
        let command =
            check(&wish("./a.out 'two words' $(reboot) ; rm", "4", &[("buffer", " 32M "), ("stack", "")])).unwrap();
        assert_eq!(command.program, ["./a.out", "two words", "$(reboot)", ";", "rm"]);
        assert_eq!(
            command.text,
            "mpiscope run -n 4 --buffer=32M --output=a.out.mpiscope -- ./a.out 'two words' '$(reboot)' ';' rm"
        );
        assert_eq!(command.words[1..5], ["run", "-n", "4", "--buffer=32M"]);
        assert!(Path::new(&command.words[0]).is_absolute());
        let words = &check(&wish("--help --launcher=x", "", &[])).unwrap().words;
        assert_eq!(words[words.len() - 3..], ["--", "--help", "--launcher=x"], "what is behind -- is the program's");
    }

    #[test]
    fn what_is_wrong_is_said_as_run_says_it() {
        let problem = |wish: Wish| check(&wish).unwrap_err().what;
        assert!(problem(wish("  ", "4", &[])).contains("The program is missing"));
        assert!(problem(wish("./a 'b", "4", &[])).contains("missing closing"));
        assert!(problem(wish("./a", "-1", &[])).contains("-1"));
        assert!(problem(wish("./a", "0", &[])).contains('0'));
        assert_eq!(
            problem(wish("./a", "4", &[("buffer", "1K")])),
            "--buffer: a buffer of 1K is too small: the minimum is 1M"
        );
        assert!(problem(wish("./a", "4", &[("shell", "sh")])).contains("--shell"));
    }

    #[test]
    fn the_form_has_every_option_of_the_table() {
        let form = form();
        let names: Vec<&str> = form["options"].as_array().unwrap().iter().filter_map(|o| o["name"].as_str()).collect();
        assert_eq!(names, TABLE.iter().map(|spec| spec.name).collect::<Vec<_>>());
    }

    #[test]
    fn a_run_that_is_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let free = || free_name(Path::new("a.out.mpiscope"), folder.path()).unwrap();
        assert_eq!(free(), Path::new("a.out.mpiscope"));
        std::fs::create_dir(folder.path().join("a.out.mpiscope")).unwrap();
        assert_eq!(free(), Path::new("a.out-2.mpiscope"));
    }
}
