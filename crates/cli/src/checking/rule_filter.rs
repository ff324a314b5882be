//! The findings to report: classes of rules, and known findings that a file suppresses.

use std::path::Path;

use anyhow::{Context, Result, bail};
use mpiscope_judge::rules;
use mpiscope_query::{CheckFinding, CheckLine};

/// Classes of rules and what their ids begin with.
const CLASSES: &[(&str, &[&str])] = &[
    ("arguments", &["argument.", "life."]),
    ("collectives", &["collective."]),
    ("deadlock", &["deadlock."]),
    ("buffering", &["deadlock.buffering"]),
    ("races", &["race."]),
    ("messages", &["message."]),
    ("resources", &["request.", "leak.", "object."]),
    ("buffers", &["buffer."]),
    ("rma", &["rma."]),
    ("io", &["io.", "file.", "error.", "buffered-send."]),
];

/// A list of classes and ids, for `--only` and `--check`.
#[derive(Clone, Debug, Default)]
pub struct Only(Vec<String>);

impl Only {
    /// `all`, or names separated by commas.
    pub fn parse(text: &str) -> Result<Only> {
        let mut wanted = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "all") {
            match CLASSES.iter().find(|(name, _)| *name == word) {
                Some((_, ids)) => wanted.extend(ids.iter().map(|id| (*id).to_owned())),
                None if rules::by_id(word).is_some() => wanted.push(word.to_owned()),
                None => {
                    let names: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
                    bail!(
                        "unknown class or rule '{word}'; the classes are {}; for the rules see docs/checking/rules.md",
                        names.join(" ")
                    );
                }
            }
        }
        Ok(Only(wanted))
    }

    /// Whether it contains a rule whose id begins with one of these.
    pub fn wants_some(&self, of: &[&str]) -> bool {
        let meets = |wanted: &String| of.iter().any(|begin| wanted.starts_with(begin) || begin.starts_with(&**wanted));
        self.0.is_empty() || self.0.iter().any(meets)
    }

    /// Whether it contains a rule.
    pub fn wants(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| id.starts_with(wanted.as_str()))
    }
}

/// Known findings: on each line a rule's id, then optionally a function and a place (`file.c:12`); `*` matches anything.
#[derive(Debug, Default)]
pub struct Suppressions(Vec<[String; 3]>);

impl Suppressions {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Suppressions> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Suppressions::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Suppressions> {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace().map(str::to_owned);
            let Some(id) = words.next() else { continue };
            let mut next = || words.next().unwrap_or_else(|| "*".into());
            let (function, place) = (next(), next());
            if words.next().is_some() {
                bail!("line {}: too many words; write RULE [FUNCTION [FILE:LINE]]", number + 1);
            }
            if !id.contains('*') && rules::by_id(&id).is_none() {
                bail!("line {}: unknown rule '{id}'; for the rules see docs/checking/rules.md", number + 1);
            }
            all.push([id, function, place]);
        }
        Ok(Suppressions(all))
    }

    /// Whether a finding is known.
    pub fn know(&self, finding: &CheckFinding) -> bool {
        self.0.iter().any(|[id, function, place]| {
            matches(id, &finding.id)
                && ((function == "*" && place == "*")
                    || finding.parties.iter().any(|call| {
                        matches(function, call.function.as_deref().unwrap_or_default())
                            && (place == "*" || call.stack.iter().any(|line| is_place(place, line)))
                    }))
        })
    }
}

fn is_place(pattern: &str, line: &CheckLine) -> bool {
    let Some(file) = &line.file else { return false };
    let with_line = format!("{file}:{}", line.line.unwrap_or(0));
    let ends = |text: &str| matches(pattern, text) || matches(&format!("*/{pattern}"), text);
    ends(file) || ends(&with_line)
}

/// `*` matches anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("leak.*", "leak.group") && matches("*", "") && matches("a*b*c", "axxbyyc"));
        assert!(!matches("leak", "leak.group") && !matches("a*b", "ac") && matches("ab", "ab"));
    }

    #[test]
    fn classes_and_rules() {
        let only = Only::parse("arguments,leak.group").unwrap();
        assert!(only.wants("argument.tag") && only.wants("life.outside") && only.wants("leak.group"));
        assert!(!only.wants("leak.info") && !only.wants("deadlock.cycle"));
        assert!(Only::parse("all").unwrap().wants("leak.info"));
        let of_order = ["race.", "rma.", "io."];
        let wants_order = |list: &str| Only::parse(list).unwrap().wants_some(&of_order);
        assert!(["all", "rma", "io", "arguments,races", "rma.conflict"].into_iter().all(wants_order));
        assert!(!wants_order("arguments,collectives,deadlock,resources"));
        assert!(Only::parse("argumnts").unwrap_err().to_string().contains("classes are arguments"));
    }

    #[test]
    fn lines_of_a_file() {
        let known = Suppressions::parse("# known\nleak.* MPI_Comm_dup lib.c:1*\n\nargument.tag\n").unwrap();
        assert_eq!(known.0.len(), 2);
        assert!(Suppressions::parse("argument.tga").is_err() && Suppressions::parse("leak.* a b c").is_err());
    }
}
