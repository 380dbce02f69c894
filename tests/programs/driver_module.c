// The driver API in C: PTX text, a module, its function and its variable.
// nvcc: -lcuda
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                   \
    do {                                                              \
        CUresult code_ = (call);                                      \
        if (code_ != CUDA_SUCCESS) {                                  \
            const char *name_ = "?";                                  \
            cuGetErrorName(code_, &name_);                            \
            printf("line %d: %s\n", __LINE__, name_);                 \
            exit(1);                                                  \
        }                                                             \
    } while (0)

static const char *ptx = ".version 7.0\n"
                         ".target sm_75\n"
                         ".address_size 64\n"
                         ".global .u32 factor = 3;\n"
                         ".visible .entry scale(.param .u64 data, .param .u32 n)\n"
                         "{\n"
                         "    .reg .pred %p;\n"
                         "    .reg .b32 %r<6>;\n"
                         "    .reg .b64 %d<4>;\n"
                         "    ld.param.u64 %d0, [data];\n"
                         "    ld.param.u32 %r0, [n];\n"
                         "    mov.u32 %r1, %tid.x;\n"
                         "    setp.ge.u32 %p, %r1, %r0;\n"
                         "    @%p bra end;\n"
                         "    cvta.to.global.u64 %d0, %d0;\n"
                         "    mul.wide.u32 %d1, %r1, 4;\n"
                         "    add.u64 %d2, %d0, %d1;\n"
                         "    ld.global.u32 %r2, [%d2];\n"
                         "    ld.global.u32 %r3, [factor];\n"
                         "    mul.lo.u32 %r4, %r2, %r3;\n"
                         "    st.global.u32 [%d2], %r4;\n"
                         "end:\n"
                         "    ret;\n"
                         "}\n";

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr data, factor;
    size_t bytes;
    unsigned host[16], n = 10, five = 5;
    const char *name = "?";
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&function, module, "scale"));
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK(cuMemAlloc(&data, sizeof host));
    for (unsigned i = 0; i < 16; i++) host[i] = i;
    CHECK(cuMemcpyHtoD(data, host, sizeof host));
    void *arguments[] = {&data, &n};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyHtoD(factor, &five, sizeof five));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(host, data, sizeof host));
    printf("%u %u %u, variable of %zu bytes\n", host[1], host[9], host[10], bytes);
    cuGetErrorName(cuModuleGetFunction(&function, module, "nothing"), &name);
    printf("no such function: %s\n", name);
    cuGetErrorName(cuModuleLoadData(&module, "this is not PTX"), &name);
    printf("no module: %s\n", name);
    CHECK(cuMemFree(data));
    CHECK(cuDevicePrimaryCtxRelease(device));
    return 0;
}
