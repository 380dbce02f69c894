// Which block makes which tiles of C, or parts of them.
#pragma once
#include "order.cuh"

// What all lanes of a warp have alike. The compiler, once told, keeps it and what follows from it where the tensor cores
// get their addresses from; otherwise they would wait for every one.
__device__ inline u32 uniform(u32 x) { return __shfl_sync(ALL_LANES, x, 0); }
__device__ inline bool uniform(bool x) { return __any_sync(ALL_LANES, x); }

// How the tiles of C are dealt out. Those before `whole` are made by a block each, in turns. They are as many as fill all
// turns; what is left over would be a turn for a few blocks only, so the steps along k of all those tiles are laid end to
// end and cut into `shares` equal shares, a block each.
struct Sharing {
    u32 whole, shares;
};

// Steps `first` to `end` - 1 of a tile.
struct Piece {
    u32 tile, first, end;
};

// What a block makes, piece by piece. Shared steps times shares are fewer than 2^32.
struct Pieces {
    Sharing sharing;
    u32 steps, all, tile, next_step, end;

    __device__ Pieces(Sharing sharing, u32 tiles, u32 steps)
        : sharing(sharing), steps(steps), all((tiles - sharing.whole) * steps), tile(blockIdx.x), next_step(0), end(0) {
        if (blockIdx.x < sharing.shares) next_step = cut(blockIdx.x), end = cut(blockIdx.x + 1);
    }
    // Where a share begins, among all steps that are shared; and the share that a step is in.
    __device__ u32 cut(u32 share) const { return all * share / sharing.shares; }
    __device__ u32 share_of(u32 step) const { return ((step + 1) * sharing.shares - 1) / all; }

    __device__ bool next(Piece& piece) {
        if (tile < sharing.whole) {
            piece = {tile, 0, steps};
            tile += gridDim.x;
            return true;
        }
        if (next_step >= end) return false;
        u32 shared = next_step / steps, first = next_step % steps, count = min(steps - first, end - next_step);
        piece = {sharing.whole + shared, first, first + count};
        next_step += count;
        return true;
    }
};

// Sums of pieces, which whoever is the last to be done with one of a tile adds up, in the order of k: the result does
// not depend on who that is. A share has two places, one for a tile that it begins and one for a tile that it does not.
struct Partials {
    f32* sums;
    u32* arrivals;  // of every shared tile; zero before and after

    // Called by the 256 threads that multiply. True if `product` now has the sums of the whole tile.
    template <class Product> __device__ bool combine(Product& product, const Pieces& pieces, Piece piece) const {
        constexpr u32 THREADS = 256, VECTORS = 16 * Product::ACROSS;
        __shared__ bool is_last;
        u32 t = threadIdx.x - 128, shared = piece.tile - pieces.sharing.whole;
        u32 first = pieces.share_of(shared * pieces.steps);
        u32 last = pieces.share_of(shared * pieces.steps + pieces.steps - 1);
        auto place = [&](u32 share, bool begins) {
            return reinterpret_cast<float4*>(sums) + u64(share * 2 + begins) * (VECTORS * THREADS) + t;
        };
        float4* own = place(blockIdx.x, piece.first == 0);
#pragma unroll
        for (u32 i = 0; i < VECTORS; i++) {
            const f32* x = product.sums[i / 16] + i % 16 * 4;
            own[i * THREADS] = make_float4(x[0], x[1], x[2], x[3]);
        }
        wait_for_multipliers();
        if (t == 0) {
            __threadfence();
            is_last = atomicAdd(arrivals + shared, 1) == last - first;
            if (is_last) arrivals[shared] = 0;
            __threadfence();
        }
        wait_for_multipliers();
        if (!uniform(is_last)) return false;
        product.clear();
#pragma unroll 1
        for (u32 share = first; share <= last; share++) {
            const float4* from = place(share, share == first);
#pragma unroll
            for (u32 i = 0; i < VECTORS; i++) {
                float4 x = __ldcg(from + i * THREADS);
                f32* to = product.sums[i / 16] + i % 16 * 4;
                to[0] += x.x, to[1] += x.y, to[2] += x.z, to[3] += x.w;
            }
        }
        return true;
    }
    // A barrier without the group that copies.
    __device__ static void wait_for_multipliers() { asm volatile("bar.sync 1, 256;" ::: "memory"); }
};
