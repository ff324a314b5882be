//! Whether a symbol matches the function name that the user gave.

use crate::names;

/// Suffixes of compiler-generated copies that are called instead of the function itself. `.part` and `.cold` are pieces of a
/// function, entered from inside it.
const COPIES: [&str; 3] = [".constprop.", ".isra.", ".lto_priv."];
const PIECES: [&str; 2] = [".part.", ".cold"];

/// Whether `raw` is a compiler-generated copy of a function.
pub fn is_clone(raw: &str) -> bool {
    COPIES.iter().any(|mark| raw.contains(mark))
}

/// For people.
pub fn readable(raw: &str) -> String {
    let fortran = in_module(base(raw)).map(|(module, name)| format!("{module}::{name}"));
    fortran.unwrap_or_else(|| names::readable(raw, false))
}

/// Whether the symbol `raw` matches `wanted`; with `all`, by the beginning of its name.
pub fn matches(raw: &str, wanted: &str, all: bool) -> bool {
    if PIECES.iter().any(|mark| raw.contains(mark)) {
        return false;
    }
    let base = base(raw);
    let same = |name: &str| if all { name.starts_with(wanted) } else { name == wanted };
    if same(raw) || same(base) {
        return true;
    }
    // Fortran is case-insensitive; most compilers write lower case, some upper.
    let lower = wanted.to_lowercase();
    let alike = |name: &str| {
        let name = name.to_lowercase();
        if all { name.starts_with(&lower) } else { name == lower }
    };
    if let Some((module, name)) = in_module(base) {
        return alike(name) || alike(&format!("{module}::{name}"));
    }
    let decorated = base.strip_prefix("_QP").or_else(|| base.strip_suffix('_'));
    if decorated.is_some_and(|name| alike(name) || alike(name.trim_end_matches('_'))) {
        return true;
    }
    if !(base.starts_with("_Z") || base.starts_with("_R")) {
        return false;
    }
    // With and without the namespaces and classes around it.
    let name = plain(&names::readable(base, false));
    let mut rest = name.as_str();
    loop {
        if same(rest) {
            return true;
        }
        match rest.split_once("::") {
            Some((_, inner)) => rest = inner,
            None => return false,
        }
    }
}

/// Without the mark of a copy, and without the number of an internal procedure (`step.3`).
fn base(raw: &str) -> &str {
    let end = COPIES.iter().filter_map(|mark| raw.find(mark)).filter(|&at| at > 0).min().unwrap_or(raw.len());
    let raw = &raw[..end];
    match raw.rsplit_once('.') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => raw,
    }
}

/// Module and procedure, as gfortran, Intel's compilers, NAG's and flang write them.
fn in_module(raw: &str) -> Option<(&str, &str)> {
    if let Some(rest) = raw.strip_prefix("_QM") {
        return rest.split_once('P').filter(|(module, name)| !module.is_empty() && !name.is_empty());
    }
    let gfortran = raw.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_"));
    let others = || raw.split_once("_mp_").or_else(|| raw.split_once("_MP_"));
    let (module, name) = gfortran.or_else(|| others().map(|(module, name)| (module, name.trim_end_matches('_'))))?;
    (!module.is_empty() && !name.is_empty()).then_some((module, name))
}

/// `int ns::f<int>(double) const` is `ns::f`.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0usize;
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => {
                // `(anonymous namespace)::f` goes on; arguments end the name.
                if !name[..].starts_with("(anonymous") || plain.contains("::") {
                    break;
                }
                plain.push(c);
            }
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let start = if plain.contains("(anonymous") { 0 } else { plain.trim_end().rfind(' ').map_or(0, |at| at + 1) };
    plain[start..].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_write() {
        let yes = |raw: &str, wanted: &str| assert!(matches(raw, wanted, false), "{raw} {wanted}");
        let no = |raw: &str, wanted: &str| assert!(!matches(raw, wanted, false), "{raw} {wanted}");
        yes("solve", "solve");
        yes("solve.constprop.0", "solve");
        yes("solve.isra.0.constprop.1", "solve");
        no("solve.part.0", "solve");
        no("solve.cold", "solve");
        no("solver", "solve");
        yes("solve_", "solve");
        yes("solve_", "Solve");
        yes("my_solve__", "my_solve");
        yes("step.3", "step");
        for raw in ["__grid_MOD_exchange", "grid_mp_exchange_", "grid_MP_exchange", "_QMgridPexchange"] {
            yes(raw, "grid::exchange");
            yes(raw, "exchange");
            yes(raw, "Grid::Exchange");
            no(raw, "grid");
        }
        yes("_QPsolve", "solve");
        yes("_ZN4halo8exchangeEi", "halo::exchange");
        yes("_ZN4halo8exchangeEi", "exchange");
        no("_ZN4halo8exchangeEi", "halo");
        no("_ZN4halo8exchangeEi", "change");
        yes("_Z5solveIiEiT_", "solve");
        yes("_ZN12_GLOBAL__N_15solveEv", "solve");
        assert!(matches("_Z5solvei", "sol", true) && matches("solve_all", "solve", true));
        assert!(!matches("resolve", "solve", true));
    }
}
