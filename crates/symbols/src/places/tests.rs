//! Programs are compiled and looked at.

use std::process::Command;

use super::*;

const SOURCE: &str = "\
#include <stdlib.h>
static inline __attribute__((always_inline)) int both(int i) { return abs(i) * rand(); }
__attribute__((noinline)) int first(int i)
{
    /* nothing */
    return rand() + both(i);
}
__attribute__((noinline)) int second(int i) { return both(i + 1) - rand(); }
void empty(void) {}
int main(int c, char **v) { return first(c) + second(v[0][0]); }
";

struct Made {
    dir: tempfile::TempDir,
}

impl Made {
    fn new(flags: &[&str]) -> Option<Made> {
        let dir = tempfile::tempdir().ok()?;
        std::fs::write(dir.path().join("some.c"), SOURCE).ok()?;
        let status = Command::new("cc").current_dir(&dir).args(flags).args(["some.c", "-o", "some"]).status().ok()?;
        status.success().then_some(Made { dir })
    }

    fn ask(&self, text: &str) -> Result<ResolvedPlace, NoPlace> {
        let place: CodePlace = text.parse()?;
        assert_eq!(place.to_string(), text);
        Resolver::default().place(&self.dir.path().join("some"), &[], &place, true)
    }

    fn said(&self, text: &str) -> String {
        self.ask(text).unwrap_err().to_string()
    }
}

#[test]
fn functions_lines_and_inlined_copies() {
    let Some(made) = Made::new(&["-O2", "-g", "-fcf-protection=none"]) else { return };
    let one = made.ask("function:first").unwrap().spots;
    assert_eq!((one.len(), one[0].on, one[0].address), (1, true, one[0].function.0));
    assert_eq!(one[0].path, made.dir.path().canonicalize().unwrap().join("some").into_os_string().into_encoded_bytes());
    assert_eq!(made.ask("function:both").unwrap().spots.len(), 2);
    let line = made.ask("some.c:6").unwrap().spots;
    assert!(!line.is_empty() && line.iter().all(|spot| spot.function == one[0].function));
    assert!(made.ask("some.c:2").unwrap().spots.len() >= 2);
    assert!(
        made.said("some.c:5").contains("the nearest lines with code: some.c:4, some.c:6"),
        "{}",
        made.said("some.c:5")
    );
    assert!(made.said("function:third").contains("function 'third' not found in some or"));
    assert!(made.said("function:empty").contains("too short"));
    assert!(made.said("other.c:6").contains("no file of that name"));
    assert!(made.ask("function:*").unwrap().left_out.iter().any(|name| name.starts_with("empty in some")));
}

#[test]
fn without_debug_information_and_stripped() {
    let Some(made) = Made::new(&["-O2"]) else { return };
    assert_eq!(made.ask("function:first").unwrap().spots.len(), 1);
    assert!(made.said("some.c:6").contains("compile with -g"));
    let Some(made) = Made::new(&["-O2", "-s"]) else { return };
    assert!(made.said("function:first").contains("stripped"));
}

#[test]
fn forms() {
    for bad in ["", "solve", "function:", "f.c:", ":3", "f.c:0", "f.c:x", "f.c:-1"] {
        assert!(bad.parse::<CodePlace>().is_err(), "{bad}");
    }
    assert_eq!("a/f.c:12".parse::<CodePlace>().unwrap(), CodePlace::Line { file: "a/f.c".into(), line: 12 });
    let all = CodePlace::Function { name: "halo::".into(), all: true };
    assert_eq!("function:halo::*".parse::<CodePlace>().unwrap(), all);
}

#[test]
fn damage_is_no_panic() {
    let Some(made) = Made::new(&["-O1", "-g"]) else { return };
    let path = made.dir.path().join("some");
    let whole = std::fs::read(&path).unwrap();
    for step in 1..60 {
        let mut bytes = whole.clone();
        let at = bytes.len() * step / 60;
        let end = (at + 64).min(bytes.len());
        bytes[at..end].fill(0xa5);
        std::fs::write(&path, &bytes).unwrap();
        let _ = (made.ask("function:first"), made.ask("some.c:6"), made.ask("function:both"));
        std::fs::write(&path, &whole[..at]).unwrap();
        let _ = (made.ask("function:first"), made.ask("some.c:6"));
    }
}

#[test]
fn functions_of_a_header() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "step.h",
        "#include <stdlib.h>\nstatic inline int step(int i)\n{\n    srand(i);\n    return rand() * i;\n}\n",
    );
    write(
        "a.c",
        "#include \"step.h\"\nint other(int);\nint main(int c, char **v) { return step(c) + other(v[0][0]); }\n",
    );
    // Here it stands by itself, too.
    write("b.c", "#include \"step.h\"\nint (*volatile kept)(int) = step;\nint other(int i) { return step(i + 1); }\n");
    let made = Made { dir };
    for level in ["-O1", "-O2", "-O3"] {
        let words = [level, "-g", "a.c", "b.c", "-o", "some"];
        let status = Command::new("cc").current_dir(&made.dir).args(words).status();
        if !status.is_ok_and(|status| status.success()) {
            return;
        }
        let found = made.ask("function:step").unwrap();
        assert!(found.spots.len() >= 3, "{level}: {found:?}");
    }
}

#[test]
fn a_line_for_a_copy_that_does_not_fit() {
    // A branch leads to each instruction at the beginning of the copy but the first.
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>\nstatic inline __attribute__((always_inline)) int tight(int i)\n{\n    \
                  __asm__ volatile (\"nop; 1: dec %%ecx; 2: jnz 1b; 3: jo 2b; jp 3b\" ::: \"ecx\", \"cc\");\n    srand(i + 7);\n    return rand();\n}\n\
                  int main(int c, char **v) { (void)v; return tight(c); }\n";
    std::fs::write(dir.path().join("some.c"), source).unwrap();
    let made = Made { dir };
    let status = Command::new("cc").current_dir(&made.dir).args(["-O1", "-g", "some.c", "-o", "some"]).status();
    if !status.is_ok_and(|status| status.success()) {
        return;
    }
    let said = made.said("function:tight");
    assert!(said.contains("cannot be a place") && said.contains("'some.c:5'"), "{said}");
    assert!(made.ask("some.c:5").is_ok());
}
