// Calls by address: through a table, through a pointer picked per lane, and virtual functions.

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negative(int x) { return -x; }

typedef int (*Function)(int);
__device__ Function table[3] = {twice, square, negative};

extern "C" __global__ void call_table(int *out)
{
    out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x);
}

extern "C" __global__ void call_picked(int *out, int limit)
{
    Function function = (int)threadIdx.x < limit ? square : negative;
    out[threadIdx.x] = function(threadIdx.x);
}

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    __device__ Strip(int length) : length(length) {}
    __device__ int area() const override { return 2 * length; }
};

__device__ __noinline__ int measure(const Shape *shape) { return shape->area() + 1; }

extern "C" __global__ void call_virtual(int *out)
{
    Square square(threadIdx.x);
    Strip strip(threadIdx.x);
    const Shape *shapes[2] = {&square, &strip};
    out[threadIdx.x] = measure(shapes[threadIdx.x % 2]);
}
