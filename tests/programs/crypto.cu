// SHA-256 of many messages, AES-128 in counter mode with tables in shared memory, CRC-32 joined over pieces.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <vector>
__constant__ uint32_t K[64];
__host__ __device__ inline uint32_t rotr(uint32_t x, int n) {
#ifdef __CUDA_ARCH__
    return __funnelshift_r(x, x, n);
#else
    return x >> n | x << (32 - n);
#endif
}
__host__ __device__ void sha_block(uint32_t s[8], const uint8_t* p, const uint32_t* k) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3,
                 b = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    uint32_t v[8];
    for (int i = 0; i < 8; i++) v[i] = s[i];
    for (int i = 0; i < 64; i++) {
        uint32_t S1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]),
                 t1 = v[7] + S1 + ch + k[i] + w[i];
        uint32_t S0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22),
                 maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        for (int j = 7; j > 0; j--) v[j] = v[j - 1];
        v[4] += t1;
        v[0] = t1 + S0 + maj;
    }
    for (int i = 0; i < 8; i++) s[i] += v[i];
}
__host__ __device__ void sha(const uint8_t* m, int n, uint32_t s[8], const uint32_t* k) {
    const uint32_t init[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) s[i] = init[i];
    uint8_t b[64];
    int at = 0;
    for (; at + 64 <= n; at += 64) sha_block(s, m + at, k);
    int rest = n - at;
    for (int i = 0; i < 64; i++) b[i] = i < rest ? m[at + i] : i == rest ? 0x80 : 0;
    if (rest >= 56) {
        sha_block(s, b, k);
        for (int i = 0; i < 64; i++) b[i] = 0;
    }
    uint64_t bits = uint64_t(n) * 8;
    for (int i = 0; i < 8; i++) b[63 - i] = bits >> (8 * i);
    sha_block(s, b, k);
}
__global__ void digests(const uint8_t* m, int stride, uint32_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint32_t s[8];
        sha(m + i * stride, i % stride, s, K);
        for (int j = 0; j < 8; j++) out[i * 8 + j] = s[j];
    }
}
__host__ __device__ uint8_t xtime(uint8_t x) {
    return x << 1 ^ (x >> 7) * 0x1b;
}
__host__ __device__ void aes(const uint8_t* box, const uint8_t* rk, uint8_t st[16]) {
    for (int i = 0; i < 16; i++) st[i] ^= rk[i];
    for (int r = 1; r <= 10; r++) {
        uint8_t t[16];
        for (int c = 0; c < 4; c++)
            for (int q = 0; q < 4; q++) t[c * 4 + q] = box[st[(c + q) % 4 * 4 + q]];
        for (int c = 0; c < 4; c++) {
            uint8_t* a = t + c * 4;
            if (r < 10) {
                uint8_t all = a[0] ^ a[1] ^ a[2] ^ a[3], f = a[0];
                for (int q = 0; q < 4; q++) {
                    uint8_t nx = q < 3 ? a[q + 1] : f;
                    st[c * 4 + q] = a[q] ^ all ^ xtime(a[q] ^ nx);
                }
            } else
                for (int q = 0; q < 4; q++) st[c * 4 + q] = a[q];
        }
        for (int i = 0; i < 16; i++) st[i] ^= rk[r * 16 + i];
    }
}
__global__ void counter_mode(const uint8_t* box, const uint8_t* rk, uint4* data, int n) {
    __shared__ uint8_t sb[256], sk[176];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        sb[i] = box[i];
        if (i < 176) sk[i] = rk[i];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    union {
        uint8_t b[16];
        uint4 v;
        uint32_t w[4];
    } u;
    u.v = make_uint4(1, 2, 3, __byte_perm(i, 0, 0x0123));
    aes(sb, sk, u.b);
    uint4 d = data[i];
    d.x ^= u.v.x;
    d.y ^= u.v.y;
    d.z ^= u.v.z;
    d.w ^= u.v.w;
    data[i] = d;
}
__global__ void crcs(const uint8_t* p, int piece, uint32_t* out) {
    __shared__ uint32_t t[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        t[i] = c;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t c = i == 0 ? ~0u : 0;
    for (int k = 0; k < piece; k++) c = t[(c ^ p[i * piece + k]) & 255] ^ c >> 8;
    out[i] = c;
}
uint32_t shift(uint32_t c, int bytes) {
    for (int i = 0; i < bytes * 8; i++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    return c;
}
int main() {
    uint32_t k[64];
    int found = 0;  // fractional parts of cube roots of primes
    for (int p = 2; found < 64; p++) {
        bool prime = true;
        for (int d = 2; d * d <= p; d++) prime &= p % d != 0;
        if (!prime) continue;
        unsigned __int128 t = (unsigned __int128)p << 96;
        uint64_t lo = 0, hi = 1ull << 36;
        while (hi - lo > 1) {
            uint64_t m = (lo + hi) / 2;
            if ((unsigned __int128)m * m * m <= t)
                lo = m;
            else
                hi = m;
        }
        k[found++] = (uint32_t)lo;
    }
    CHECK(cudaMemcpyToSymbol(K, k, sizeof k));
    const int N = 200, S = 150;
    std::vector<uint8_t> m(N * S);
    for (size_t i = 0; i < m.size(); i++) m[i] = uint8_t(i * 131 + (i >> 7));
    uint8_t* dm;
    uint32_t* dd;
    CHECK(cudaMalloc(&dm, m.size()));
    CHECK(cudaMalloc(&dd, N * 32));
    CHECK(cudaMemcpy(dm, m.data(), m.size(), cudaMemcpyHostToDevice));
    digests<<<4, 64>>>(dm, S, dd, N);
    std::vector<uint32_t> got(N * 8);
    CHECK(cudaMemcpy(got.data(), dd, N * 32, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        uint32_t s[8];
        sha(m.data() + i * S, i % S, s, k);
        wrong += memcmp(s, &got[i * 8], 32) != 0;
    }
    printf("sha-256 of nothing %08x%08x..., %d wrong\n", got[0], got[1], wrong);
    uint8_t box[256];
    uint8_t p = 1, q = 1;
    do {
        p = p ^ p << 1 ^ (p & 0x80 ? 0x1b : 0);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if (q & 0x80) q ^= 9;
        uint8_t x = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4);
        box[p] = x ^ 0x63;
    } while (p != 1);
    box[0] = 0x63;
    uint8_t rk[176];
    for (int i = 0; i < 16; i++) rk[i] = i;
    uint8_t rc = 1;
    for (int i = 16; i < 176; i += 4) {
        uint8_t t[4];
        memcpy(t, rk + i - 4, 4);
        if (i % 16 == 0) {
            uint8_t f = t[0];
            t[0] = box[t[1]] ^ rc;
            t[1] = box[t[2]];
            t[2] = box[t[3]];
            t[3] = box[f];
            rc = xtime(rc);
        }
        for (int j = 0; j < 4; j++) rk[i + j] = rk[i - 16 + j] ^ t[j];
    }
    uint8_t test[16];
    for (int i = 0; i < 16; i++) test[i] = i * 17;
    aes(box, rk, test);
    printf("aes-128 %02x%02x%02x%02x\n", test[0], test[1], test[2], test[3]);
    const int B = 500;
    std::vector<uint4> data(B), out(B);
    for (int i = 0; i < B; i++) data[i] = make_uint4(i, i * 3, i * 5, ~i);
    uint8_t *db, *dk;
    uint4* dx;
    CHECK(cudaMalloc(&db, 256));
    CHECK(cudaMalloc(&dk, 176));
    CHECK(cudaMalloc(&dx, B * 16));
    CHECK(cudaMemcpy(db, box, 256, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dk, rk, 176, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx, data.data(), B * 16, cudaMemcpyHostToDevice));
    counter_mode<<<4, 128>>>(db, dk, dx, B);
    CHECK(cudaMemcpy(out.data(), dx, B * 16, cudaMemcpyDeviceToHost));
    unsigned h = 0;
    for (auto& v : out) h = h * 31 + (v.x ^ v.y ^ v.z ^ v.w);
    wrong = 0;
    for (int i = 0; i < B; i++) {
        union {
            uint8_t b[16];
            uint32_t w[4];
        } u;
        u.w[0] = 1;
        u.w[1] = 2;
        u.w[2] = 3;
        u.w[3] = __builtin_bswap32(i);
        aes(box, rk, u.b);
        wrong += out[i].x != (data[i].x ^ u.w[0]) || out[i].w != (data[i].w ^ u.w[3]);
    }
    printf("counter mode %08x, %d wrong\n", h, wrong);
    const int P = 64, Q = 128;
    crcs<<<2, 64>>>(dm, P, dd);
    std::vector<uint32_t> cr(Q);
    CHECK(cudaMemcpy(cr.data(), dd, Q * 4, cudaMemcpyDeviceToHost));
    uint32_t all = cr[0];
    for (int i = 1; i < Q; i++) all = shift(all, P) ^ cr[i];
    uint32_t c = ~0u;
    for (int i = 0; i < P * Q; i++) {
        c ^= m[i];
        for (int j = 0; j < 8; j++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    }
    printf("crc %08x %s\n", ~all, all == c ? "right" : "wrong");
    cudaFree(dm);
    cudaFree(dd);
    cudaFree(db);
    cudaFree(dk);
    cudaFree(dx);
}
