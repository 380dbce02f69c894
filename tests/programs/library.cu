// Code that a program loads itself, as text.
#include "check.h"

static const char *text = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 limit = 20;\n"
                          ".visible .entry square(.param .u64 data)\n"
                          "{\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %d<4>;\n"
                          "    ld.param.u64 %d0, [data];\n"
                          "    cvta.to.global.u64 %d0, %d0;\n"
                          "    mov.u32 %r0, %tid.x;\n"
                          "    mul.wide.u32 %d1, %r0, 4;\n"
                          "    add.u64 %d2, %d0, %d1;\n"
                          "    mul.lo.u32 %r1, %r0, %r0;\n"
                          "    ld.global.u32 %r2, [limit];\n"
                          "    min.u32 %r1, %r1, %r2;\n"
                          "    st.global.u32 [%d2], %r1;\n"
                          "    ret;\n"
                          "}\n";

int main() {
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count;
    CHECK(cudaLibraryGetKernelCount(&count, library));
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library, "square"));
    void *address;
    size_t bytes;
    CHECK(cudaLibraryGetGlobal(&address, &bytes, library, "limit"));
    printf("%u kernel, a variable of %zu bytes\n", count, bytes);
    int *data, host[8];
    CHECK(cudaMalloc(&data, sizeof host));
    void *arguments[] = {&data};
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(8), arguments, 0, 0));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[2], host[4], host[7]);
    int forty = 40;
    CHECK(cudaMemcpy(address, &forty, sizeof forty, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(8), arguments, 0, 0));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[2], host[6], host[7]);
    printf("no such kernel: %s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "cube")));
    CHECK(cudaLibraryUnload(library));
    CHECK(cudaFree(data));
}
