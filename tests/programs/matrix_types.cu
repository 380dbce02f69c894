// wmma with half, bfloat16, tf32, int8, double, and inline mma.sync with ldmatrix.
// nvcc: -arch=compute_90
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
#include <cmath>
using namespace nvcuda;
template <class A, class C, int M, int N, int K, class ALayout, class BLayout, class Store>
__global__ void product(const Store* a, const Store* b, C* c, int lda, int ldb) {
    wmma::fragment<wmma::matrix_a, M, N, K, A, ALayout> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, BLayout> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fill_fragment(fc, C(1));
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    if constexpr (std::is_same_v<A, wmma::precision::tf32>) {
        for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
        for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    }
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * C(2);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}
__global__ void inline_mma(const half* a, const half* b, float* c) {
    __shared__ alignas(16) half sa[16 * 16], sb[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) sa[i] = a[i];
    for (int i = lane; i < 128; i += 32) sb[i] = b[i];
    __syncwarp();
    unsigned ra[4], rb[2];
    float d[4] = {0, 0, 0, 0};
    unsigned pa = __cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
    unsigned pb = __cvta_generic_to_shared(sb + (lane % 16) * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(pb));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    int r = lane / 4, q = lane % 4 * 2;
    c[r * 8 + q] = d[0];
    c[r * 8 + q + 1] = d[1];
    c[(r + 8) * 8 + q] = d[2];
    c[(r + 8) * 8 + q + 1] = d[3];
}
template <class T>
T* up(const std::vector<T>& v) {
    T* p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class A, class C, int M, int N, int K, class AL, class BL, class Store>
void one(const char* name, int range) {
    std::vector<Store> a(M * K), b(K * N);
    std::vector<double> da(M * K), db(K * N);
    unsigned x = 12345;
    for (int i = 0; i < M * K; i++) {
        x = x * 1664525 + 1013904223;
        da[i] = int(x >> 20) % range - range / 2;
        a[i] = Store((float)da[i]);
    }
    for (int i = 0; i < K * N; i++) {
        x = x * 1664525 + 1013904223;
        db[i] = int(x >> 20) % range - range / 2;
        b[i] = Store((float)db[i]);
    }
    bool ar = std::is_same_v<AL, wmma::row_major>, br = std::is_same_v<BL, wmma::row_major>;
    Store *pa = up(a), *pb = up(b);
    C* pc;
    CHECK(cudaMalloc(&pc, M * N * sizeof(C)));
    product<A, C, M, N, K, AL, BL, Store><<<1, 32>>>(pa, pb, pc, ar ? K : M, br ? N : K);
    std::vector<C> c(M * N);
    CHECK(cudaMemcpy(c.data(), pc, M * N * sizeof(C), cudaMemcpyDeviceToHost));
    int wrong = 0;
    double sum = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 1;
            for (int k = 0; k < K; k++) s += da[ar ? i * K + k : k * M + i] * db[br ? k * N + j : j * K + k];
            wrong += double(c[i * N + j]) != 2 * s;
            sum += double(c[i * N + j]) * (i + 2 * j + 1);
        }
    printf("%s: %d wrong, %.0f\n", name, wrong, sum);
    cudaFree(pa);
    cudaFree(pb);
    cudaFree(pc);
}
int main() {
    using R = wmma::row_major;
    using L = wmma::col_major;
    one<half, float, 16, 16, 16, R, L, half>("half 16x16x16 row col", 16);
    one<half, half, 32, 8, 16, L, R, half>("half 32x8x16 col row into half", 8);
    one<__nv_bfloat16, float, 8, 32, 16, R, R, __nv_bfloat16>("bfloat16 8x32x16", 16);
    one<wmma::precision::tf32, float, 16, 16, 8, R, L, float>("tf32 16x16x8", 64);
    one<signed char, int, 16, 16, 16, R, L, signed char>("int8", 100);
    one<unsigned char, int, 32, 8, 16, L, L, unsigned char>("uint8", 1);
    one<double, double, 8, 8, 4, R, L, double>("double", 1000);
    std::vector<half> a(256), b(128);
    for (int i = 0; i < 256; i++) a[i] = half(float(i % 11 - 5));
    for (int i = 0; i < 128; i++) b[i] = half(float(i % 7 - 3));
    half *pa = up(a), *pb = up(b);
    float* pc;
    CHECK(cudaMalloc(&pc, 512));
    inline_mma<<<1, 32>>>(pa, pb, pc);
    std::vector<float> c(128);
    CHECK(cudaMemcpy(c.data(), pc, 512, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float s = 0;
            for (int k = 0; k < 16; k++)
                s += float(i * 16 + k) >= 0 ? float((i * 16 + k) % 11 - 5) * float((k * 8 + j) % 7 - 3) : 0;
            wrong += s != c[i * 8 + j];
        }
    printf("mma.sync with ldmatrix: %d wrong\n", wrong);
    cudaFree(pa);
    cudaFree(pb);
    cudaFree(pc);
}
