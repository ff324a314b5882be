//! Real programs: built here when there is a C compiler, and this test itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use mpiscope_symbols::{ModuleFile, Precision, Problem, Resolver};
use object::{Object, ObjectSymbol};
use proptest::prelude::*;

const SOURCE: &str = r#"
__attribute__((noinline)) int leaf(volatile int *x) { return *x += 1; }
static inline __attribute__((always_inline)) int inner(volatile int *x) {
  return leaf(x) + 1;
}
__attribute__((noinline)) int outer(volatile int *x) {
  return inner(x) * 3;
}
int main(void) { volatile int x = 1; return outer(&x); }
"#;

fn compile(folder: &Path, flags: &[&str]) -> Option<PathBuf> {
    let (source, program) = (folder.join("nest.c"), folder.join("nest"));
    std::fs::write(&source, SOURCE).unwrap();
    let status =
        Command::new("cc").args(flags).arg("-Wl,--build-id").args([&source, Path::new("-o"), &program]).status();
    status.is_ok_and(|s| s.success()).then_some(program)
}

fn build_id(bytes: &[u8]) -> Vec<u8> {
    object::File::parse(bytes).unwrap().build_id().unwrap().unwrap_or_default().to_vec()
}

/// The return address of the call in `outer`: behind the first `call rel32` (e8) whose target is
/// `leaf`.
fn call_in_outer(bytes: &[u8]) -> u64 {
    let file = object::File::parse(bytes).unwrap();
    let symbol = |name| file.symbols().find(|s| s.name() == Ok(name)).unwrap();
    let (outer, leaf) = (symbol("outer"), symbol("leaf").address());
    let text =
        object::ObjectSection::data_range(&file.section_by_name(".text").unwrap(), outer.address(), outer.size())
            .unwrap()
            .unwrap();
    (0..text.len() - 4)
        .filter(|&i| text[i] == 0xe8)
        .map(|i| (outer.address() + i as u64 + 5, i32::from_le_bytes(text[i + 1..i + 5].try_into().unwrap())))
        .find(|&(next, distance)| next.wrapping_add_signed(distance.into()) == leaf)
        .unwrap()
        .0
}

#[test]
fn inlined_frames_then_symbols_then_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), &["-g", "-O1", "-fno-optimize-sibling-calls"]) else {
        eprintln!("skipped: no C compiler");
        return;
    };
    let bytes = std::fs::read(&program).unwrap();
    let module = ModuleFile { path: program.clone(), build_id: build_id(&bytes) };
    let at = call_in_outer(&bytes);

    let found = Resolver::default().resolve(&module, &[at, 1 << 40]);
    assert_eq!(found.problem, None);
    let frames: Vec<_> = found.resolved[0].frames.iter().map(|f| (f.function.as_str(), f.line.unwrap())).collect();
    assert_eq!(frames, [("inner", 4), ("outer", 7)]);
    assert!(found.resolved[0].frames[0].file.as_ref().unwrap().ends_with("nest.c"));
    assert_eq!(found.resolved[1].frames[0].function, "nest+0x10000000000");

    let resolver = Resolver::default();
    let first = resolver.resolve(&module, &[at]).resolved;
    std::fs::remove_file(&program).unwrap();
    let again = resolver.clone().resolve(&module, &[at]);
    assert_eq!((&again.resolved, again.problem), (&first, None), "the file is not asked again");

    // The debug information moves to a file of its own, found by build id; the program is gone.
    let hex: String = module.build_id.iter().map(|b| format!("{b:02x}")).collect();
    let debug = folder.path().join(format!("debug/.build-id/{}/{}.debug", &hex[..2], &hex[2..]));
    std::fs::create_dir_all(debug.parent().unwrap()).unwrap();
    std::fs::write(&debug, &bytes).unwrap();
    let resolver = Resolver::looking_in(vec![folder.path().join("debug")]);
    assert_eq!(resolver.resolve(&module, &[at]).resolved[0], first[0]);
    let gone = Resolver::default().resolve(&module, &[at]);
    assert_eq!(gone.problem, Some(Problem::Unreadable));

    // Without debug information, and then another build.
    let program = compile(folder.path(), &["-O1", "-fno-optimize-sibling-calls"]).unwrap();
    let bytes = std::fs::read(&program).unwrap();
    let bare = ModuleFile { path: program, build_id: build_id(&bytes) };
    let found = Resolver::default().resolve(&bare, &[call_in_outer(&bytes)]);
    assert_eq!(found.resolved[0].precision, Precision::Symbol);
    assert!(found.resolved[0].frames[0].function.starts_with("outer+0x"), "{:?}", found.resolved[0]);
    assert_eq!(found.problem, Some(Problem::NoDebugInfo));
    let other = Resolver::default().resolve(&module, &[at]);
    assert_eq!(other.problem, Some(Problem::Changed));
    assert_eq!(other.resolved[0].precision, Precision::Offset);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn damaged_files_give_an_answer(hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..200), cut in 0usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let Some(program) = compile(folder.path(), &["-g", "-O1"]) else { return Ok(()) };
        let mut bytes = std::fs::read(&program).unwrap();
        let at = call_in_outer(&bytes);
        for (place, byte) in hits { let i = place.index(bytes.len()); bytes[i] = byte; }
        bytes.truncate(bytes.len() >> cut);
        std::fs::write(&program, &bytes).unwrap();
        let module = ModuleFile { path: program, build_id: Vec::new() };
        let asked = [at, 0, 1, u64::MAX, at + 1];
        prop_assert_eq!(Resolver::default().resolve(&module, &asked).resolved.len(), asked.len());
    }
}
