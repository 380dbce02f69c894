// The driver API beside the runtime: PTX that is refused with a log, pieces that are linked, packed arguments.
// nvcc: -lcuda
#include "check.h"
#include <cstring>
#include <cuda.h>
#include <string>
#define DRV(x)                                     \
    do {                                           \
        CUresult r_ = (x);                         \
        if (r_) {                                  \
            const char* n_;                        \
            cuGetErrorName(r_, &n_);               \
            printf("line %d: %s\n", __LINE__, n_); \
            exit(1);                               \
        }                                          \
    } while (0)
const char* A =
    ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) twice (.param .b32 "
    "x);\n.visible .global .align 4 .u32 bias = 5;\n.visible .entry apply(.param .u64 p, .param .u32 n, "
    ".param .f32 f)\n{ .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p; .reg .f32 %f<3>;\n ld.param.u64 %d0, "
    "[p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r1; @%p ret; mul.wide.u32 %d1, "
    "%r2, 4; add.u64 %d1, %d0, %d1; ld.global.u32 %r3, [%d1];\n { .param .b32 a; .param .b32 b; st.param.b32 "
    "[a], %r3; call (b), twice, (a); ld.param.b32 %r3, [b]; }\n ld.global.u32 %r4, [bias]; add.u32 %r3, %r3, "
    "%r4; ld.param.f32 %f1, [f]; cvt.rzi.u32.f32 %r4, %f1; add.u32 %r3, %r3, %r4; st.global.u32 [%d1], %r3; "
    "ret; }\n";
const char* B =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func (.param .b32 r) twice (.param .b32 x)\n{ "
    ".reg .b32 %r1; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n";
const char* BAD =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg .b32 %r1; add.u32 %r1, %r1, "
    "%r9; ret; }\n";
int main() {
    CHECK(cudaFree(0));
    char info[4096] = "", error[4096] = "";
    CUjit_option o[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                        CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                        CU_JIT_LOG_VERBOSE,      CU_JIT_OPTIMIZATION_LEVEL};
    void* v[] = {info, (void*)4096, error, (void*)4096, (void*)1, (void*)3};
    CUmodule m;
    CUresult r = cuModuleLoadDataEx(&m, BAD, 6, o, v);
    const char* name;
    cuGetErrorName(r, &name);
    printf("bad: %s, log %d, names the register %d\n", name, strlen(error) > 0,
           strstr(error, "r9") != nullptr);
    CUlinkState l;
    DRV(cuLinkCreate(6, o, v, &l));
    DRV(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void*)A, strlen(A) + 1, "a.ptx", 0, nullptr, nullptr));
    DRV(cuLinkAddData(l, CU_JIT_INPUT_PTX, (void*)B, strlen(B) + 1, "b.ptx", 0, nullptr, nullptr));
    void* image;
    size_t size;
    DRV(cuLinkComplete(l, &image, &size));
    DRV(cuModuleLoadData(&m, image));
    DRV(cuLinkDestroy(l));
    CUfunction f;
    DRV(cuModuleGetFunction(&f, m, "apply"));
    CUdeviceptr bias;
    size_t bytes;
    DRV(cuModuleGetGlobal(&bias, &bytes, m, "bias"));
    unsigned seven = 7;
    DRV(cuMemcpyHtoD(bias, &seven, 4));
    printf("bias has %zu bytes\n", bytes);
    unsigned h[64];
    for (int i = 0; i < 64; i++) h[i] = i;
    unsigned* d;
    CHECK(cudaMalloc(&d, 256));
    CHECK(cudaMemcpy(d, h, 256, cudaMemcpyHostToDevice));
    struct {
        CUdeviceptr p;
        unsigned n;
        float f;
    } args = {(CUdeviceptr)d, 64, 100.5f};
    size_t len = sizeof args;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &args, CU_LAUNCH_PARAM_BUFFER_SIZE, &len,
                     CU_LAUNCH_PARAM_END};
    DRV(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, nullptr, extra));
    CHECK(cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; i++) wrong += h[i] != 2u * i + 107;
    printf("linked: %d wrong\n", wrong);
    r = cuModuleGetFunction(&f, m, "nothing");
    cuGetErrorName(r, &name);
    printf("%s\n", name);
    int regs;
    DRV(cuModuleGetFunction(&f, m, "apply"));
    DRV(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    printf("threads %d\n", regs);
    const char* fn;
    DRV(cuFuncGetName(&fn, f));
    size_t off, sz;
    DRV(cuFuncGetParamInfo(f, 2, &off, &sz));
    printf("%s: third parameter at %zu of %zu bytes\n", fn, off, sz);
    r = cuFuncGetParamInfo(f, 3, &off, &sz);
    cuGetErrorName(r, &name);
    printf("fourth: %s\n", name);
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult q;
    CHECK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &entry, 12000, cudaEnableDefault, &q));
    size_t fr, tot;
    ((CUresult (*)(size_t*, size_t*))entry)(&fr, &tot);
    printf("entry %d, %d\n", q, fr <= tot && fr > 0);
    CUlibrary lib;
    DRV(cuLibraryLoadData(&lib, B, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned kc;
    DRV(cuLibraryGetKernelCount(&kc, lib));
    printf("library has %u kernels\n", kc);
    DRV(cuLibraryUnload(lib));
    DRV(cuModuleUnload(m));
    CUcontext c;
    DRV(cuCtxGetCurrent(&c));
    CUdevice dev;
    DRV(cuCtxGetDevice(&dev));
    unsigned flags;
    int active;
    DRV(cuDevicePrimaryCtxGetState(dev, &flags, &active));
    printf("primary active %d\n", active);
    cudaFree(d);
}
