// Addresses first, memory later: two pieces mapped side by side.
// nvcc: -lcuda
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult code, int line) {
    const char *name = "?";
    if (code == CUDA_SUCCESS) return;
    cuGetErrorName(code, &name);
    printf("line %d: %s\n", line, name);
    exit(1);
}
#define CHECK(call) check((call), __LINE__)

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmemGenericAllocationHandle pieces[2];
    CUmemAllocationProp properties = {0};
    CUmemAccessDesc access = {0};
    CUdeviceptr base;
    size_t bytes;
    unsigned char host[4];
    int supported;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    CHECK(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(cuMemAddressReserve(&base, 2 * bytes, 0, 0, 0));
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    for (int i = 0; i < 2; i++) {
        CHECK(cuMemCreate(&pieces[i], bytes, &properties, 0));
        CHECK(cuMemMap(base + i * bytes, bytes, 0, pieces[i], 0));
    }
    CHECK(cuMemSetAccess(base, 2 * bytes, &access, 1));
    CHECK(cuMemsetD8(base, 1, bytes));
    CHECK(cuMemsetD8(base + bytes, 2, bytes));
    CHECK(cuMemcpyDtoH(host, base + bytes - 2, 2));
    CHECK(cuMemcpyDtoH(host + 2, base + bytes, 2));
    printf("supported %d: %d %d %d %d\n", supported, host[0], host[1], host[2], host[3]);
    CHECK(cuMemUnmap(base, 2 * bytes));
    CHECK(cuMemMap(base, bytes, 0, pieces[1], 0));
    CHECK(cuMemSetAccess(base, bytes, &access, 1));
    CHECK(cuMemcpyDtoH(host, base, 4));
    printf("the second piece is now first: %d\n", host[0]);
    CHECK(cuMemUnmap(base, bytes));
    for (int i = 0; i < 2; i++) CHECK(cuMemRelease(pieces[i]));
    CHECK(cuMemAddressFree(base, 2 * bytes));
    CHECK(cuDevicePrimaryCtxRelease(device));
    return 0;
}
