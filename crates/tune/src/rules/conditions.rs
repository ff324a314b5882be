//! Settings that do not fit together: the table `data/contradictions.toml`.

use std::sync::OnceLock;

use serde::Deserialize;

use super::selection::leaves_out;
use super::{Certainty, Facts, Finding, Meant, Rule};
use crate::Family;
use crate::value::number;

const TABLE: &str = include_str!("../../data/contradictions.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Row>,
}

/// All conditions hold at once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    family: Family,
    /// Each word replaces `{}` in all texts.
    #[serde(default)]
    each: Vec<String>,
    when: Vec<String>,
    text: String,
    advice: Option<String>,
    #[serde(default)]
    is_possible: bool,
    /// It makes one setting ineffective, instead of contradicting it.
    #[serde(default)]
    is_no_effect: bool,
}

fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| toml::from_str::<File>(TABLE).expect("a test reads the table").rule)
}

/// All contradictions. Each is reported at the first setting that its conditions name.
pub(crate) fn contradictions(facts: &Facts) -> Vec<(Finding, usize)> {
    let mut found = Vec::new();
    for row in rows().iter().filter(|row| facts.is_read(row.family)) {
        let words: Vec<&str> =
            if row.each.is_empty() { vec![""] } else { row.each.iter().map(String::as_str).collect() };
        for word in words {
            found.extend(one(facts, row, word));
        }
    }
    found
}

fn one(facts: &Facts, row: &Row, word: &str) -> Option<(Finding, usize)> {
    let mut first: Option<&Meant> = None;
    let mut is_possible = row.is_possible;
    for text in &row.when {
        let text = text.replace("{}", word);
        let condition = Condition::parse(&text);
        let named = condition.holds(facts, row.family)?;
        first = first.or(named);
        is_possible |= condition.compares_default_of_table(facts, row.family);
    }
    // Defaults do not contradict each other.
    let meant = first?;
    let fill = |text: &str| text.replace("{}", word).replace("{name}", &meant.setting.name);
    let certainty = if is_possible { Certainty::Possible } else { Certainty::Certain };
    let rule = if row.is_no_effect { Rule::NoEffect } else { Rule::Contradiction };
    let finding = Finding::new(rule, certainty, meant.setting, fill(&row.text));
    Some((finding.with_advice(row.advice.as_deref().map(fill)), meant.at))
}

/// `NAME OPERATOR [NAME or VALUE]`; a name may end in `*` before `set`.
struct Condition<'a> {
    left: &'a str,
    operator: &'a str,
    right: &'a str,
}

impl<'a> Condition<'a> {
    fn parse(text: &'a str) -> Self {
        let mut words = text.split_whitespace();
        let mut next = || words.next().unwrap_or_default();
        Self { left: next(), operator: next(), right: next() }
    }

    /// `None` if it does not hold; otherwise the setting that it names, if that is set.
    fn holds<'f>(&self, facts: &'f Facts<'_>, family: Family) -> Option<Option<&'f Meant<'f>>> {
        let set = facts.in_force(self.left);
        let is_true = match self.operator {
            "set" => match self.left.strip_suffix('*') {
                Some(begin) => {
                    return facts
                        .meant
                        .iter()
                        .find(|meant| meant.is_in_force && meant.entry.name.starts_with(begin))
                        .map(Some);
                }
                None => set.is_some(),
            },
            "unset" => set.is_none(),
            "excludes" => set.is_some_and(|meant| leaves_out(&meant.setting.value, self.right)),
            "is" => facts.value(family, self.left).is_some_and(|value| is_same(&value.text, self.right)),
            "isnt" => !facts.value(family, self.left).is_some_and(|value| is_same(&value.text, self.right)),
            "<" | ">" => {
                let is_any_set = set.is_some() || facts.in_force(self.right).is_some();
                let left = self.side(facts, family, self.left)?;
                let right = self.side(facts, family, self.right)?;
                is_any_set && if self.operator == "<" { left < right } else { left > right }
            }
            other => unreachable!("a test reads all conditions: {other}"),
        };
        is_true.then(|| set.or_else(|| facts.in_force(self.right).filter(|_| ["<", ">"].contains(&self.operator))))
    }

    /// Defaults of numbers change between versions.
    fn compares_default_of_table(&self, facts: &Facts, family: Family) -> bool {
        let is_of_table = |name: &str| facts.value(family, name).is_some_and(|value| value.is_of_table);
        ["<", ">"].contains(&self.operator) && (is_of_table(self.left) || is_of_table(self.right))
    }

    /// The number of a name or a literal; negative numbers mean "automatic".
    fn side(&self, facts: &Facts, family: Family, text: &str) -> Option<i64> {
        let value = facts.value(family, text).map(|value| value.text);
        let value = value.or_else(|| text.parse::<i64>().ok().map(|number| number.to_string()))?;
        number(if family == Family::CrayMpich { Family::OpenMpi } else { family }, &value).filter(|number| *number >= 0)
    }
}

/// The same value, in whatever way yes and no are written.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| match text.to_ascii_lowercase().as_str() {
        "1" | "y" | "yes" | "true" | "on" | "enable" | "enabled" | "t" => "1".to_owned(),
        "0" | "n" | "no" | "false" | "off" | "disable" | "disabled" | "f" => "0".to_owned(),
        other => other.to_owned(),
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_names_a_known_variable_and_operator() {
        for row in rows() {
            for word in row.each.iter().map(String::as_str).chain(row.each.is_empty().then_some("")) {
                for text in &row.when {
                    let text = text.replace("{}", word);
                    let condition = Condition::parse(&text);
                    assert!(
                        ["set", "unset", "excludes", "is", "isnt", "<", ">"].contains(&condition.operator),
                        "{text}"
                    );
                    let is_known = |name: &str| crate::every().any(|entry| entry.name == name);
                    assert!(condition.left.ends_with('*') || is_known(condition.left), "{text}");
                    if ["<", ">"].contains(&condition.operator) {
                        assert!(is_known(condition.right) || condition.right.parse::<i64>().is_ok(), "{text}");
                    }
                }
            }
        }
    }
}
