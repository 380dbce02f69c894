// Kernels that compute, and a matrix turned over in two ways: what is said of them must be true.
typedef unsigned u32;

extern "C" __global__ void monte_carlo(u32* out, u32 tries) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 747796405u + 1, hits = 0;
    for (u32 t = 0; t < tries; t++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1;
    }
    out[i] = hits;
}

extern "C" __global__ void nbody(const float4* bodies, float4* forces, u32 n) {
    __shared__ float4 tile[128];
    u32 i = blockIdx.x * 128 + threadIdx.x;
    float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
    for (u32 first = 0; first < n; first += 128) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float4 o = tile[k];
            float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o.w * r * r * r;
            x += f * dx;
            y += f * dy;
            z += f * dz;
        }
        __syncthreads();
    }
    forces[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void mandelbrot(u32* out, u32 width, u32 height, u32 most) {
    u32 p = blockIdx.x * blockDim.x + threadIdx.x, x = p % width, y = p / width, k = 0;
    float cr = -2.2f + 3.2f * x / width, ci = -1.2f + 2.4f * y / height, r = 0, i = 0;
    while (k < most && r * r + i * i < 4) {
        float t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        k++;
    }
    out[p] = k;
}

extern "C" __global__ void turn(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void copy(const float* in, float* out, u32 n) {
    u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * n + x] = in[y * n + x];
}

extern "C" __global__ void counters(u32* out, u32 mask) {
    atomicAdd(out + ((blockIdx.x * blockDim.x + threadIdx.x) & mask), 1u);
}
