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

// What a block makes, piece by piece: whole tiles, and the share with a number. Shared steps times shares are fewer than
// 2^32.
struct Pieces {
    Sharing sharing;
    u32 steps, all, share, tile, next_step, end;

    __device__ Pieces(Sharing sharing, u32 tiles, u32 steps, u32 share)
        : sharing(sharing), steps(steps), all((tiles - sharing.whole) * steps), share(share), tile(blockIdx.x),
          next_step(0), end(0) {
        if (share < sharing.shares) next_step = cut(share), end = cut(share + 1);
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
// A product has VECTORS of four or two numbers in each of THREADS threads, and a barrier for these.
struct Partials {
    void* sums;
    u32* arrivals;  // of every shared tile; zero before and after

    // Called by the threads that multiply. True if `product` now has the sums of the whole tile.
    template <class Product> __device__ bool combine(Product& product, const Pieces& pieces, Piece piece) const {
        using Vector = typename Product::Vector;
        constexpr u32 THREADS = Product::THREADS, VECTORS = Product::VECTORS;
        __shared__ bool is_last;
        u32 t = threadIdx.x - Product::FIRST_THREAD, shared = piece.tile - pieces.sharing.whole;
        u32 first = pieces.share_of(shared * pieces.steps);
        u32 last = pieces.share_of(shared * pieces.steps + pieces.steps - 1);
        auto place = [&](u32 share, bool begins) {
            return static_cast<Vector*>(sums) + u64(share * 2 + begins) * (VECTORS * THREADS) + t;
        };
        Vector* own = place(pieces.share, piece.first == 0);
#pragma unroll
        for (u32 i = 0; i < VECTORS; i++) own[i * THREADS] = product.vector(i);
        Product::wait_for_all();
        if (t == 0) {
            __threadfence();
            is_last = atomicAdd(arrivals + shared, 1) == last - first;
            if (is_last) arrivals[shared] = 0;
            __threadfence();
        }
        Product::wait_for_all();
        if (!uniform(is_last)) return false;
        product.clear();
#pragma unroll 1
        for (u32 share = first; share <= last; share++) {
            const Vector* from = place(share, share == first);
#pragma unroll
            for (u32 i = 0; i < VECTORS; i++) product.add(i, __ldcg(from + i * THREADS));
        }
        return true;
    }
};
