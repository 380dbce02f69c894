// Inline PTX: sums and products of several words by carry chains.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
typedef unsigned __int128 u128;
struct U256 {
    uint32_t w[8];
};
__device__ U256 add(const U256 &a, const U256 &b, uint32_t &carry) {
    U256 r;
    asm("add.cc.u32 %0, %9, %17;\n\taddc.cc.u32 %1, %10, %18;\n\taddc.cc.u32 %2, %11, %19;\n\taddc.cc.u32 "
        "%3, %12, %20;\n\t"
        "addc.cc.u32 %4, %13, %21;\n\taddc.cc.u32 %5, %14, %22;\n\taddc.cc.u32 %6, %15, %23;\n\taddc.cc.u32 "
        "%7, %16, %24;\n\taddc.u32 %8, 0, 0;"
        : "=r"(r.w[0]), "=r"(r.w[1]), "=r"(r.w[2]), "=r"(r.w[3]), "=r"(r.w[4]), "=r"(r.w[5]), "=r"(r.w[6]),
          "=r"(r.w[7]), "=r"(carry)
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]),
          "r"(a.w[7]), "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]),
          "r"(b.w[6]), "r"(b.w[7]));
    return r;
}
__device__ void mul128(const uint64_t a[2], const uint64_t b[2], uint64_t r[4]) {
    asm("{\n\t.reg .u64 t;\n\tmul.lo.u64 %0, %4, %6;\n\tmul.hi.u64 %1, %4, %6;\n\tmul.hi.u64 %2, %5, "
        "%6;\n\tmov.u64 %3, 0;\n\t"
        "mad.lo.cc.u64 %1, %5, %6, %1;\n\taddc.cc.u64 %2, %2, 0;\n\taddc.u64 %3, %3, 0;\n\t"
        "mad.lo.cc.u64 %1, %4, %7, %1;\n\tmadc.hi.cc.u64 %2, %4, %7, %2;\n\taddc.u64 %3, %3, 0;\n\t"
        "mul.lo.u64 t, %5, %7;\n\tadd.cc.u64 %2, %2, t;\n\tmul.hi.u64 t, %5, %7;\n\taddc.u64 %3, %3, t;\n\t}"
        : "=&l"(r[0]), "=&l"(r[1]), "=&l"(r[2]), "=&l"(r[3])
        : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
}
__global__ void sums(const U256 *a, const U256 *b, U256 *r, uint32_t *carry, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        r[i] = add(a[i], b[i], carry[i]);
}
__global__ void products(const uint64_t *a, const uint64_t *b, uint64_t *r, int n) {
    int i = threadIdx.x;
    if (i < n)
        mul128(a + 2 * i, b + 2 * i, r + 4 * i);
}
int main() {
    const int n = 64;
    unsigned seed = 3;
    auto rnd = [&] { return seed = seed * 1664525u + 1013904223u; };
    std::vector<U256> a(n), b(n), r(n);
    std::vector<uint32_t> carry(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) {
            a[i].w[k] = i % 3 ? rnd() : 0xffffffff;
            b[i].w[k] = i % 5 ? rnd() : (k == 0);
        }
    U256 *da, *db, *dr;
    uint32_t *dc;
    cudaMalloc(&da, n * 32);
    cudaMalloc(&db, n * 32);
    cudaMalloc(&dr, n * 32);
    cudaMalloc(&dc, n * 4);
    cudaMemcpy(da, a.data(), n * 32, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 32, cudaMemcpyHostToDevice);
    sums<<<2, 32>>>(da, db, dr, dc, n);
    cudaMemcpy(r.data(), dr, n * 32, cudaMemcpyDeviceToHost);
    cudaMemcpy(carry.data(), dc, n * 4, cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i < n; i++) {
        uint64_t c = 0;
        for (int k = 0; k < 8; k++) {
            c += (uint64_t)a[i].w[k] + b[i].w[k];
            ok = ok && r[i].w[k] == (uint32_t)c;
            c >>= 32;
        }
        ok = ok && carry[i] == c;
    }
    printf("sums: %s\n", ok ? "right" : "wrong");
    products<<<1, 64>>>((uint64_t *)da, (uint64_t *)db, (uint64_t *)dr, n);
    cudaMemcpy(r.data(), dr, n * 32, cudaMemcpyDeviceToHost);
    ok = true;
    const uint64_t *x = (uint64_t *)a.data(), *y = (uint64_t *)b.data(), *z = (uint64_t *)r.data();
    for (int i = 0; i < n; i++) {
        uint64_t w[4] = {};
        for (int p = 0; p < 2; p++) {
            u128 c = 0;
            for (int q = 0; q < 2; q++) {
                c += (u128)x[2 * i + q] * y[2 * i + p] + w[p + q];
                w[p + q] = (uint64_t)c;
                c >>= 64;
            }
            w[p + 2] = (uint64_t)c;
        }
        ok = ok && !memcmp(w, z + 4 * i, 32);
    }
    printf("products: %s\n", ok ? "right" : "wrong");
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    cudaFree(dc);
}
