//! `mpi_api.toml` as types.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The whole table.
#[derive(Deserialize)]
pub struct Table {
    kind: BTreeMap<String, [String; 4]>,
    /// By C name.
    pub function: BTreeMap<String, Function>,
}

/// One function and its twins in other bindings.
#[derive(Deserialize)]
pub struct Function {
    pub id: u32,
    pub groups: Vec<String>,
    #[serde(default)]
    pub large: bool,
    #[serde(default)]
    pub f90: bool,
    #[serde(default)]
    pub f08: bool,
    #[serde(default)]
    pub post31: bool,
    pub returns: Option<String>,
    params: Vec<String>,
}

/// One parameter.
#[derive(Clone)]
pub struct Param {
    pub name: String,
    pub kind: String,
    pub direction: String,
    pub array: bool,
    pub at_root: bool,
    large_only: bool,
    by_value: bool,
    by_pointer: bool,
    fortran_only: bool,
    c_only: bool,
}

impl Param {
    fn parse(text: &str) -> Param {
        let mut parts = text.split(':').map(str::to_owned);
        let mut next = || parts.next().unwrap_or_default();
        let (name, kind, direction, flags) = (next(), next(), next(), next());
        Param {
            array: flags.contains('a'),
            at_root: flags.contains('r'),
            large_only: flags.contains('L'),
            by_value: flags.contains('V'),
            by_pointer: flags.contains('P'),
            fortran_only: flags.contains('f'),
            c_only: flags.contains('c'),
            name,
            kind,
            direction,
        }
    }
    /// Whether C passes a pointer to the single value.
    pub fn c_pointer(&self) -> bool {
        !self.by_value && !self.array && (self.direction != "in" || self.by_pointer)
    }
}

/// A parameter with its places.
pub struct Placed {
    pub param: Param,
    /// Index in C, if C has it.
    pub c: Option<u8>,
    /// Index in Fortran.
    pub f: Option<u8>,
    /// 64 bits wide.
    pub wide: bool,
}

impl Table {
    pub fn read(path: &Path) -> Result<Table> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(toml::from_str(&text)?)
    }

    /// Parameters of the small or the large form.
    pub fn params(&self, function: &Function, large: bool) -> Vec<Placed> {
        let (mut c, mut f) = (0, 0);
        let place = |index: &mut u8, present: bool| {
            let here = *index;
            *index += u8::from(present);
            present.then_some(here)
        };
        function
            .params
            .iter()
            .map(|text| Param::parse(text))
            .filter(|p| large || !p.large_only)
            .map(|param| {
                let in_c = !param.fortran_only;
                let in_f = !param.c_only && self.kind[&param.kind][2] != "None";
                Placed { c: place(&mut c, in_c), f: place(&mut f, in_f), wide: self.wide(&param.kind, large), param }
            })
            .collect()
    }

    fn wide(&self, kind: &str, large: bool) -> bool {
        let c = &self.kind[kind][usize::from(large && kind.starts_with("POLY"))];
        matches!(c.as_str(), "MPI_Aint" | "MPI_Count" | "MPI_Offset")
    }
}
