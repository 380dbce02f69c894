// A sparse matrix times a vector, a warp a row.
#include "check.h"

__global__ void multiply(const int *rows, const int *columns, const double *values, const double *x, double *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    double sum = 0;
    for (int i = rows[row] + lane; i < rows[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[row] = sum;
}

int main() {
    const int n = 200;
    static int rows[n + 1], columns[n * n];
    static double values[n * n], x[n], y[n];
    int count = 0;
    for (int i = 0; i < n; i++) {
        x[i] = i % 4;
        rows[i] = count;
        for (int j = 0; j < n; j++)
            if ((i * 7 + j * 3) % 11 == 0) columns[count] = j, values[count++] = i + j;
    }
    rows[n] = count;
    int *dr, *dc;
    double *dv, *dx, *dy;
    CHECK(cudaMalloc(&dr, sizeof rows));
    CHECK(cudaMalloc(&dc, count * sizeof(int)));
    CHECK(cudaMalloc(&dv, count * sizeof(double)));
    CHECK(cudaMalloc(&dx, sizeof x));
    CHECK(cudaMalloc(&dy, sizeof y));
    CHECK(cudaMemcpy(dr, rows, sizeof rows, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dc, columns, count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dv, values, count * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    multiply<<<(n * 32 + 127) / 128, 128>>>(dr, dc, dv, dx, dy, n);
    CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = rows[i]; k < rows[i + 1]; k++) sum += values[k] * x[columns[k]];
        wrong += sum != y[i];
    }
    printf("%d values, %d rows wrong\n", count, wrong);
    CHECK(cudaFree(dr));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(dv));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}
