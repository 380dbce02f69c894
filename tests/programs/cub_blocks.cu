// CUB inside a kernel: blocks that load, scan, sort and store together; items with gaps between their members.
#include "check.h"
#include <cub/cub.cuh>
#include <cuda/std/functional>

const int THREADS = 128, EACH = 4, TILE = THREADS * EACH;

struct Item {
    bool starts;
    long sum;
};

struct Add {
    __device__ Item operator()(const Item &a, const Item &b) const {
        return Item{a.starts || b.starts, b.starts ? b.sum : a.sum + b.sum};
    }
};

__global__ void scan(const int *in, int *out, int n) {
    typedef cub::BlockLoad<int, THREADS, EACH, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
    typedef cub::BlockScan<int, THREADS> Scan;
    typedef cub::BlockStore<int, THREADS, EACH, cub::BLOCK_STORE_TRANSPOSE> Store;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } room;
    int items[EACH], base = blockIdx.x * TILE;
    Load(room.load).Load(in + base, items, n - base, 0);
    __syncthreads();
    Scan(room.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(room.store).Store(out + base, items, n - base);
}

__global__ void segments(const int *in, long *out) {
    typedef cub::BlockScan<Item, THREADS, cub::BLOCK_SCAN_RAKING> Scan;
    typedef cub::WarpScan<Item> Warp;
    typedef cub::BlockReduce<Item, THREADS> Reduce;
    __shared__ typename Scan::TempStorage scan;
    __shared__ typename Warp::TempStorage warp[THREADS / 32];
    __shared__ typename Reduce::TempStorage reduce;
    int t = threadIdx.x;
    Item item{in[t] % 16 == 0, in[t]}, scanned;
    Scan(scan).InclusiveScan(item, scanned, Add());
    out[t] = scanned.sum;
    Warp(warp[t / 32]).InclusiveScan(item, scanned, Add());
    out[THREADS + t] = scanned.sum;
    Item last = Reduce(reduce).Reduce(item, Add());
    if (t == 0) out[2 * THREADS] = last.sum;
}

__global__ void sorts(const int *in, int *out, int n) {
    typedef cub::BlockRadixSort<int, THREADS, EACH, int> Radix;
    typedef cub::BlockMergeSort<int, THREADS, EACH> Merge;
    typedef cub::BlockDiscontinuity<int, THREADS> Heads;
    __shared__ union {
        typename Radix::TempStorage radix;
        typename Merge::TempStorage merge;
        typename Heads::TempStorage heads;
    } room;
    int keys[EACH], places[EACH], flags[EACH], first = threadIdx.x * EACH, count = 0;
    for (int i = 0; i < EACH; i++) places[i] = first + i, keys[i] = first + i < n ? in[first + i] : 1 << 30;
    Radix(room.radix).Sort(keys, places);
    for (int i = 0; i < EACH; i++) out[first + i] = keys[i];
    __syncthreads();
    Heads(room.heads).FlagHeads(flags, keys, cuda::std::not_equal_to<int>());
    for (int i = 0; i < EACH; i++) count += flags[i];
    atomicAdd(out + 2 * TILE, count);
    __syncthreads();
    Merge(room.merge).Sort(places, cuda::std::less<int>());
    for (int i = 0; i < EACH; i++) out[TILE + first + i] = places[i];
}

int main() {
    const int n = 1000, sorted = 500;
    int *in, *out;
    long *sums;
    CHECK(cudaMallocManaged(&in, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, (2 * TILE + 1) * sizeof(int)));
    CHECK(cudaMallocManaged(&sums, (2 * THREADS + 1) * sizeof(long)));
    for (int i = 0; i < n; i++) in[i] = i * 37 % 1009;
    scan<<<2, THREADS>>>(in, out, n);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0, running = 0;
    for (int i = 0; i < n; i++) {
        running = i % TILE ? running + in[i] : in[i];
        wrong += out[i] != running;
    }
    printf("scanned, %d wrong\n", wrong);
    segments<<<1, THREADS>>>(in, sums);
    CHECK(cudaDeviceSynchronize());
    long block = 0, warp = 0;
    wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        bool starts = in[i] % 16 == 0;
        block = starts ? in[i] : block + in[i];
        warp = starts || i % 32 == 0 ? in[i] : warp + in[i];
        wrong += sums[i] != block || sums[THREADS + i] != warp;
    }
    printf("segments, %d wrong, the last is right: %d\n", wrong, sums[2 * THREADS] == block);
    out[2 * TILE] = 0;
    sorts<<<1, THREADS>>>(in, out, sorted);
    CHECK(cudaDeviceSynchronize());
    wrong = 0;
    for (int i = 1; i < TILE; i++) wrong += out[i - 1] > out[i] || out[TILE + i] != i;
    printf("sorted, %d wrong, %d different\n", wrong, out[2 * TILE]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sums));
}
