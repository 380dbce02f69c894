// Products with few elements and long sums: the rung gpu-12-shared-sums.
#pragma once
#include "problem.cuh"

__device__ inline u32 cluster_rank() {
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
// All blocks of the cluster are here, and see what each has written to its shared memory.
__device__ inline void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// What another block of the cluster has where this one has p, in shared memory.
__device__ inline f32 load_of_peer(const f32* p, u32 rank) {
    u32 there;
    f32 x;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(u32(__cvta_generic_to_shared(p))), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(there) : "memory");
    return x;
}
// Starts to copy COUNT elements to shared memory, of which the first `there` are in the matrix and the others 0.
template <u32 COUNT> __device__ inline void fetch(f32* to, const f32* from, u32 there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(u32(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "n"(COUNT * sizeof(f32)), "r"(there * u32(sizeof(f32)))
                 : "memory");
}
// Four elements that are not needed again.
__device__ inline Vec16<f32> stream16(const f32* p) {
    Vec16<f32> v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3])
                 : "l"(__cvta_generic_to_global(p)));
    return v;
}

// The part of a sum of k terms that a block of the cluster adds.
struct Share {
    u32 from, to;

    __device__ Share(u32 k, u32 rank, u32 sharers) {
        // Whole vectors.
        u32 length = (k + 4 * sharers - 1) / (4 * sharers) * 4;
        from = min(k, rank * length), to = min(k, from + length);
    }
};

// Adds up SIZE elements of C: every warp's part within the block, then every block's within the cluster. Each block
// writes its share of them, by `set(place, sum)`. Way is one of the two below.
template <class Way, u32 SIZE, class Set> __device__ void add_shares(const f32 (*parts)[SIZE], f32* totals, Set set) {
    __syncthreads();
    for (u32 i = threadIdx.x; i < SIZE; i += Way::THREADS) {
        f32 sum = 0;
#pragma unroll
        for (u32 w = 0; w < Way::WARPS; w++) sum += parts[w][i];
        totals[i] = sum;
    }
    cluster_barrier();
    u32 first = cluster_rank() * (SIZE / Way::SHARERS);
    for (u32 i = first + threadIdx.x; i < first + SIZE / Way::SHARERS; i += Way::THREADS) {
        f32 of_block[Way::SHARERS], sum = 0;
#pragma unroll
        for (u32 b = 0; b < Way::SHARERS; b++) of_block[b] = load_of_peer(totals + i, b);
#pragma unroll
        for (u32 b = 0; b < Way::SHARERS; b++) sum += of_block[b];
        set(i, sum);
    }
    // Nobody leaves while others read its shared memory.
    cluster_barrier();
}

// Small squares: a cluster makes 16 x 16 elements. Everything that a block needs of both factors for 512 terms is on its
// way at once; then each warp adds 64 of them, 2 x 4 elements a lane. COUNT elements are copied at a time: four where all
// rows start at 16 bytes.
// Launch: grid (8, columns / 16, rows / 16), clusters of 8, block 256, dynamic shared memory SIZE * 4 bytes.
template <u32 COUNT> struct SmallSquares {
    enum : u32 { SHARERS = 8, THREADS = 256, WARPS = THREADS / WARP };
    enum : u32 { SIDE = 16, DEPTH = 512, A_ROW = DEPTH + 4, SIZE = SIDE * A_ROW + DEPTH * SIDE };

    __device__ static void fetch_both(const Problem<f32>& p, u32 row, u32 column, u32 k, u32 depth, f32* a, f32* b) {
        enum : u32 { A_ACROSS = DEPTH / COUNT, B_ACROSS = SIDE / COUNT };
#pragma unroll 4
        for (u32 i = threadIdx.x; i < SIDE * A_ACROSS; i += THREADS) {
            u32 r = i / A_ACROSS, c = i % A_ACROSS * COUNT;
            u32 there = row + r < p.m && c < depth ? min(u32(COUNT), depth - c) : 0;
            fetch<COUNT>(a + r * A_ROW + c, there > 0 ? p.a + (row + r) * p.lda + k + c : p.a, there);
        }
#pragma unroll 4
        for (u32 i = threadIdx.x; i < DEPTH * B_ACROSS; i += THREADS) {
            u32 r = i / B_ACROSS, c = i % B_ACROSS * COUNT;
            u32 there = r < depth && column + c < p.n ? min(u32(COUNT), p.n - column - c) : 0;
            fetch<COUNT>(b + r * SIDE + c, there > 0 ? p.b + (k + r) * p.ldb + column + c : p.b, there);
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
    }

    __device__ static void make(const Problem<f32>& p) {
        __shared__ f32 parts[WARPS][SIDE * SIDE];
        __shared__ f32 totals[SIDE * SIDE];
        f32 *a_tile = dynamic_shared<f32>(), *b_tile = a_tile + SIDE * A_ROW;
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, r = lane / 4 * 2, c = lane % 4 * 4;
        u32 row = blockIdx.z * SIDE, column = blockIdx.y * SIDE;
        Share share(p.k, cluster_rank(), SHARERS);
        f32 sums[2][4] = {};
        for (u32 first = share.from; first < share.to; first += DEPTH) {
            fetch_both(p, row, column, first, min(u32(DEPTH), share.to - first), a_tile, b_tile);
#pragma unroll 4
            for (u32 k = warp * (DEPTH / WARPS); k < (warp + 1) * (DEPTH / WARPS); k += 4) {
                Vec16<f32> a[2] = {load16(a_tile + r * A_ROW + k), load16(a_tile + (r + 1) * A_ROW + k)};
#pragma unroll 4
                for (u32 e = 0; e < 4; e++) {
                    Vec16<f32> b = load16(b_tile + (k + e) * SIDE + c);
#pragma unroll 4
                    for (u32 i = 0; i < 2; i++) {
#pragma unroll 4
                        for (u32 j = 0; j < 4; j++) sums[i][j] += a[i].at[e] * b.at[j];
                    }
                }
            }
            __syncthreads();
        }
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
#pragma unroll
            for (u32 j = 0; j < 4; j++) parts[warp][(r + i) * SIDE + c + j] = sums[i][j];
        }
        add_shares<SmallSquares>(parts, totals, [&](u32 i, f32 x) { p.set(row + i / SIDE, column + i % SIDE, x); });
    }
};

// Few rows: a cluster makes ROWS x COLUMNS elements. B is read once: a lane has four columns of every row that it takes, and
// four such loads on their way. Narrow strips, which two blocks share, keep all multiprocessors busy to the end if there is
// one of them for each; where there are more, eight blocks share wide ones.
// Launch: grid (SHARERS, columns / COLUMNS, rows / ROWS), clusters of SHARERS, block THREADS, no dynamic shared memory.
enum : bool { NARROW = false, WIDE = true };
template <u32 ROWS, bool KIND, bool ALIGNED> struct FewRows {
    enum : u32 { SHARERS = KIND == WIDE ? 8 : 2, THREADS = KIND == WIDE ? 256 : 512, WARPS = THREADS / WARP };
    enum : u32 { COLUMNS = KIND == WIDE ? 128 : 32, ACROSS = COLUMNS / 4, DOWN = THREADS / ACROSS, AT_ONCE = 4 };

    __device__ static void make(const Problem<f32>& p) {
        __shared__ f32 parts[WARPS][ROWS * COLUMNS];
        __shared__ f32 totals[ROWS * COLUMNS];
        u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, across = threadIdx.x % ACROSS * 4;
        u32 row = blockIdx.z * ROWS, first = blockIdx.y * COLUMNS, column = first + across;
        Share share(p.k, cluster_rank(), SHARERS);
        f32 sums[ROWS][4] = {};
        auto load = [&](u32 k) {
            if (ALIGNED && column + 3 < p.n) return stream16(p.b + k * p.ldb + column);
            Vec16<f32> v;
#pragma unroll
            for (u32 j = 0; j < 4; j++) v.at[j] = p.b_at(k, column + j);
            return v;
        };
        auto add = [&](u32 k, const Vec16<f32>& b) {
#pragma unroll
            for (u32 i = 0; i < ROWS; i++) {
                f32 a = p.a_at(row + i, k);
#pragma unroll
                for (u32 j = 0; j < 4; j++) sums[i][j] += a * b.at[j];
            }
        };
        u32 k = share.from + threadIdx.x / ACROSS;
#pragma unroll 1
        for (; k + (AT_ONCE - 1) * DOWN < share.to; k += AT_ONCE * DOWN) {
            Vec16<f32> b[AT_ONCE];
#pragma unroll
            for (u32 u = 0; u < AT_ONCE; u++) b[u] = load(k + u * DOWN);
#pragma unroll
            for (u32 u = 0; u < AT_ONCE; u++) add(k + u * DOWN, b[u]);
        }
        for (; k < share.to; k += DOWN) add(k, load(k));
        // All rows that a warp has taken at a time, then all warps.
#pragma unroll
        for (u32 i = 0; i < ROWS; i++) {
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
                f32 sum = sums[i][j];
#pragma unroll
                for (u32 distance = ACROSS; distance < WARP; distance *= 2) {
                    sum += __shfl_xor_sync(ALL_LANES, sum, distance);
                }
                if (lane < ACROSS) parts[warp][i * COLUMNS + across + j] = sum;
            }
        }
        auto set = [&](u32 i, f32 x) { p.set(row + i / COLUMNS, first + i % COLUMNS, x); };
        add_shares<FewRows>(parts, totals, set);
    }
};
