// A hash table with open addressing, a stack without locks, accounts with a lock each, a lock for all.
#include "check.h"
#include <algorithm>
#include <set>
#include <map>
#include <vector>
using Slot = unsigned long long;
constexpr Slot EMPTY = ~0ull;
__device__ unsigned spread(unsigned k) {
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    return k ^ k >> 16;
}
__global__ void insert(Slot* t, int cap, const unsigned* k, const unsigned* v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Slot mine = (Slot)k[i] << 32 | v[i];
        unsigned h = spread(k[i]) & (cap - 1);
        while (true) {
            Slot old = atomicCAS(&t[h], EMPTY, mine);
            if (old == EMPTY) break;
            if (old >> 32 == k[i]) {
                atomicMin(&t[h], mine);
                break;
            }
            h = (h + 1) & (cap - 1);
        }
    }
}
__global__ void find(const Slot* t, int cap, const unsigned* k, unsigned* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = spread(k[i]) & (cap - 1);
    while (true) {
        Slot s = t[h];
        if (s == EMPTY) {
            v[i] = ~0u;
            return;
        }
        if (s >> 32 == k[i]) {
            v[i] = (unsigned)s;
            return;
        }
        h = (h + 1) & (cap - 1);
    }
}
struct Node {
    int value, next;
};
__global__ void push(Node* nodes, unsigned long long* head, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    nodes[i].value = i * 3;
    unsigned long long old = atomicAdd(head, 0ull), want;
    do {
        want = old;
        nodes[i].next = (int)(unsigned)want;
        __threadfence();
        old = atomicCAS(head, want, ((want >> 32) + 1) << 32 | (unsigned)i);
    } while (old != want);
}
__global__ void pop(Node* nodes, unsigned long long* head, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long old = atomicAdd(head, 0ull), want;
    do {
        want = old;
        int top = (int)(unsigned)want;
        __threadfence();
        int next = ((volatile Node*)nodes)[top].next;
        old = atomicCAS(head, want, ((want >> 32) + 1) << 32 | (unsigned)next);
    } while (old != want);
    out[i] = nodes[(unsigned)want].value;
}
struct Lock {
    int held;
    __device__ void lock() {
        while (atomicCAS(&held, 0, 1) != 0) __nanosleep(20);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&held, 0);
    }
};
__global__ void transfer(Lock* l, int* account, int n, int rounds) {
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int r = 0; r < rounds; r++) {
        s = s * 1664525 + 1013904223;
        int a = (s >> 10) % n, b = (s >> 20) % n;
        if (a == b) continue;
        int lo = min(a, b), hi = max(a, b);
        bool done = false;
        while (!done) {
            if (atomicCAS(&l[lo].held, 0, 1) == 0) {
                if (atomicCAS(&l[hi].held, 0, 1) == 0) {
                    __threadfence();
                    int amount = (int)(s >> 27);
                    ((volatile int*)account)[a] = ((volatile int*)account)[a] - amount;
                    ((volatile int*)account)[b] = ((volatile int*)account)[b] + amount;
                    __threadfence();
                    atomicExch(&l[hi].held, 0);
                    done = true;
                }
                atomicExch(&l[lo].held, 0);
            }
        }
    }
}
__global__ void one_lock(Lock* l, unsigned* x) {
    l->lock();
    *x = *x * 3 + 1;
    l->unlock();
}
int main() {
    const int N = 4000, CAP = 8192;
    std::vector<unsigned> k(N), v(N), q(N), got(N);
    std::map<unsigned, unsigned> ref;
    unsigned s = 5;
    for (int i = 0; i < N; i++) {
        s = s * 1664525 + 1013904223;
        k[i] = s >> 20;
        v[i] = i;
        auto it = ref.find(k[i]);
        if (it == ref.end())
            ref[k[i]] = i;
        else
            it->second = std::min(it->second, v[i]);
        q[i] = i;
    }
    Slot* t;
    unsigned *dk, *dv;
    CHECK(cudaMalloc(&t, CAP * 8));
    CHECK(cudaMemset(t, 0xff, CAP * 8));
    CHECK(cudaMalloc(&dk, N * 4));
    CHECK(cudaMalloc(&dv, N * 4));
    CHECK(cudaMemcpy(dk, k.data(), N * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dv, v.data(), N * 4, cudaMemcpyHostToDevice));
    insert<<<8, 128>>>(t, CAP, dk, dv, N);
    CHECK(cudaMemcpy(dk, q.data(), N * 4, cudaMemcpyHostToDevice));
    find<<<(N + 127) / 128, 128>>>(t, CAP, dk, dv, N);
    CHECK(cudaMemcpy(got.data(), dv, N * 4, cudaMemcpyDeviceToHost));
    int wrong = 0, present = 0;
    for (int i = 0; i < N; i++) {
        auto it = ref.find(i);
        wrong += got[i] != (it == ref.end() ? ~0u : it->second);
        present += it != ref.end();
    }
    printf("table: %d keys, %d wrong\n", present, wrong);
    Node* nodes;
    unsigned long long* head;
    int* out;
    CHECK(cudaMalloc(&nodes, 1000 * sizeof(Node)));
    CHECK(cudaMalloc(&head, 8));
    CHECK(cudaMalloc(&out, 4000));
    unsigned long long none = 0xffffffffull;
    CHECK(cudaMemcpy(head, &none, 8, cudaMemcpyHostToDevice));
    push<<<8, 128>>>(nodes, head, 1000);
    pop<<<8, 128>>>(nodes, head, out, 1000);
    std::vector<int> o(1000);
    CHECK(cudaMemcpy(o.data(), out, 4000, cudaMemcpyDeviceToHost));
    std::set<int> seen(o.begin(), o.end());
    CHECK(cudaMemcpy(&none, head, 8, cudaMemcpyDeviceToHost));
    printf("stack: %zu values, empty %d, %llu changes\n", seen.size(), (unsigned)none == ~0u, none >> 32);
    Lock* l;
    int* acc;
    CHECK(cudaMalloc(&l, 1024 * sizeof(Lock)));
    CHECK(cudaMemset(l, 0, 1024 * sizeof(Lock)));
    std::vector<int> money(1024, 1000);
    CHECK(cudaMalloc(&acc, 4096));
    CHECK(cudaMemcpy(acc, money.data(), 4096, cudaMemcpyHostToDevice));
    transfer<<<4, 64>>>(l, acc, 1024, 3);
    CHECK(cudaMemcpy(money.data(), acc, 4096, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int m : money) sum += m;
    unsigned h = 0;
    for (int m : money) h = h * 31 + m;
    printf("money: %lld %08x\n", sum, h);
    unsigned* x;
    CHECK(cudaMalloc(&x, 4));
    CHECK(cudaMemset(x, 0, 4));
    one_lock<<<64, 1>>>(l, x);
    unsigned y, w = 0;
    CHECK(cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) w = w * 3 + 1;
    printf("lock: %s\n", y == w ? "right" : "wrong");
    cudaFree(t);
    cudaFree(dk);
    cudaFree(dv);
    cudaFree(nodes);
    cudaFree(head);
    cudaFree(out);
    cudaFree(l);
    cudaFree(acc);
    cudaFree(x);
}
