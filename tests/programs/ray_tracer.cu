// A ray tracer with recursion, virtual materials made on the device, and a hand-written generator a thread.
#include "check.h"
#include <cmath>
#include <vector>
struct V {
    float x, y, z;
    __host__ __device__ V operator+(V o) const {
        return {x + o.x, y + o.y, z + o.z};
    }
    __host__ __device__ V operator-(V o) const {
        return {x - o.x, y - o.y, z - o.z};
    }
    __host__ __device__ V operator*(float s) const {
        return {x * s, y * s, z * s};
    }
    __host__ __device__ V operator*(V o) const {
        return {x * o.x, y * o.y, z * o.z};
    }
};
__host__ __device__ float dot(V a, V b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ V unit(V a) {
    return a * (1 / sqrtf(dot(a, a)));
}
struct Rng {
    unsigned s;
    __device__ float next() {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return (s >> 8) * (1.0f / 16777216);
    }
    __device__ V ball() {
        V p;
        do p = {next() * 2 - 1, next() * 2 - 1, next() * 2 - 1};
        while (dot(p, p) >= 1);
        return p;
    }
};
struct Ray {
    V o, d;
};
struct Hit {
    float t;
    V p, n;
    int which;
};
struct Material {
    __device__ virtual bool scatter(const Ray& r, const Hit& h, Rng& g, V& c, Ray& out) const = 0;
    __device__ virtual ~Material() {
    }
};
struct Matte : Material {
    V c;
    __device__ Matte(V c) : c(c) {
    }
    __device__ bool scatter(const Ray&, const Hit& h, Rng& g, V& col, Ray& out) const override {
        col = c;
        out = {h.p, h.n + g.ball()};
        return true;
    }
};
struct Metal : Material {
    V c;
    float f;
    __device__ Metal(V c, float f) : c(c), f(f) {
    }
    __device__ bool scatter(const Ray& r, const Hit& h, Rng& g, V& col, Ray& out) const override {
        V d = unit(r.d);
        out = {h.p, d - h.n * (2 * dot(d, h.n)) + g.ball() * f};
        col = c;
        return dot(out.d, h.n) > 0;
    }
};
struct Sphere {
    V c;
    float r;
    Material* m;
};
__device__ bool hit(const Sphere* s, int n, const Ray& r, Hit& h) {
    bool any = false;
    h.t = 1e30f;
    for (int i = 0; i < n; i++) {
        V oc = r.o - s[i].c;
        float a = dot(r.d, r.d), b = dot(oc, r.d), c = dot(oc, oc) - s[i].r * s[i].r, q = b * b - a * c;
        if (q > 0) {
            float t = (-b - sqrtf(q)) / a;
            if (t > 1e-3f && t < h.t) {
                h.t = t;
                h.p = r.o + r.d * t;
                h.n = (h.p - s[i].c) * (1 / s[i].r);
                h.which = i;
                any = true;
            }
        }
    }
    return any;
}
__device__ V colour(const Sphere* s, int n, const Ray& r, Rng& g, int depth) {
    Hit h;
    if (hit(s, n, r, h)) {
        V c;
        Ray out;
        if (depth < 8 && s[h.which].m->scatter(r, h, g, c, out)) return c * colour(s, n, out, g, depth + 1);
        return {0, 0, 0};
    }
    float t = 0.5f * (unit(r.d).y + 1);
    return V{1, 1, 1} * (1 - t) + V{0.5f, 0.7f, 1} * t;
}
__global__ void build(Sphere* s, int n) {
    if (threadIdx.x || blockIdx.x) return;
    Rng g{12345};
    for (int i = 0; i < n; i++) {
        Material* m;
        if (i % 2)
            m = new Metal({0.8f, 0.6f, 0.2f}, 0.1f);
        else
            m = new Matte({g.next(), g.next(), g.next()});
        s[i] = i == 0 ? Sphere{{0, -100.5f, -1}, 100, m} : Sphere{{i * 0.7f - 2, 0, -1.5f}, 0.4f, m};
    }
}
__global__ void destroy(Sphere* s, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) delete s[i].m;
}
__global__ void render(uchar4* image, int w, int h, int samples, const Sphere* s, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Rng g{unsigned(y * w + x) * 2654435761u + 1};
    V c{0, 0, 0};
    for (int k = 0; k < samples; k++) {
        float u = (x + g.next()) / w * 4 - 2, v = (y + g.next()) / h * 2 - 1;
        c = c + colour(s, n, {{0, 0, 0}, {u, v, -1}}, g, 0);
    }
    c = c * (1.0f / samples);
    image[y * w + x] = make_uchar4(255.99f * sqrtf(c.x), 255.99f * sqrtf(c.y), 255.99f * sqrtf(c.z), 255);
}
int main() {
    const int W = 64, H = 32, N = 6;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    size_t st;
    CHECK(cudaDeviceGetLimit(&st, cudaLimitStackSize));
    printf("stack %zu\n", st);
    Sphere* s;
    uchar4* im;
    CHECK(cudaMalloc(&s, N * sizeof(Sphere)));
    CHECK(cudaMallocManaged(&im, W * H * 4));
    build<<<1, 1>>>(s, N);
    CHECK(cudaGetLastError());
    render<<<dim3(W / 8, H / 8), dim3(8, 8)>>>(im, W, H, 4, s, N);
    CHECK(cudaDeviceSynchronize());
    long long r = 0, g = 0, b = 0;
    unsigned hash = 0;
    for (int i = 0; i < W * H; i++) {
        r += im[i].x;
        g += im[i].y;
        b += im[i].z;
        hash = hash * 31 + im[i].x + im[i].y * 3 + im[i].z * 7;
    }
    printf("mean %.1f %.1f %.1f, %08x\n", double(r) / (W * H), double(g) / (W * H), double(b) / (W * H),
           hash);
    destroy<<<1, 32>>>(s, N);
    CHECK(cudaDeviceSynchronize());
    cudaFree(s);
    cudaFree(im);
}
