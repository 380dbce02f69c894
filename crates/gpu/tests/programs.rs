//! Whole programs through the compiler. Needs NVRTC, found as the tool finds it; without one these tests say so.

use std::path::Path;
use warpwise_gpu::compiler::{CompileError, Compiled, Nvrtc, Source, compile_with, find};

fn nvrtc() -> Option<Nvrtc> {
    let (nvrtc, places) = find();
    if nvrtc.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: pip install nvidia-cuda-nvrtc");
        println!("skipped: no NVRTC in {} places; pip install nvidia-cuda-nvrtc", places.len());
    }
    nvrtc
}

fn compile_text(nvrtc: &Nvrtc, path: &Path, text: &str, entry: Option<&str>) -> Result<Compiled, CompileError> {
    let source = Source { path, text, entry, compute_capability: (9, 0), defines: &[], includes: &[], debug: false };
    compile_with(nvrtc, &source)
}

fn compile_file(nvrtc: &Nvrtc, name: &str, entry: Option<&str>) -> Compiled {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    compile_text(nvrtc, &path, &text, entry).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_c_program() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = compile_file(&nvrtc, "vector_add.cu", None);
    assert!(compiled.ptx.contains(".entry _Z6vecAddPKfS0_Pfi("));
    assert!(compiled.ptx.contains("vector_add.cu"), "line information names the file");
    assert_eq!(compiled.kernels.len(), 1);
    assert_eq!(
        compiled.kernels[0].declaration,
        "__global__ void vecAdd(const float *a, const float *b, float *c, int n)"
    );
}

#[test]
fn a_cxx_program() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = compile_file(&nvrtc, "modern.cu", Some("reduce<float, 256, ops::Plus>"));
    let instance = compiled.instance.as_deref().unwrap();
    for kernel in [instance, "_Z9transposePKfPfi", "_ZN3ops5clearE4View", &compiled.locals[0].0] {
        assert!(compiled.ptx.contains(&format!(".entry {kernel}(")), "{kernel}");
    }
    assert_eq!(compiled.locals[0].1, "local");
    assert_eq!(compiled.missing_headers, ["opencv2/opencv.hpp"]);
    let again = compile_file(&nvrtc, "modern.cu", None);
    assert_eq!(again.instance, None);
}

#[test]
fn errors_name_file_and_line() {
    let Some(nvrtc) = nvrtc() else { return };
    let program = "int main() { return host; }\n__global__ void k(int *a) {\n    a[0] = undefined_name;\n}\n";
    let error = compile_text(&nvrtc, Path::new("dir/bad.cu"), program, None).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("dir/bad.cu:3: identifier \"undefined_name\" is undefined"), "{text}");
    assert!(text.contains("     3 |     a[0] = undefined_name;"), "{text}");
    assert!(!text.contains("host"), "{text}");
}

#[test]
fn errors_in_a_helper_that_a_kernel_uses_are_the_helpers() {
    let Some(nvrtc) = nvrtc() else { return };
    let program = "int helper(int x) {\n    return nonsense + x;\n}\n__global__ void k(int *a) { a[0] = helper(1); }\n";
    let error = compile_text(&nvrtc, Path::new("bad.cu"), program, None).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("bad.cu:2: identifier \"nonsense\" is undefined"), "{text}");
    assert!(!text.contains("helper\" is undefined"), "{text}");
}

#[test]
fn an_unknown_instance_lists_the_templates() {
    let Some(nvrtc) = nvrtc() else { return };
    let program = "template <typename T> __global__ void scale(T *a) { a[0] = 2; }\n";
    for entry in ["shrink<int>", "scale<nothing>", "scale<int", "scale<int> int"] {
        let error = compile_text(&nvrtc, Path::new("t.cu"), program, Some(entry)).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, CompileError::Instance { .. }), "{entry}: {text}");
        assert!(text.contains("template <typename T> __global__ void scale(T *a)"), "{text}");
    }
    assert!(compile_text(&nvrtc, Path::new("t.cu"), program, Some(" scale<float> ")).is_ok());
}

#[test]
fn garbage_is_refused_politely() {
    let Some(nvrtc) = nvrtc() else { return };
    for text in ["\u{0}", "%$#@!", "#include", "}}}}", "\"", "#error no\n"] {
        assert!(compile_text(&nvrtc, Path::new("t.cu"), text, None).map(|c| c.kernels.is_empty()).unwrap_or(true));
    }
}
