// Linear filtering to the bit: every mode over many coordinates, as hexadecimal words.
#include "check.h"

constexpr int WIDTH = 5, HEIGHT = 4, DEPTH = 3, TEXELS = WIDTH * HEIGHT * DEPTH, POINTS = 48;

__device__ float coordinate(int i, int axis, bool normalized, int size) {
    // From well before the texture to well after it, in steps that meet no texel exactly for long.
    float x = -1.5f * size + (i * (axis + 1) % POINTS) * (4.0f * size / POINTS) + 0.0137f * (axis + 1) * i;
    return normalized ? x / size : x;
}

__global__ void sample(cudaTextureObject_t texture, int dimensions, bool normalized, float *out) {
    int i = threadIdx.x;
    float x = coordinate(i, 0, normalized, WIDTH);
    float y = coordinate(i, 1, normalized, HEIGHT);
    float z = coordinate(i, 2, normalized, DEPTH);
    out[i] = dimensions == 1   ? tex1D<float>(texture, x)
             : dimensions == 2 ? tex2D<float>(texture, x, y)
                               : tex3D<float>(texture, x, y, z);
}

__global__ void gather(cudaTextureObject_t texture, float *out) {
    int i = threadIdx.x;
    float4 four = tex2Dgather<float4>(texture, coordinate(i, 0, false, WIDTH), coordinate(i, 1, false, HEIGHT), 0);
    out[i] = four.x + 2 * four.y + 4 * four.z + 8 * four.w;
}

template <class T> cudaArray_t array_of(int dimensions, const T *texels, unsigned flags) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaExtent extent = make_cudaExtent(WIDTH, dimensions > 1 ? HEIGHT : 0, dimensions > 2 ? DEPTH : 0);
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T *>(texels), WIDTH * sizeof(T), WIDTH, HEIGHT);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(WIDTH, dimensions > 1 ? HEIGHT : 1, dimensions > 2 ? DEPTH : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

cudaTextureObject_t texture_of(cudaArray_t array, int mode, bool linear, bool fractions, bool normalized) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    cudaTextureDesc description = {};
    for (auto &each : description.addressMode) each = cudaTextureAddressMode(mode);
    for (auto &each : description.borderColor) each = 0.25f;
    description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    description.normalizedCoords = normalized;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

void print(const float *out) {
    unsigned words[POINTS];
    CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    for (int i = 0; i < POINTS; i++) printf("%08x%c", words[i], i % 12 == 11 ? '\n' : ' ');
}

template <class T> void run(const char *name, const T *texels, bool fractions, float *out) {
    const char *modes[] = {"wrap", "clamp", "mirror", "border"};
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        cudaArray_t array = array_of(dimensions, texels, 0);
        for (int mode = 0; mode < 4; mode++) {
            for (int normalized = 0; normalized < 2; normalized++) {
                // Wrapping and mirroring are for normalised coordinates only.
                if (!normalized && (mode == 0 || mode == 2)) continue;
                for (int linear = 0; linear < 2; linear++) {
                    cudaTextureObject_t texture = texture_of(array, mode, linear, fractions, normalized);
                    sample<<<1, POINTS>>>(texture, dimensions, normalized, out);
                    printf("%s %dD %s%s%s\n", name, dimensions, modes[mode], normalized ? " normalized" : "",
                           linear ? " linear" : "");
                    print(out);
                    CHECK(cudaDestroyTextureObject(texture));
                }
            }
        }
        CHECK(cudaFreeArray(array));
    }
}

int main() {
    float floats[TEXELS], *out;
    unsigned char bytes[TEXELS];
    unsigned short shorts[TEXELS];
    signed char signed_bytes[TEXELS];
    short signed_shorts[TEXELS];
    for (int i = 0; i < TEXELS; i++) {
        unsigned mixed = i * 2654435761u ^ i << 7;
        floats[i] = (mixed >> 8 & 0xffff) / 999.0f - 20.0f;
        bytes[i] = mixed >> 13;
        shorts[i] = mixed >> 11;
        // With the smallest ones, which are less than -1.
        signed_bytes[i] = i % 7 == 3 ? -128 : int(mixed >> 13);
        signed_shorts[i] = i % 7 == 3 ? -32768 : int(mixed >> 11);
    }
    CHECK(cudaMalloc(&out, POINTS * sizeof(float)));
    run("float", floats, false, out);
    run("byte", bytes, true, out);
    run("short", shorts, true, out);
    run("signed byte", signed_bytes, true, out);
    run("signed short", signed_shorts, true, out);
    cudaArray_t array = array_of(2, floats, cudaArrayTextureGather);
    cudaTextureObject_t texture = texture_of(array, cudaAddressModeClamp, false, false, false);
    gather<<<1, POINTS>>>(texture, out);
    printf("gather\n");
    print(out);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}
