//! Names as the programmer wrote them.

use std::borrow::Cow;

/// Longer names are shown as they are: demanglers can need time beyond all proportion.
const LONGEST: usize = 2048;

/// A name from DWARF or a symbol table.
pub fn readable(raw: &str, fortran: bool) -> String {
    if raw.len() > LONGEST {
        return raw.to_owned();
    }
    if let Some(name) = gfortran_module(raw) {
        return name;
    }
    if fortran {
        return raw.strip_suffix('_').filter(|n| !n.is_empty()).unwrap_or(raw).to_owned();
    }
    addr2line::demangle_auto(Cow::Borrowed(raw), None).into_owned()
}

/// gfortran writes procedure `p` of module `m` as `__m_MOD_p`.
fn gfortran_module(raw: &str) -> Option<String> {
    let (module, procedure) = raw.strip_prefix("__")?.split_once("_MOD_")?;
    (!module.is_empty() && !procedure.is_empty()).then(|| format!("{module}::{procedure}"))
}

/// Whether names of a DWARF language carry Fortran's decoration.
pub fn is_fortran(language: Option<gimli::DwLang>) -> bool {
    const FORTRAN: [gimli::DwLang; 5] = [
        gimli::DW_LANG_Fortran77,
        gimli::DW_LANG_Fortran90,
        gimli::DW_LANG_Fortran95,
        gimli::DW_LANG_Fortran03,
        gimli::DW_LANG_Fortran08,
    ];
    language.is_some_and(|l| FORTRAN.contains(&l))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language() {
        assert_eq!(readable("exchange", false), "exchange");
        assert_eq!(readable("solvex_", true), "solvex");
        assert_eq!(readable("__grid_MOD_exchange", false), "grid::exchange");
        assert_eq!(readable("_ZN4halo8exchangeEi", false), "halo::exchange(int)");
        assert_eq!(readable("_RNvC4halo8exchange", false), "halo::exchange");
        let long = format!("_Z{}", "N".repeat(5000));
        assert_eq!(readable(&long, false), long);
    }
}
