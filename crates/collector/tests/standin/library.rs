//! A library that defines every function of the MPI interface and leaves what each does to a hook.
//!
//! To the collector it is an MPICH: it defines `PMPI_Init`, and nothing that only others have. Handles are `int`s.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most arguments that a function has, and some more.
pub const WORDS: usize = 20;

/// Called in place of every function: its id, its arguments as words. Those beyond its last argument are anything.
pub type Hook = unsafe extern "C" fn(u32, *mut u64) -> u64;

/// Compiles it in `folder`, with the compiler that links Rust programs.
pub fn build(folder: &Path) -> PathBuf {
    let list = |form: &dyn Fn(usize) -> String| (0..WORDS).map(form).collect::<Vec<_>>().join(", ");
    let (parameters, arguments) = (list(&|i| format!("u a{i}")), list(&|i| format!("a{i}")));
    let mut text = format!(
        "typedef unsigned long u;\n\
         u (*standin_hook)(unsigned, u *);\n\
         #define F(id, name) \\\n\
         u P##name({parameters}) {{ u a[] = {{{arguments}}}; return standin_hook ? standin_hook(id, a) : 1; }} \\\n\
         u name({parameters}) __attribute__((alias(\"P\" #name)));\n"
    );
    for id in mpiscope_abi::ids() {
        let name = mpiscope_abi::name(id);
        // Only the standard ABI has these.
        if !name.starts_with("MPI_Abi_") {
            writeln!(text, "F({id}, {name})").expect("a string takes all");
        }
    }
    let (source, library) = (folder.join("standin.c"), folder.join("libstandin.so"));
    fs::write(&source, text).expect("the source of the stand-in");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status =
        Command::new(compiler).args(["-w", "-O1", "-fPIC", "-shared", "-o"]).arg(&library).arg(&source).status();
    assert!(status.expect("a C compiler").success(), "the stand-in does not compile");
    library
}
