// Cube maps, with faces that end at their edges and seamless ones, cubes with numbers, and surfaces of faces.
#include "check.h"
#include <vector>
__global__ void look(cudaTextureObject_t cube, const float3 *at, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = texCubemap<float>(cube, at[i].x, at[i].y, at[i].z);
}
__global__ void look_in_layers(cudaTextureObject_t cubes, const float3 *at, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = texCubemapLayered<float>(cubes, at[i].x, at[i].y, at[i].z, i - 2);
}
__global__ void add_to_faces(cudaSurfaceObject_t cube, int side) {
    int x = threadIdx.x % side, y = threadIdx.x / side, face = blockIdx.x;
    float value;
    surfCubemapread(&value, cube, x * 4, y, face);
    surfCubemapwrite(value + 100.0f * face, cube, x * 4, y, face);
}
static cudaArray_t numbered(int side, int faces, unsigned flags) {
    std::vector<float> texels(side * side * faces);
    for (size_t i = 0; i < texels.size(); i++) texels[i] = float(i);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(side, side, faces), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), side * 4, side, side);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(side, side, faces);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}
int main() {
    const float3 directions[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},    {0, -1, 0},           {0, 0, 1},
                                 {0, 0, -1}, {1, 1, 0},  {1, 1, 1},    {-1, -1, -1},         {0, 0, 0},
                                 {1, 0.9f, 0.1f},        {-2, 1.9f, 0.4f}, {0.3f, -0.99f, 0.98f}};
    const int n = sizeof directions / sizeof *directions;
    float3 *at;
    float *out, seen[n];
    CHECK(cudaMalloc(&at, sizeof directions));
    CHECK(cudaMalloc(&out, sizeof seen));
    CHECK(cudaMemcpy(at, directions, sizeof directions, cudaMemcpyHostToDevice));
    cudaArray_t array = numbered(4, 6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    auto show = [&](const char *name, int count) {
        CHECK(cudaMemcpy(seen, out, count * 4, cudaMemcpyDeviceToHost));
        printf("%s:", name);
        for (int i = 0; i < count; i++) printf(" %g", seen[i]);
        printf("\n");
    };
    const char *names[] = {"nearest", "linear", "seamless"};
    for (int mode = 0; mode < 3; mode++) {
        cudaTextureDesc texture = {};
        texture.normalizedCoords = 1;
        texture.filterMode = mode ? cudaFilterModeLinear : cudaFilterModePoint;
        texture.seamlessCubemap = mode == 2;
        for (auto &address : texture.addressMode) address = cudaAddressModeClamp;
        cudaTextureObject_t cube;
        CHECK(cudaCreateTextureObject(&cube, &resource, &texture, nullptr));
        look<<<1, 32>>>(cube, at, out, n);
        show(names[mode], n);
        CHECK(cudaDestroyTextureObject(cube));
    }
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    add_to_faces<<<6, 16>>>(surface, 4);
    CHECK(cudaDestroySurfaceObject(surface));
    cudaTextureDesc texture = {};
    texture.normalizedCoords = 1;
    cudaTextureObject_t cube;
    CHECK(cudaCreateTextureObject(&cube, &resource, &texture, nullptr));
    look<<<1, 32>>>(cube, at, out, 6);
    show("written", 6);
    CHECK(cudaDestroyTextureObject(cube));
    CHECK(cudaFreeArray(array));
    resource.res.array.array = array = numbered(2, 18, cudaArrayCubemap | cudaArrayLayered);
    CHECK(cudaCreateTextureObject(&cube, &resource, &texture, nullptr));
    look_in_layers<<<1, 32>>>(cube, at, out, 6);
    show("layers", 6);
    CHECK(cudaDestroyTextureObject(cube));
    CHECK(cudaFreeArray(array));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaError_t code = cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 5, 6), cudaArrayCubemap);
    printf("not a cube: %s\n", cudaGetErrorName(code));
    cudaGetLastError();
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
}
