// Virtual functions made on the device, device new and delete, templates, recursion over a tree, device
// function pointers.
#include <cstdio>
#include <cmath>
__device__ int boxes_gone;
struct Shape {
    __device__ virtual ~Shape() {
    }
    __device__ virtual float area() const = 0;
    __device__ virtual int kind() const {
        return 0;
    }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float r) : r(r) {
    }
    __device__ float area() const override {
        return 3.14159274f * r * r;
    }
};
struct Box : Shape {
    float w, h;
    __device__ Box(float w, float h) : w(w), h(h) {
    }
    __device__ ~Box() override {
        atomicAdd(&boxes_gone, 1);
    }
    __device__ float area() const override {
        return w * h;
    }
    __device__ int kind() const override {
        return 1;
    }
};

struct Node {
    int key;
    Node *left, *right;
    __device__ Node(int k) : key(k), left(nullptr), right(nullptr) {
    }
};
__device__ Node *insert(Node *t, int k) {
    if (!t)
        return new Node(k);
    if (k < t->key)
        t->left = insert(t->left, k);
    else
        t->right = insert(t->right, k);
    return t;
}
__device__ int walk(const Node *t, int *out, int at) {
    if (!t)
        return at;
    at = walk(t->left, out, at);
    out[at++] = t->key;
    return walk(t->right, out, at);
}
__device__ void drop(Node *t) {
    if (t) {
        drop(t->left);
        drop(t->right);
        delete t;
    }
}
__global__ void make(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i % 2)
            shapes[i] = new Box(i, 2);
        else
            shapes[i] = new Circle(i);
    }
}
__global__ void measure(Shape **shapes, float *area, int *kinds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        area[i] = shapes[i]->area();
        atomicAdd(kinds, shapes[i]->kind());
    }
}
__global__ void unmake(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        delete shapes[i];
}
__global__ void tree(int *out, int n) {
    Node *root = nullptr;
    for (int i = 0; i < n; i++)
        root = insert(root, (i * 37 + threadIdx.x * 11) % 101);
    walk(root, out + threadIdx.x * n, 0);
    drop(root);
}
__device__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void deep(int *out) {
    out[threadIdx.x] = ackermann(2, threadIdx.x);
}
typedef float (*Op)(float, float);
__device__ float add(float a, float b) {
    return a + b;
}
__device__ float mul(float a, float b) {
    return a * b;
}
__device__ float power(float a, float b) {
    return powf(a, b);
}
__device__ Op ops[] = {add, mul, power};
__global__ void apply(float *out, const Op *table) {
    int i = threadIdx.x;
    Op f = i < 3 ? ops[i] : table[i % 3];
    out[i] = f(2.f, 3.f);
}
int main() {
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10);
    const int n = 100;
    Shape **s;
    float *area;
    int *kinds;
    cudaMalloc(&s, n * sizeof *s);
    cudaMallocManaged(&area, n * 4);
    cudaMallocManaged(&kinds, 4);
    *kinds = 0;
    make<<<4, 32>>>(s, n);
    measure<<<4, 32>>>(s, area, kinds, n);
    unmake<<<4, 32>>>(s, n);
    cudaDeviceSynchronize();
    int gone;
    cudaMemcpyFromSymbol(&gone, boxes_gone, 4);
    bool ok = *kinds == n / 2 && gone == n / 2;
    for (int i = 0; i < n; i++)
        ok = ok && area[i] == (i % 2 ? 2.f * i : 3.14159274f * i * i);
    printf("shapes: %s\n", ok ? "right" : "wrong");
    int *out;
    cudaMallocManaged(&out, 8 * 40 * 4);
    tree<<<1, 8>>>(out, 40);
    cudaDeviceSynchronize();
    ok = true;
    for (int t = 0; t < 8; t++)
        for (int i = 1; i < 40; i++)
            ok = ok && out[t * 40 + i - 1] <= out[t * 40 + i];
    printf("trees: %s\n", ok ? "sorted" : "wrong");
    deep<<<1, 8>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    ok = true;
    for (int i = 0; i < 8; i++)
        ok = ok && out[i] == 2 * i + 3;
    printf("ackermann: %s %s\n", ok ? "right" : "wrong", cudaGetErrorName(e));
    Op *table;
    cudaGetSymbolAddress((void **)&table, ops);
    apply<<<1, 6>>>(area, table);
    cudaDeviceSynchronize();
    printf("%g %g %g %g %g %g\n", area[0], area[1], area[2], area[3], area[4], area[5]);
    cudaFree(s);
    cudaFree(area);
    cudaFree(kinds);
    cudaFree(out);
}
