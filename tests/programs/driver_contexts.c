// Several contexts by the driver API: a stack of them, each with its memory.
// nvcc: -lcuda
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(CUresult code, int line) {
    const char *name = "?";
    if (code == CUDA_SUCCESS) return;
    cuGetErrorName(code, &name);
    printf("line %d: %s\n", line, name);
    exit(1);
}
#define CHECK(call) check((call), __LINE__)

static const char *name_of(CUresult code) {
    const char *name = "?";
    cuGetErrorName(code, &name);
    return name;
}

static CUcontext create(void) {
    CUcontext context;
#if CUDA_VERSION >= 13000
    CHECK(cuCtxCreate(&context, NULL, 0, 0));
#else
    CHECK(cuCtxCreate(&context, 0, 0));
#endif
    return context;
}

int main(void) {
    CUdeviceptr a, b;
    CUcontext first, second, current, popped;
    unsigned char bytes[8];
    printf("before: %s\n", name_of(cuCtxGetCurrent(&current)));
    CHECK(cuInit(0));
    CHECK(cuCtxGetCurrent(&current));
    printf("none: %d\n", current == NULL);
    first = create();
    CHECK(cuMemAlloc(&a, 8));
    CHECK(cuMemsetD8(a, 1, 8));
    second = create();
    CHECK(cuMemAlloc(&b, 8));
    CHECK(cuMemsetD8(b, 2, 8));
    CHECK(cuCtxGetCurrent(&current));
    printf("the second is current: %d\n", current == second);
    CHECK(cuMemcpyDtoH(bytes, b, 8));
    printf("second has %d\n", bytes[7]);
    CHECK(cuCtxPopCurrent(&popped));
    CHECK(cuCtxGetCurrent(&current));
    printf("popped the second: %d, the first is current: %d\n", popped == second, current == first);
    CHECK(cuMemcpyDtoH(bytes, a, 8));
    printf("first has %d\n", bytes[7]);
    CHECK(cuCtxPushCurrent(second));
    CHECK(cuMemFree(b));
    CHECK(cuCtxDestroy(second));
    CHECK(cuCtxGetCurrent(&current));
    printf("the first is current: %d\n", current == first);
    CHECK(cuMemFree(a));
    CHECK(cuCtxDestroy(first));
    CHECK(cuCtxGetCurrent(&current));
    printf("none is left: %d\n", current == NULL);
    printf("after: %s\n", name_of(cuMemAlloc(&a, 8)));
    return 0;
}
