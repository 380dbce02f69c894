// The game of life on a torus: a glider comes back to where it was.
#include "check.h"
#include <string.h>

const int N = 16;

__global__ void generation(const unsigned char *in, unsigned char *out) {
    int x = threadIdx.x, y = threadIdx.y, neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) neighbours += in[(y + dy + N) % N * N + (x + dx + N) % N];
    out[y * N + x] = neighbours == 3 || (neighbours == 2 && in[y * N + x]);
}

int main() {
    unsigned char start[N * N] = {}, end[N * N], *a, *b;
    const char *glider[] = {".#.", "..#", "###"};
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) start[(y + 1) * N + x + 1] = glider[y][x] == '#';
    CHECK(cudaMalloc(&a, sizeof start));
    CHECK(cudaMalloc(&b, sizeof start));
    CHECK(cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice));
    for (int t = 1; t <= 4 * N; t++) {
        generation<<<1, dim3(N, N)>>>(a, b);
        unsigned char *swap = a;
        a = b, b = swap;
        if (t == 2) {
            CHECK(cudaMemcpy(end, a, sizeof end, cudaMemcpyDeviceToHost));
            for (int y = 1; y < 6; y++, printf("\n"))
                for (int x = 0; x < 6; x++) printf("%c", end[y * N + x] ? '#' : '.');
        }
    }
    CHECK(cudaMemcpy(end, a, sizeof end, cudaMemcpyDeviceToHost));
    printf("back after %d generations: %d\n", 4 * N, !memcmp(start, end, sizeof end));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}
