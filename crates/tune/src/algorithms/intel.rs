//! Intel MPI: what `I_MPI_ADJUST_…` selects. Its own choice is in tuning files that are not read here.

use super::{Call, DIFFERENT_SIZES, Inferred, Mpi, known, not_known, part};
use crate::version::Range;

const TABLE: &str = include_str!("../../data/algorithms/intel.tsv");

pub(super) fn infer(mpi: &Mpi, call: &Call) -> Inferred {
    let operation = call.operation();
    let setting = format!("I_MPI_ADJUST_{}", operation.to_ascii_uppercase());
    let Some(value) = mpi.value(&setting) else {
        return not_known(format!(
            "without {setting}, Intel MPI chooses by its tuning files, whose rules are not in the table"
        ));
    };
    let setting = format!("{setting}={value}");
    let number = match selected(value, call) {
        Ok(Some(number)) => number,
        Ok(None) => return not_known(format!("{setting} selects nothing for this size and number of ranks")),
        Err(why) => return not_known(format!("{setting}: {why}")),
    };
    if number == 0 {
        return not_known(format!("{setting} leaves the choice to Intel MPI, whose rules are not in the table"));
    }
    let range = TABLE.lines().find_map(|line| Range::parse(line.strip_prefix("#versions\t")?));
    let range = range.expect("a test reads the table");
    let Some(version) = mpi.target.version.as_ref() else {
        return not_known(format!("{setting}, but the version of Intel MPI is not known"));
    };
    if !range.contains(version) {
        return not_known(format!(
            "{setting} selects a preset, whose algorithm the documentation of this version does not name"
        ));
    }
    match name(&operation, number) {
        Some(name) => match known(vec![part(name)], setting) {
            Inferred::Known { parts, by, .. } => {
                Inferred::Known { parts, by, assumed: vec!["that Intel MPI can use it for this call".to_owned()] }
            }
            other => other,
        },
        None => not_known(format!("{setting} selects an algorithm that the documentation does not name")),
    }
}

fn name(operation: &str, number: usize) -> Option<&'static str> {
    let row = TABLE.lines().find_map(|line| line.strip_prefix(operation)?.strip_prefix('\t'))?;
    row.split('\t').nth(number - 1)
}

/// The number for a call in `NUMBER[:CONDITION,…][;NUMBER:CONDITION,…]`; `None` if no condition holds.
fn selected(text: &str, call: &Call) -> Result<Option<usize>, String> {
    for clause in text.split(';').filter(|clause| !clause.trim().is_empty()) {
        let (number, conditions) = clause.split_once(':').unwrap_or((clause, ""));
        let number = number.trim().parse().map_err(|_| format!("{} is not a number", number.trim()))?;
        let mut holds = conditions.trim().is_empty();
        for condition in conditions.split(',').filter(|one| !one.trim().is_empty()) {
            holds |= is_met(condition.trim(), call)?;
        }
        if holds {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Whether sizes and ranks are in `SIZE[-SIZE][@RANKS[-RANKS]]`.
fn is_met(condition: &str, call: &Call) -> Result<bool, String> {
    let (sizes, ranks) = condition.split_once('@').map_or((condition, None), |(sizes, ranks)| (sizes, Some(ranks)));
    let span = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| format!("{condition} is not a condition"));
        Ok::<_, String>(number(first)?..=number(last)?)
    };
    if let Some(ranks) = ranks
        && !span(ranks)?.contains(&call.ranks)
    {
        return Ok(false);
    }
    let sizes = span(sizes)?;
    let Some(bytes) = call.bytes else {
        return Err(DIFFERENT_SIZES.to_owned());
    };
    Ok(sizes.contains(&bytes))
}
