// Functions of the device chosen at run time.
#include "check.h"

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ Operation operations[] = {add, multiply, subtract};

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Field : Shape {
    int width, height;
    __device__ Field(int width, int height) : width(width), height(height) {}
    __device__ int area() const override { return width * height; }
};

__global__ void apply(int *out) {
    int i = threadIdx.x;
    out[i] = operations[i % 3](i, 7);
    Square square(i);
    Field field(i, 10);
    const Shape *shape = i % 2 ? (const Shape *)&square : (const Shape *)&field;
    out[6 + i] = shape->area();
}

int main() {
    int *out, host[12];
    CHECK(cudaMalloc(&out, sizeof host));
    apply<<<1, 6>>>(out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 12; i++) printf("%d%c", host[i], i < 11 ? ' ' : '\n');
    CHECK(cudaFree(out));
}
