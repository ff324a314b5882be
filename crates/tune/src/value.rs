//! Whether a value is one that the library accepts. Each family reads numbers and words in its own way; these were tried with
//! the libraries: MPICH ends the program at `1K` and at a wrong word, Open MPI takes `4K` and reads `abc` as 0.

use crate::Family;
use crate::nearest::nearest;
use crate::table::{Entry, Kind};

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The form is another one.
    Form {
        /// What was expected.
        expected: String,
    },
    /// A number outside of what is allowed.
    Range {
        /// What is allowed.
        allowed: String,
    },
    /// Not one of the words.
    Word {
        /// What is allowed.
        allowed: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
}

/// `None` if nothing is wrong.
pub(crate) fn check(entry: &Entry, value: &str) -> Option<Wrong> {
    let value = value.trim();
    // An empty value is how many people unset a variable.
    if value.is_empty() {
        return None;
    }
    if !entry.choices.is_empty() {
        return words(entry, value);
    }
    match entry.kind {
        Kind::Bool => (!is_bool(value)).then(|| form("yes or no")),
        Kind::Int if is_flag(entry) && is_bool(value) && value.parse::<i64>().is_err() => None,
        Kind::Int => whole(entry, value, "a whole number"),
        Kind::Uint => whole(entry, value, "a whole number that is not negative"),
        Kind::Size => size(entry, value),
        Kind::Count => match ["inf", "auto"].contains(&value) {
            true => None,
            false => whole(entry, value, "a whole number, inf or auto"),
        },
        Kind::Float => value.parse::<f64>().is_err().then(|| form("a number")),
        Kind::Time => time(value),
        // Intel's algorithms: a number, or ranges of sizes after it.
        Kind::Text if entry.limits != (None, None) => match value.parse::<i64>() {
            Ok(number) => range(entry, number),
            Err(_) => None,
        },
        Kind::Text | Kind::Choice | Kind::Place => None,
    }
}

fn form(expected: &str) -> Wrong {
    Wrong::Form { expected: expected.to_owned() }
}

fn is_bool(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "y", "n", "t", "f", "yes", "no", "on", "off", "true", "false", "enable", "disable", "enabled", "disabled",
        "try",
    ];
    words.contains(&lower.as_str()) || value.parse::<i64>().is_ok()
}

/// The control variables of the MPICH family have no type for yes and no: a default of 0 or 1 may be one.
fn is_flag(entry: &Entry) -> bool {
    matches!(entry.family, Family::Mpich | Family::Intel | Family::CrayMpich | Family::Mvapich)
        && ["0", "1"].contains(&entry.default.as_str())
}

fn words(entry: &Entry, value: &str) -> Option<Wrong> {
    let is_known = |word: &str| {
        let number = word.parse::<i64>().ok();
        entry
            .choices
            .iter()
            .any(|choice| choice.name.eq_ignore_ascii_case(word) || (number.is_some() && choice.number == number))
    };
    // UCX takes several ways to write yes.
    let is_yes_or_no = entry.choices.iter().any(|choice| ["yes", "y", "on"].contains(&choice.name.as_str()));
    if is_known(value) || (is_yes_or_no && is_bool(value)) {
        return None;
    }
    // A level between two named ones.
    let is_level = entry.name.ends_with("_verbose") || entry.name.ends_with("_level");
    if is_level && value.parse::<i64>().is_ok() {
        return None;
    }
    let names: Vec<&str> = entry.choices.iter().map(|choice| choice.name.as_str()).collect();
    let nearest = nearest(value, names.iter().copied()).map(Into::into);
    Some(Wrong::Word { allowed: names.join(", "), nearest })
}

fn whole(entry: &Entry, value: &str, expected: &str) -> Option<Wrong> {
    let Some(number) = number(entry.family, value) else {
        return Some(form(expected));
    };
    // Open MPI takes -1 for the largest number.
    if entry.kind != Kind::Int && number < 0 && !(number == -1 && entry.family == Family::OpenMpi) {
        return Some(form(expected));
    }
    range(entry, number)
}

fn range(entry: &Entry, number: i64) -> Option<Wrong> {
    let (least, most) = entry.limits;
    if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) {
        return None;
    }
    let allowed = match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("up to {most}"),
        (None, None) => return None,
    };
    Some(Wrong::Range { allowed })
}

fn size(entry: &Entry, value: &str) -> Option<Wrong> {
    if entry.family == Family::Ucx && ["inf", "auto"].contains(&value) {
        return None;
    }
    whole(entry, value, "a number of bytes")
}

fn time(value: &str) -> Option<Wrong> {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &value[digits.len()..];
    let is_time = digits.parse::<f64>().is_ok() && ["", "s", "us", "ms", "ns", "m"].contains(&unit);
    (!is_time && !["inf", "auto"].contains(&value)).then(|| form("a time such as 10ms"))
}

/// A whole number, as the family reads it.
pub(crate) fn number(family: Family, value: &str) -> Option<i64> {
    let value = value.trim();
    if let Some(hex) = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    let has_suffix = !matches!(family, Family::Mpich | Family::Libfabric);
    let lower = value.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &lower[digits.len()..] {
        "" => 1,
        "b" if has_suffix => 1,
        "k" | "kb" if has_suffix => 1 << 10,
        "m" | "mb" if has_suffix => 1 << 20,
        "g" | "gb" if has_suffix => 1 << 30,
        _ => return None,
    };
    digits.parse::<i64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::entry;

    fn problem(family: Family, name: &str, value: &str) -> Option<Wrong> {
        check(entry(family, name).unwrap(), value)
    }

    #[test]
    fn each_family_reads_numbers_in_its_own_way() {
        let open = |value| problem(Family::OpenMpi, "btl_tcp_eager_limit", value);
        assert_eq!(open("4K"), None);
        assert_eq!(open("-1"), None);
        assert!(matches!(open("abc"), Some(Wrong::Form { .. })));
        let mpich = |value| problem(Family::Mpich, "MPIR_CVAR_BCAST_SHORT_MSG_SIZE", value);
        assert_eq!(mpich("-5"), None);
        assert!(matches!(mpich("1K"), Some(Wrong::Form { .. })));
        let ucx = |value| problem(Family::Ucx, "UCX_RNDV_THRESH", value);
        for value in ["8k", "inf", "auto", "1MB"] {
            assert_eq!(ucx(value), None, "{value}");
        }
    }

    #[test]
    fn words_have_names_and_numbers() {
        let bcast = |value| problem(Family::OpenMpi, "coll_tuned_bcast_algorithm", value);
        assert_eq!(bcast("6"), None);
        assert_eq!(bcast("binomial"), None);
        assert!(matches!(bcast("33"), Some(Wrong::Word { nearest: None, .. })));
        match bcast("binomail") {
            Some(Wrong::Word { nearest, .. }) => assert_eq!(nearest.as_deref(), Some("binomial")),
            other => panic!("{other:?}"),
        }
        let barrier = |value| problem(Family::Mpich, "MPIR_CVAR_BARRIER_INTRA_ALGORITHM", value);
        assert_eq!(barrier("smp"), None);
        assert!(barrier("ring").is_some());
    }

    #[test]
    fn yes_has_many_forms() {
        for value in ["1", "0", "yes", "TRUE", "off", "7"] {
            assert_eq!(problem(Family::OpenMpi, "mpi_yield_when_idle", value), None, "{value}");
        }
        assert!(problem(Family::OpenMpi, "mpi_yield_when_idle", "maybe").is_some());
        assert_eq!(problem(Family::Mpich, "MPIR_CVAR_ASYNC_PROGRESS", "yes"), None);
        assert!(problem(Family::Mpich, "MPIR_CVAR_ASYNC_PROGRESS", "maybe").is_some());
    }
}
