//! Generates what is generated: `cargo run -p mpiscope-xtask -- gen [--check]`.
//!
//! Source: `crates/abi/mpi_api.toml`. Products: `crates/abi/src/generated.rs` (functions, the
//! steps that read their arguments, their parameters) and `crates/collector/src/generated.rs` (exported symbols).
//! `--check` writes nothing and fails when a product is stale.

mod functions;
mod params;
mod symbols;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["gen"] => false,
        ["gen", "--check"] => true,
        _ => bail!("usage: cargo run -p mpiscope-xtask -- gen [--check]"),
    };
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("crates/")?.to_path_buf();
    let table = table::Table::read(&crates.join("abi/mpi_api.toml"))?;
    let products: [(PathBuf, String); 2] = [
        (crates.join("abi/src/generated.rs"), functions::generate(&table)?),
        (crates.join("collector/src/generated.rs"), symbols::generate(&table)?),
    ];
    let mut stale = Vec::new();
    for (path, text) in products {
        if std::fs::read_to_string(&path).ok().as_deref() == Some(&text) {
            continue;
        }
        if check {
            stale.push(path.display().to_string());
        } else {
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
            println!("wrote {}", path.display());
        }
    }
    if !stale.is_empty() {
        bail!("stale: {}; run `cargo run -p mpiscope-xtask -- gen`", stale.join(", "));
    }
    Ok(())
}
