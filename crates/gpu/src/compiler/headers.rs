//! Stand-ins for the headers of host programs.
//!
//! NVRTC has no host headers, and device code needs little from them: some types, constants and functions. A program
//! that includes `stdio.h`, `vector` or `cuda_runtime.h` gets these short texts instead; what NVRTC has built in
//! (`printf`, `dim3`, `cudaError_t`, the mathematical functions) is not repeated.

/// The header that every program gets first, as nvcc includes `cuda_runtime.h`.
pub(super) const BASE: (&str, &str) = ("warpwise_base.h", include_str!("stand_ins/base.h"));

const INTEGERS: &str = include_str!("stand_ins/integers.h");
const LIMITS: &str = include_str!("stand_ins/limits.h");
const FLOAT: &str = include_str!("stand_ins/float.h");
const STANDARD: &str = include_str!("stand_ins/standard.h");
/// `NDEBUG` works with NVRTC's own `assert`.
const NOTHING: &str = "#pragma once\n";
const FORWARD: &str = "#pragma once\n#include <warpwise_standard.h>\n";
const FORWARD_INTEGERS: &str = "#pragma once\n#include <stdint.h>\n";
const FORWARD_LIMITS: &str = "#pragma once\n#include <limits.h>\n";
const FORWARD_FLOAT: &str = "#pragma once\n#include <float.h>\n";

/// Headers whose text another stand-in includes; these are always passed.
pub(super) const ALWAYS: [(&str, &str); 5] =
    [BASE, ("stdint.h", INTEGERS), ("limits.h", LIMITS), ("float.h", FLOAT), ("warpwise_standard.h", STANDARD)];

/// C headers that need nothing beyond [`BASE`], and CUDA headers that NVRTC has built in.
const PLAIN: [&str; 52] = [
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "math.h",
    "time.h",
    "assert.h",
    "stdbool.h",
    "stddef.h",
    "stdarg.h",
    "ctype.h",
    "errno.h",
    "signal.h",
    "locale.h",
    "memory.h",
    "malloc.h",
    "unistd.h",
    "getopt.h",
    "fcntl.h",
    "pthread.h",
    "omp.h",
    "mpi.h",
    "windows.h",
    "Windows.h",
    "conio.h",
    "sys/time.h",
    "sys/types.h",
    "sys/stat.h",
    "sys/mman.h",
    "sys/resource.h",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_device_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "device_atomic_functions.h",
    "builtin_types.h",
    "driver_types.h",
    "vector_types.h",
    "vector_functions.h",
    "cuda_profiler_api.h",
    "cuda_gl_interop.h",
    "math_functions.h",
    "sm_20_atomic_functions.h",
    "sm_60_atomic_functions.h",
    "texture_types.h",
    "surface_types.h",
    "host_defines.h",
    "crt/device_functions.h",
    "nvToolsExt.h",
    "nvtx3/nvToolsExt.h",
];

/// Headers of host libraries: device code cannot use them, so they are empty here.
const HOST_LIBRARIES: [&str; 22] = [
    "helper_cuda.h",
    "helper_functions.h",
    "helper_timer.h",
    "helper_string.h",
    "helper_image.h",
    "helper_math.h",
    "cublas.h",
    "cublas_v2.h",
    "cublasLt.h",
    "cublasXt.h",
    "cudnn.h",
    "cufft.h",
    "cufftXt.h",
    "curand.h",
    "cusolverDn.h",
    "cusparse.h",
    "cusparse_v2.h",
    "npp.h",
    "nccl.h",
    "nvml.h",
    "nvrtc.h",
    "cutil.h",
];

/// Headers of the C++ library.
const CXX: [&str; 62] = [
    "iostream",
    "ostream",
    "istream",
    "iosfwd",
    "ios",
    "fstream",
    "sstream",
    "iomanip",
    "vector",
    "string",
    "string_view",
    "algorithm",
    "numeric",
    "memory",
    "map",
    "set",
    "unordered_map",
    "unordered_set",
    "utility",
    "functional",
    "thread",
    "mutex",
    "atomic",
    "future",
    "condition_variable",
    "chrono",
    "random",
    "array",
    "list",
    "deque",
    "queue",
    "stack",
    "tuple",
    "optional",
    "variant",
    "any",
    "iterator",
    "limits",
    "type_traits",
    "cmath",
    "complex",
    "cstddef",
    "cstdio",
    "cstdlib",
    "cstring",
    "cassert",
    "ctime",
    "cctype",
    "cerrno",
    "csignal",
    "cstdarg",
    "new",
    "exception",
    "stdexcept",
    "typeinfo",
    "initializer_list",
    "bitset",
    "regex",
    "filesystem",
    "valarray",
    "ratio",
    "locale",
];

/// Device headers that come with CUDA: the header, and the packages that have it (CUDA 13, CUDA 12).
const DEVICE: [(&str, &str, &str); 13] = [
    ("cuda_fp16.h", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cuda_bf16.h", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cuda_fp8.h", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cooperative_groups", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cuda_pipeline", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cuda_awbarrier", "nvidia-cuda-runtime nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12"),
    ("cuComplex.h", "nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    ("math_constants.h", "nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    ("mma.h", "nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl", "nvidia-cuda-runtime-cu12 nvidia-cuda-nvcc-cu12"),
    ("crt/", "nvidia-cuda-crt", "nvidia-cuda-nvcc-cu12"),
    ("curand_", "nvidia-curand nvidia-cuda-crt", "nvidia-curand-cu12 nvidia-cuda-nvcc-cu12"),
    ("cuda/", "nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    ("cub/", "nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
];

/// The stand-in for a header, if it is one that host programs use.
pub(super) fn stand_in(name: &str) -> Option<&'static str> {
    match name {
        "stdint.h" => Some(INTEGERS),
        "limits.h" => Some(LIMITS),
        "float.h" => Some(FLOAT),
        "cstdint" | "inttypes.h" | "cinttypes" => Some(FORWARD_INTEGERS),
        "climits" => Some(FORWARD_LIMITS),
        "cfloat" => Some(FORWARD_FLOAT),
        _ if CXX.contains(&name) => Some(FORWARD),
        _ if PLAIN.contains(&name) || HOST_LIBRARIES.contains(&name) || name.starts_with("thrust/") => Some(NOTHING),
        _ => None,
    }
}

/// What to install for a device header that was not found.
pub(super) fn package_of(name: &str, cuda: u32) -> Option<&'static str> {
    let (_, thirteen, twelve) = DEVICE.iter().find(|(header, ..)| name.starts_with(header))?;
    Some(if cuda >= 13 { thirteen } else { twelve })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_headers_have_stand_ins() {
        for name in
            ["stdio.h", "cuda_runtime.h", "iostream", "cmath", "climits", "thrust/device_vector.h", "sys/time.h"]
        {
            assert!(stand_in(name).is_some(), "{name}");
        }
        for name in ["cuda_fp16.h", "cooperative_groups/reduce.h", "mma.h", "cub/cub.cuh"] {
            assert!(stand_in(name).is_none() && package_of(name, 13).is_some(), "{name}");
        }
        assert_eq!(package_of("opencv2/opencv.hpp", 13), None);
    }
}
