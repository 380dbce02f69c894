// Properties agree with attributes.
#include "check.h"
#include <string.h>

int main() {
    int count, device, version, driver;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaRuntimeGetVersion(&version));
    CHECK(cudaDriverGetVersion(&driver));
    printf("some device: %d, this is %d, versions fit: %d %d\n", count > 0, device, version >= CUDART_VERSION,
           driver >= version);
    cudaDeviceProp p;
    memset(&p, 0xff, sizeof p);
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("has a name: %d\n", strlen(p.name) > 0 && strlen(p.name) < 256);
    printf("warp %d, threads %d, block %d %d %d, grid %d %d %d\n", p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("constants %zu, shared %zu, unified %d, managed %d\n", p.totalConstMem, p.sharedMemPerBlock,
           p.unifiedAddressing, p.managedMemory);
    struct {
        cudaDeviceAttr attribute;
        long long value;
    } pairs[] = {
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)p.sharedMemPerBlockOptin},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)p.reservedSharedMemPerBlock},
        {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
        {cudaDevAttrMaxSurface3DDepth, p.maxSurface3D[2]},
        {cudaDevAttrClusterLaunch, p.clusterLaunch},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
    };
    int wrong = 0;
    for (auto pair : pairs) {
        int value;
        CHECK(cudaDeviceGetAttribute(&value, pair.attribute, 0));
        wrong += value != pair.value;
    }
    printf("%d attributes differ\n", wrong);
    size_t free, total;
    CHECK(cudaMemGetInfo(&free, &total));
    printf("memory: %d %d\n", free <= total, total <= p.totalGlobalMem);
    char id[20];
    int found = -1;
    CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    CHECK(cudaDeviceGetByPCIBusId(&found, id));
    printf("found by its bus: %d\n", found);
}
