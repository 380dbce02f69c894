// Structures, arrays and many values as arguments.
#include "check.h"

struct Big {
    char tag;
    double numbers[20];
    short last;
};

struct alignas(16) Quad {
    float x, y, z, w;
};

__global__ void all(Big big, char c, Quad quad, short s, long long wide, bool flag, float f, double *out) {
    double sum = 0;
    for (double number : big.numbers) sum += number;
    out[0] = sum, out[1] = big.tag + c, out[2] = quad.x + quad.y + quad.z + quad.w, out[3] = big.last + s;
    out[4] = wide, out[5] = flag, out[6] = f;
}

int main() {
    Big big = {'a', {}, -5};
    for (int i = 0; i < 20; i++) big.numbers[i] = i * 0.5;
    double *out, host[7];
    CHECK(cudaMalloc(&out, sizeof host));
    all<<<1, 1>>>(big, 3, Quad{1, 2, 3, 4}, 12, -(1LL << 40), true, 0.25f, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%.1f %.0f %.1f %.0f %.0f %.0f %.2f\n", host[0], host[1], host[2], host[3], host[4], host[5], host[6]);
    CHECK(cudaFree(out));
}
