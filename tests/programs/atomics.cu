// Atomic operations of every kind.
#include "check.h"

struct Results {
    int sum, least, most, bits_or, bits_and, bits_xor;
    unsigned wrapped;
    unsigned long long wide;
    float real;
    double precise;
    int exchanged, spins;
};

__global__ void all(Results *r) {
    int i = threadIdx.x + 1;
    atomicAdd(&r->sum, i);
    atomicMin(&r->least, -i);
    atomicMax(&r->most, i);
    atomicOr(&r->bits_or, 1 << (i % 8));
    atomicAnd(&r->bits_and, ~(1 << (i % 4)));
    atomicXor(&r->bits_xor, i);
    atomicInc(&r->wrapped, 9);
    atomicAdd(&r->wide, 1ULL << 33);
    atomicAdd(&r->real, 0.5f);
    atomicAdd(&r->precise, 0.25);
    if (i == 7) atomicExch(&r->exchanged, 77);
    int old = atomicAdd(&r->spins, 0), seen;
    do seen = old, old = atomicCAS(&r->spins, seen, seen + 2);
    while (old != seen);
}

int main() {
    Results *r;
    CHECK(cudaMallocManaged(&r, sizeof *r));
    *r = {};
    r->bits_and = 0xff;
    all<<<1, 64>>>(r);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d %x %x %d\n", r->sum, r->least, r->most, r->bits_or, r->bits_and, r->bits_xor);
    printf("%u %llu %.1f %.2f %d %d\n", r->wrapped, r->wide, r->real, r->precise, r->exchanged, r->spins);
    CHECK(cudaFree(r));
}
