//! Symbol tables, for code without debug information.

use object::{Object, ObjectSymbol, SymbolKind};

/// Function symbols of one or more files, by address.
#[derive(Default)]
pub struct Table<'a> {
    symbols: Vec<(u64, u64, &'a str)>,
    sorted: bool,
}

impl<'a> Table<'a> {
    /// Adds the functions of `.symtab` and `.dynsym`.
    pub fn add(&mut self, object: &object::read::File<'a>) {
        for symbol in object.symbols().chain(object.dynamic_symbols()) {
            if symbol.kind() != SymbolKind::Text || symbol.is_undefined() {
                continue;
            }
            if let Ok(name) = symbol.name()
                && !name.is_empty()
            {
                self.symbols.push((symbol.address(), symbol.size(), name));
            }
        }
        self.sorted = false;
    }

    /// The function around `address`, and how far inside it is.
    pub fn find(&mut self, address: u64) -> Option<(&'a str, u64)> {
        if !self.sorted {
            // Of several names for one address the longest stretch and then the shortest name
            // wins: aliases with a size before bare labels, `f` before `f@plt`.
            self.symbols.sort_by_key(|&(at, size, name)| (at, size, std::cmp::Reverse(name.len())));
            self.sorted = true;
        }
        let after = self.symbols.partition_point(|&(at, ..)| at <= address);
        // Labels without a size reach to the next symbol, but not over whole sections.
        const LABEL: u64 = 1 << 16;
        let (at, size, name) = *self.symbols[..after].last()?;
        let inside = address - at;
        (inside < if size == 0 { LABEL } else { size }).then_some((name, inside))
    }
}
