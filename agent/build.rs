//! Links `libducktrack.so` so that it loads with glibc and with musl: it
//! needs `libc` and `libm`, and no library that only one of the two has.
//!
//! The linker scripts in `link` are found before the system's files of the same names.

fn main() {
    println!("cargo::rerun-if-changed=link");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/link");
    println!("cargo::rustc-cdylib-link-arg=-L{folder}");
}
