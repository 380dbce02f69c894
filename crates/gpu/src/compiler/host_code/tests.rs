//! Programs as students write them, and what the scanner leaves of each.

use super::Sources;

fn device_text(text: &str) -> String {
    scan(text, "").device_text(0)
}

fn scan(text: &str, wanted: &str) -> Sources {
    Sources::scan(vec![("t.cu".into(), text.into())], wanted)
}

/// Checks what stays and what goes, and that nothing moved.
#[track_caller]
fn check(text: &str, stays: &[&str], goes: &[&str]) {
    let device = device_text(text);
    assert_eq!(device.len(), text.len());
    for (before, after) in text.bytes().zip(device.bytes()) {
        assert!(before == after || after == b' ' || after == b';', "{before} became {after}");
        assert_eq!(before == b'\n', after == b'\n');
    }
    for piece in stays {
        assert!(device.contains(piece), "`{piece}` should stay in:\n{device}");
    }
    for piece in goes {
        assert!(!device.contains(piece), "`{piece}` should go from:\n{device}");
    }
}

#[test]
fn vector_add_with_an_error_macro() {
    let text = r#"
#include <stdio.h>
#define N 1024
#define CHECK(call) { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } }
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // } not a brace
    if (i < n) c[i] = a[i] + b[i];
}
void fill(float *p, int n) { for (int i = 0; i < n; i++) p[i] = rand() / (float)RAND_MAX; }
int main(int argc, char **argv) {
    float *d; CHECK(cudaMalloc(&d, N * sizeof(float)));
    add<<<(N + 255) / 256, 256>>>(d, d, d, N);
    printf("brace in a string: }\n");
    return 0;
}
"#;
    check(text, &["#define N 1024", "c[i] = a[i] + b[i];\n}"], &["main", "fill", "<<<", "cudaMalloc(&d"]);
}

#[test]
fn helpers_that_kernels_use_stay() {
    let text = "int square(int x) { return x * x; }\nint unused(int x) { return x; }\nconst int W = 8, H = 9;\nint hosts = 3;\n\
                static int twice(int x) { return square(x) + W; }\n__global__ void k(int *a) { a[0] = twice(a[1]); }\n";
    check(text, &["square", "twice", "const int W"], &["unused", "hosts"]);
}

#[test]
fn templates_and_instances() {
    let text = "template <typename T, int N = (3 > 2)> __global__ void tile(T *a) { a[0] = N; }\n\
                template <class T> T host_sum(const std::vector<T> &v) { return v[0]; }\n\
                struct Add { __device__ int operator()(int a, int b) const { return a + b; } };\n\
                template <class Op> __global__ void fold(int *a, Op op) { a[0] = op(a[1], a[2]); }\n\
                int main() { tile<float, 16><<<1, 1>>>(0); fold<<<1, 1>>>(p, Add()); }";
    check(text, &["tile(T *a)", "fold(int *a, Op op)"], &["host_sum", "main", "struct Add"]);
    let with_instance = scan(text, "fold<Add>").device_text(0);
    assert!(with_instance.contains("struct Add { __device__ int operator()(int a, int b) const { return a + b; } };"));
}

#[test]
fn launched_instances_are_listed() {
    let text = "int main() { a::tile<float, 16> <<<1, 1>>>(p); plain<<<1, 1>>>(); if (x) tile< Box<int> ><<<1, 2>>>(); x = 1 << 2;\n\
                do_it(), a::tile<float, 16><<<2, 2>>>(q); <<< > <<< }";
    assert_eq!(scan(text, "").launched_instances(), ["a::tile<float, 16>", "tile< Box<int> >"]);
}

#[test]
fn modern_host_code_goes() {
    let text = r#"
#include <vector>
#include <chrono>
using namespace std;
using clk = std::chrono::high_resolution_clock;
static std::vector<float> host_data(1 << 20, 1.0f);
std::string title{"results"};
auto report = [](const char *what) { std::cout << what << "}" << std::endl; };
enum class Mode { Fast, Slow };
enum Color { RED, GREEN = 5 };
__constant__ float coefficients[16];
__global__ void k(int *a) { a[threadIdx.x] = GREEN; }
class Timer { cudaEvent_t start, stop; public: Timer() : start(0), stop{0} { cudaEventCreate(&start); } ~Timer() {} };
std::ostream &operator<<(std::ostream &out, const Timer &t) { return out << "t"; }
int main() try {
    auto t0 = clk::now();
    std::for_each(host_data.begin(), host_data.end(), [&](float &x) { x = 0; });
    const char *sql = R"x(} ' " )x";
    return 0;
} catch (...) { return 1; }
__device__ int last(int x) { return x; }
"#;
    check(
        text,
        &[
            "using namespace std;",
            "__constant__ float coefficients[16];",
            "enum Color",
            "__device__ int last(int x) { return x; }",
        ],
        &["host_data", "title", "report", "Timer", "main", "catch", "enum class Mode", "clk", "operator<<"],
    );
}

#[test]
fn namespaces_and_linkage_blocks_are_looked_through() {
    let text = "namespace lab { namespace inner {\n__global__ void k(int *a) { a[0] = 1; }\nvoid host() { k<<<1,1>>>(0); }\n} }\n\
                extern \"C\" {\n__global__ void c(int *a) { a[0] = 2; }\nint plain(void) { return 3; }\n}\n\
                extern \"C\" __global__ void d() {}\nextern \"C\" int host2() { return 1; }\nnamespace a::b { int main2() { return 0; } }\n\
                namespace cg = cooperative_groups;\nnamespace { __global__ void unnamed() {} }";
    check(
        text,
        &["void k(int", "void c(int", "void d()", "void unnamed()"],
        &["host()", "plain", "host2", "main2", "cg"],
    );
    let kernels = scan(text, "").kernels();
    let names: Vec<_> = kernels.iter().map(|k| (k.qualified.as_str(), k.is_local)).collect();
    assert_eq!(names, [("lab::inner::k", false), ("c", false), ("d", false), ("unnamed", true)]);
}

#[test]
fn classes_stay_with_their_device_methods() {
    let text = "class Matrix {\n  int rows;\npublic:\n  Matrix(int r) : rows(r) { cudaMalloc(&data, r); }\n\
                __host__ void print() { printf(\"x\"); }\n  __device__ float at(int i) const { return data[i]; }\n  float *data;\n};\n\
                __global__ void k(Matrix m, float *o) { o[0] = m.at(0); }\n";
    check(text, &["class Matrix", "at(int i)", "float *data;", "Matrix(int r)"], &["print"]);
}

#[test]
fn complaints_set_aside_bodies_then_members_then_items() {
    let text = "struct M {\n  M() { cudaMalloc(0, 1); }\n  __device__ int get() { return 1; }\n};\nint helper() { return host(); }\n\
                __global__ void k(M m, int *a) { a[0] = m.get() + helper(); }\n";
    let mut sources = scan(text, "");
    assert!(sources.set_aside("t.cu", 2));
    assert!(sources.device_text(0).contains("  M() ;"));
    assert!(sources.set_aside("t.cu", 2));
    assert!(!sources.device_text(0).contains("M()"));
    assert!(!sources.set_aside("t.cu", 2) && !sources.set_aside("t.cu", 3) && !sources.set_aside("t.cu", 6));
    assert!(sources.set_aside("t.cu", 5) && !sources.device_text(0).contains("helper() {"));
    assert!(!sources.set_aside("other.h", 1) && !sources.set_aside("t.cu", 99));
}

#[test]
fn conditionals_keep_their_balance() {
    let text = "#ifdef WIDE\n__global__ void k(long *a) {\n#else\n__global__ void k(int *a) {\n#endif\n  a[0] = 1;\n}\n\
                #if 0\nthis isn't code {{{ \"\n#endif\n#ifdef DEBUG\nvoid debug() { printf(\"}\"); }\n#endif\n\
                int main() {\n#pragma omp parallel for\n#ifdef DEBUG\n  debug();\n#endif\n#define LATE 3\n  return 0;\n}\n\
                #ifdef __cplusplus\nextern \"C\" {\n#endif\n__global__ void late(int *a) { a[0] = LATE; }\n#ifdef __cplusplus\n}\n#endif\n";
    check(
        text,
        &[
            "void k(long *a) {\n#else\n__global__ void k(int *a) {",
            "void late(int *a)",
            "#define LATE 3",
            "#endif\n  a[0] = 1;\n}",
        ],
        &["main", "debug()", "#pragma"],
    );
}

#[test]
fn marks_and_kernels_behind_macros() {
    let text = "#define HD __host__ __device__\n#define KERNEL extern \"C\" __global__ void\n\
                #define MAKE(T) __global__ void fill_##T(T *a) { a[0] = seed(); }\n\
                HD inline int seed() { return 7; }\nKERNEL k(int *a) { a[0] = 1; }\nMAKE(int)\nMAKE(float)\nint main() { return 0; }\n";
    check(text, &["seed() { return 7; }", "KERNEL k(int *a)", "MAKE(int)", "MAKE(float)"], &["main"]);
}

#[test]
fn declarations_of_many_shapes() {
    let text = "typedef struct { float x, y; } Point;\ntypedef float (*Fn)(float);\nstruct Node { Node *next; } *head;\nunion U { int i; float f; };\n\
                unsigned long long big[4] = {1, 2, 3, 4};\nstd::map<int, std::vector<int>> table;\nFILE *log_file;\nint proto(int a, int b);\n\
                template <typename T> struct Box { T v; };\ntemplate <> struct Box<int> { int w; };\ntemplate class Box<float>;\n\
                __device__ Point origin = {0, 0};\nstatic_assert(sizeof(int) == 4, \"x\");\n\
                __global__ void __launch_bounds__(256, 2) k(Point p, Box<int> b, U u) { big[0]; }\n\
                __global__ void proto_kernel(int *a);\nint arr[] = {1, 2}, other;\n;;\n";
    check(
        text,
        &[
            "} Point;",
            "big[4]",
            "struct Box { T v; };",
            "struct Box<int>",
            "union U",
            "k(Point p",
            "proto_kernel(int *a);",
        ],
        &["Fn)", "Node", "table", "log_file", "proto(int a, int b)", "arr[]", "static_assert"],
    );
    let kernels = scan(text, "").kernels();
    assert_eq!(kernels.len(), 1);
    assert_eq!(kernels[0].declaration, "__global__ void __launch_bounds__(256, 2) k(Point p, Box<int> b, U u)");
    assert_eq!(kernels[0].parameters, ["Point", "Box<int>", "U"]);
}

#[test]
fn parameter_types_are_told() {
    let text = "__global__ void k(const float *__restrict__ a, unsigned n, int out[], T &&x, float2 v = make_float2(1, 2), unsigned long long, void *p) {}";
    let kernels = scan(text, "").kernels();
    let expected = ["const float *", "unsigned", "int *", "T&&", "float2", "unsigned long long", "void *"];
    assert_eq!(kernels[0].parameters, expected);
    assert!(scan("__global__ void k(void) {}", "").kernels()[0].parameters.is_empty());
}

#[test]
fn accented_comments_keep_their_place() {
    check("// größe\nvoid hôte() { /* é */ }\n__global__ void k() {} // é\n", &["void k() {} // é"], &["void h"]);
}

#[test]
fn no_text_breaks_the_scanner() {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "template",
        "class",
        "A",
        "operator",
        "namespace",
        "extern",
        "\"C\"",
        "=",
        ";",
        ":",
        "::",
        "enum",
        "using",
        "typedef",
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "[",
        "]",
        ",",
        "~",
        "__global__",
        "public",
        "'",
        "R\"(",
    ];
    let mut state = 1u64;
    for _ in 0..1500 {
        let mut text = String::new();
        for _ in 0..24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            text.push(if state >> 60 & 1 == 0 { ' ' } else { '\n' });
        }
        let mut sources = scan(&text, "A<");
        sources.kernels();
        sources.set_aside("t.cu", 1);
        assert_eq!(sources.device_text(0).len(), text.len());
    }
    scan(&"namespace a {".repeat(5_000), "");
    scan(&"struct a {".repeat(5_000), "");
    scan(&"(".repeat(5_000), "");
}
