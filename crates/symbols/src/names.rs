//! Names as in the source.

use std::borrow::Cow;

/// Longer names are not demangled, as demanglers can take extremely long for them.
const LONGEST: usize = 2048;

/// A name from DWARF or a symbol table.
pub fn readable(raw: &str, fortran: bool) -> String {
    if raw.len() > LONGEST {
        return raw.to_owned();
    }
    let raw = without_clone(raw);
    if let Some(name) = gfortran_module(raw).or_else(|| cython(raw)) {
        return name;
    }
    if fortran {
        return raw.strip_suffix('_').filter(|n| !n.is_empty()).unwrap_or(raw).to_owned();
    }
    addr2line::demangle_auto(Cow::Borrowed(raw), None).into_owned()
}

/// `f.constprop.0`, `f.isra.0`, `f.part.0`, `f.cold` are the compiler's copies of `f`.
fn without_clone(raw: &str) -> &str {
    const CLONES: [&str; 4] = [".constprop.", ".isra.", ".part.", ".cold"];
    CLONES.iter().filter_map(|mark| raw.find(mark)).filter(|&at| at > 0).min().map_or(raw, |at| &raw[..at])
}

/// Cython writes method `Send` of class `Comm` of module `mpi4py.MPI` as
/// `__pyx_pw_6mpi4py_3MPI_4Comm_69Send`: names with their length, then a counter and the method.
fn cython(raw: &str) -> Option<String> {
    let kinds = ["__pyx_pw_", "__pyx_pf_", "__pyx_f_"];
    let mut rest = kinds.iter().find_map(|kind| raw.strip_prefix(kind))?;
    let mut parts = Vec::new();
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, name) = rest.split_at(digits);
        let length: usize = number.parse().unwrap_or(0);
        match name.get(..length).zip(name.get(length..).and_then(|tail| tail.strip_prefix('_'))) {
            Some((part, tail)) if length > 0 && !tail.is_empty() => {
                parts.push(part);
                rest = tail;
            }
            _ => {
                parts.push(name);
                break;
            }
        }
    }
    (parts.len() > 1 && parts.iter().all(|part| !part.is_empty())).then(|| parts.join("."))
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
        assert_eq!(readable("__pyx_pw_6mpi4py_3MPI_4Comm_69Send", false), "mpi4py.MPI.Comm.Send");
        assert_eq!(readable("__pyx_f_6mpi4py_3MPI_PyMPI_recv_p2p.constprop.0", false), "mpi4py.MPI.PyMPI_recv_p2p");
        assert_eq!(readable("__pyx_pw_", false), "__pyx_pw_");
        assert_eq!(readable("exchange.isra.0", false), "exchange");
        let long = format!("_Z{}", "N".repeat(5000));
        assert_eq!(readable(&long, false), long);
    }
}
