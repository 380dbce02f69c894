//! Names the library as programs look for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Programs that nvcc linked ask for every name with the version `libcudart.so.12`. GNU's linker gives the names
        // the library's own name as their version; others have no such option. Exit handlers call in to the end.
        for argument in ["-fuse-ld=bfd", "-Wl,-soname,libcudart.so.12", "-Wl,--default-symver", "-Wl,-z,nodelete"] {
            println!("cargo::rustc-cdylib-link-arg={argument}");
        }
    }
}
