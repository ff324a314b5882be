//! Builds the preloaded libraries and embeds them in the crate when `MPISCOPE_EMBED` is set.
//!
//! `crates/cli/.cargo/config.toml` sets the variable. `cargo install --path crates/cli` reads that file;
//! a cargo started at the top of the checkout does not, so daily builds do not build the collector twice.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

const SWITCH: &str = "MPISCOPE_EMBED";

fn main() {
    println!("cargo::rerun-if-env-changed={SWITCH}");
    let out = PathBuf::from(variable("OUT_DIR"));
    let asked = env::var(SWITCH).is_ok_and(|value| value == "1");
    let text = match asked {
        true => carried(&libraries(&out)),
        false => {
            "/// Nothing: the libraries are beside the executable.\npub const CARRIED: Option<Carried> = None;\n".into()
        }
    };
    fs::write(out.join("carried.rs"), text).expect("cargo's own directory can be written");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is set by cargo"))
}

fn carried([library, runtime, yielding, openmp]: &[PathBuf; 4]) -> String {
    let mut hasher = DefaultHasher::new();
    for path in [library, runtime, yielding, openmp] {
        hasher.write(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }
    format!(
        "/// The libraries of this build.\npub const CARRIED: Option<Carried> = Some(Carried {{\n    bytes: include_bytes!({library:?}),\n    \
         runtime: include_bytes!({runtime:?}),\n    \
         yielding: include_bytes!({yielding:?}),\n    \
         openmp: include_bytes!({openmp:?}),\n    fingerprint: \"{:016x}\",\n}});\n",
        hasher.finish()
    )
}

/// Builds them in a separate target directory: the cargo that waits for this script holds the lock of its own.
fn libraries(out: &Path) -> [PathBuf; 4] {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../..");
    for part in ["abi", "trace", "codescan", "collector", "tsan", "yielding", "openmp"] {
        println!("cargo::rerun-if-changed={}", root.join("crates").join(part).display());
    }
    let (target, built) = (variable("TARGET"), out.join("collector"));
    let status = Command::new(variable("CARGO"))
        .args([
            "build",
            "--release",
            "--package",
            "mpiscope-collector",
            "--package",
            "mpiscope-tsan",
            "--package",
            "mpiscope-yielding",
            "--package",
            "mpiscope-openmp",
            "--target",
            &target,
        ])
        // Debug information would be two thirds of the executable.
        .args(["--config", "profile.release.strip='debuginfo'"])
        .arg("--target-dir")
        .arg(&built)
        .current_dir(&root)
        .env_remove(SWITCH)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the libraries cannot be built; see above");
    ["libmpiscope.so", "libmpiscope_tsan.so", "libmpiscope_yield.so", "libmpiscope_openmp.so"]
        .map(|name| built.join(&target).join("release").join(name))
}
