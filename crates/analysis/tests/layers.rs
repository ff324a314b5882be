//! Which modules use which: data use no analysis, analyses use neither the driver nor each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The explanation, as data.
const DATA: &str = "explanation";
/// What an analysis is.
const INTERFACE: &str = "analysis";
/// They use all analyses: the driver, the list of rules and its page, and the root of the crate.
const DRIVERS: [&str; 4] = ["explain", "rules", "catalogue", "lib"];

/// Files of a directory that are not only tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the sources").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with("tests") {
            continue;
        }
        match entry.is_dir() {
            true => sources(&entry, found),
            false => found.push(entry),
        }
    }
}

/// The code of a file: without comments and without the tests at its end.
fn code(text: &str) -> String {
    let until = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..until].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Modules of this crate that code names by `crate::`.
fn used(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.split("crate::").skip(1).map(word).collect()
}

/// By module of the crate (the first part of the path): the modules that it uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let first = file.strip_prefix(&root).expect("below the root").iter().next().expect("a part");
        let module = first.to_string_lossy().trim_end_matches(".rs").to_owned();
        let text = std::fs::read_to_string(&file).expect("a source");
        uses.entry(module).or_default().extend(used(&code(&text)));
    }
    uses.iter_mut().for_each(|(module, used)| _ = used.remove(module));
    uses
}

fn analyses(uses: &BTreeMap<String, BTreeSet<String>>) -> impl Iterator<Item = (&String, &BTreeSet<String>)> {
    uses.iter()
        .filter(|(module, _)| ![DATA, INTERFACE].contains(&module.as_str()) && !DRIVERS.contains(&module.as_str()))
}

#[test]
fn data_use_no_analysis() {
    let uses = uses();
    assert_eq!(uses[DATA], BTreeSet::new());
    assert_eq!(uses[INTERFACE], BTreeSet::from([DATA.to_owned()]));
}

#[test]
fn analyses_do_not_use_the_driver() {
    let uses = uses();
    assert!(analyses(&uses).count() > 10);
    for (module, used) in analyses(&uses) {
        let unknown: Vec<_> =
            used.iter().filter(|name| DRIVERS.contains(&name.as_str()) || !uses.contains_key(*name)).collect();
        assert!(
            unknown.is_empty(),
            "{module} uses {unknown:?}; it may use data, the interface and other analyses, by their modules"
        );
    }
}

#[test]
fn analyses_use_each_other_in_one_direction() {
    let uses = uses();
    let mut left: BTreeMap<&String, BTreeSet<&String>> =
        analyses(&uses).map(|(module, used)| (module, used.iter().collect())).collect();
    let shared: Vec<String> = vec![DATA.to_owned(), INTERFACE.to_owned()];
    left.values_mut().for_each(|used| used.retain(|name| !shared.contains(name)));
    while let Some(&free) = left.iter().find(|(_, used)| used.is_empty()).map(|(module, _)| module) {
        left.remove(free);
        left.values_mut().for_each(|used| _ = used.remove(free));
    }
    assert!(left.is_empty(), "these use each other in a circle: {left:?}");
}

#[test]
fn what_counts_as_a_use() {
    let text = "//! [`crate::a`]\nuse crate::b::{C, D};\nfn f(x: crate::e::F) {} // crate::g\n#[cfg(test)]\nmod tests {\n use crate::h::I;\n}\n";
    assert_eq!(used(&code(text)), BTreeSet::from(["b".to_owned(), "e".to_owned()]));
}

/// What rules have to do with each other is in their relations. A kind of wait has the id of its rule.
#[test]
fn no_code_decides_by_the_id_of_a_rule() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    // Where a rule declares its id, and keys of evidence.
    let is_other =
        |line: &&str| line.trim_start().starts_with("id: ") || line.contains("Value::") || line.contains(".int(");
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("explanation/wait.rs")) {
        let text = std::fs::read_to_string(file).expect("a source");
        for line in code(&text).lines().filter(|line| !is_other(line)) {
            let names = |rule: &&mpiscope_analysis::Rule| line.contains(&format!("\"{}\"", rule.id));
            found.extend(mpiscope_analysis::rules().find(names).map(|rule| format!("{}: {}", file.display(), rule.id)));
        }
    }
    assert!(found.is_empty(), "{found:?}");
}
