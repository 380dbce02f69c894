//! Bad input: one clear error, exit status 2, nothing on stdout.

use super::{data, folder, mistake, warpwise};

const SHAPE: [&str; 4] = ["--grid", "1", "--block", "32"];

#[track_caller]
fn run(file: &str, more: &[&str]) -> String {
    mistake(&[&["run", file], &SHAPE[..], more].concat())
}

#[track_caller]
fn contains(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "`{piece}` in: {text}");
    }
}

#[test]
fn an_unknown_entry_lists_the_kernels() {
    let error = run(&data("pair.ptx"), &["--entry", "scael"]);
    contains(&error, &["no kernel `scael`", "scale(.u64 x, .f32 factor, .u32 n)", "fill(.u64 x, .b8[8] value)"]);
    contains(&run(&data("pair.ptx"), &[]), &["2 kernels", "--entry", "scale(", "fill("]);
    contains(&run(&data("vecadd.ptx"), &["--entry", "vec"]), &["vecAdd(const float*, const float*, float*, int)"]);
}

#[test]
fn wrong_arguments_show_the_signature() {
    let signature = "vecAdd(const float*, const float*, float*, int)";
    let file = data("vecadd.ptx");
    contains(&run(&file, &[]), &["takes 4 arguments, 0 given", signature, "--arg 'f32[LEN]:FILL'", "--arg i32=VALUE"]);
    let buffers = ["--arg", "f32[4]:zeros", "--arg", "f32[4]:zeros", "--arg", "f32[4]:zeros", "--arg"];
    let with = |last: &'static str| run(&file, &[&buffers[..], &[last]].concat());
    contains(&with("f32=4"), &["argument 3 (f32)", "write i32=VALUE", signature]);
    contains(&with("i64=4"), &["argument 3 (i64)", "4 bytes", signature]);
    contains(&with("f32[4]:ones"), &["argument 3 (f32[4])", "not a buffer", signature]);
    contains(
        &run(&file, &["--arg", "f32=1", "--arg", "f32=1", "--arg", "f32=1", "--arg", "i32=1"]),
        &["needs a buffer", signature],
    );
    let wide = ["--arg", "f64[4]:zeros", "--arg", "f32[4]:zeros", "--arg", "f32[4]:zeros", "--arg", "i32=4"];
    contains(&run(&file, &wide), &["argument 0 (f64[4])", "holds f32 values"]);
    let pair = data("pair.ptx");
    contains(
        &run(&pair, &["--entry", "fill", "--arg", "u32[4]:zeros", "--arg", "u32=1"]),
        &["struct of 8 bytes", "bytes=HEX"],
    );
    contains(&run(&pair, &["--entry", "fill", "--arg", "u32[4]:zeros", "--arg", "bytes=00"]), &["8 bytes, 1 given"]);
    contains(
        &run(&pair, &["--entry", "scale", "--arg", "f32[4]:zeros", "--arg", "i32=1", "--arg", "u32=1"]),
        &["f32=VALUE"],
    );
}

#[test]
fn sizes_below_nothing() {
    for verb in ["check", "explain"] {
        let error = mistake(&[verb, "reduce", "gpu-1-interleaved", "-n", "-5"]);
        contains(&error, &["-n", "-5"]);
        assert!(!error.contains("tip:"), "{error}");
    }
}

#[test]
fn arguments_that_cannot_be_read() {
    let file = data("vecadd.ptx");
    for (argument, problem) in [
        ("float=1", "`float` is not a type; the types are u8"),
        ("f32[4]:zeroes", "`zeroes` is not a fill"),
        ("f32[four]:zeros", "not a whole number"),
        ("u8=300", "does not fit u8"),
        ("f32[9]:file:/does/not/exist", "/does/not/exist"),
    ] {
        contains(&run(&file, &["--arg", argument]), &["argument 0", argument, problem, "TYPE[LEN]:FILL"]);
    }
    let short = folder("short").join("three.bin");
    std::fs::write(&short, [1, 2, 3]).unwrap();
    contains(&run(&file, &["--arg", &format!("f32[]:file:{}", short.display())]), &["3 bytes", "whole number of f32"]);
    contains(&run(&file, &["--arg", &format!("u8[4]:file:{}", short.display())]), &["length is 4", "holds 3"]);
}

#[test]
fn buffers_beyond_memory() {
    let error = run(
        &data("vecadd.ptx"),
        &["--arg", "f32[2^50]:zeros", "--arg", "f32[4]:zeros", "--arg", "f32[4]:zeros", "--arg", "i32=1"],
    );
    contains(&error, &["argument 0", "4503599627370496 bytes does not fit"]);
}

#[test]
fn files_that_are_no_kernels() {
    let here = folder("odd");
    let write = |name: &str, bytes: &[u8]| {
        let path = here.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    contains(&run(&write("a.txt", b"x"), &[]), &[".ptx file", ".cu file"]);
    contains(&run(&write("empty.ptx", b""), &[]), &["it is empty"]);
    contains(&run(&write("blank.cu", b" \n"), &[]), &["it is empty"]);
    contains(&run(&write("binary.ptx", b"\x7fELF\0\0"), &[]), &["not a text file"]);
    contains(&run(&write("garbage.ptx", b"hello, world\n"), &[]), &["garbage.ptx"]);
    contains(&run(&write("none.ptx", b".version 7.0\n.target sm_70\n.address_size 64\n"), &[]), &["no kernel"]);
    contains(&run(&here.join("missing.ptx").display().to_string(), &[]), &["cannot read", "missing.ptx"]);
    contains(&run(&here.display().to_string(), &[]), &["folder"]);
    std::fs::create_dir_all(here.join("dir.ptx")).unwrap();
    contains(&run(&here.join("dir.ptx").display().to_string(), &[]), &["folder"]);
}

#[test]
fn devices_and_gpus_that_are_not_there() {
    let file = data("vecadd.ptx");
    contains(&run(&file, &["--device", "cuda"]), &["emulator"]);
    contains(&run(&file, &["--gpu", "voodoo2"]), &["voodoo2", "h200", "a100"]);
}

#[test]
fn shapes_and_numbers() {
    let file = data("vecadd.ptx");
    for shape in ["0x", "1,2,3,4", "", "-1", "2^33", "a"] {
        let error = mistake(&["run", &file, "--block", "1", "--grid", shape]);
        contains(&error, &["--grid"]);
    }
    contains(&run(&file, &["--max-instructions", "many"]), &["--max-instructions"]);
    contains(&run(&file, &["--shared", "2^40"]), &["--shared"]);
}

#[test]
fn nothing_is_left_half_written() {
    let here = folder("blocked");
    std::fs::write(here.join("file"), "in the way").unwrap();
    let dump = here.join("file").display().to_string();
    let error = run(
        &data("pair.ptx"),
        &["--entry", "fill", "--arg", "u32[64]:zeros", "--arg", "bytes=0000000000000000", "--dump", &dump],
    );
    contains(&error, &[&dump]);
    assert_eq!(std::fs::read_to_string(here.join("file")).unwrap(), "in the way");
}

#[test]
fn help_has_examples() {
    for verb in ["run", "doctor"] {
        let output = warpwise(&[verb, "--help"]);
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().contains("Examples:"));
    }
    assert_eq!(warpwise(&["frob"]).status.code(), Some(2));
    assert_eq!(warpwise(&[]).status.code(), Some(2));
}
