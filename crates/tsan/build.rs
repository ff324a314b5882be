//! Gives the library the name that programs of GCC 12 and newer need theirs by.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for word in [
        "-Wl,-soname,libtsan.so.2",
        // What the compiler's own runtime brings with it: a linker may have left it out of the program for that.
        "-Wl,--no-as-needed",
        "-lm",
        "-lpthread",
        "-ldl",
    ] {
        println!("cargo::rustc-cdylib-link-arg={word}");
    }
}
