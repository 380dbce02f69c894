// What the rungs of sort share that rank the keys of a tile by a digit of eight bits.
#pragma once
#include "order.cuh"

enum : u32 { DIGITS = 256 };

__device__ inline u32 lanes_below() {
    u32 mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

// Which digit of a key: `bits` bits from `shift` on.
struct Digit {
    u32 shift, mask;
    template <class K> __device__ u32 of(K x) const { return u32(x >> shift) & mask; }
};

// The values of a thread's keys.
template <class V, u32 ITEMS> struct Carried {
    V at[ITEMS];
    // Those of the n keys from `base` on.
    __device__ void load(const V* from, u64 base, u32 n) {
        u32 first = threadIdx.x / WARP * (WARP * ITEMS) + threadIdx.x % WARP;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (first + i * WARP < n) at[i] = value_at(from, base + first + i * WARP);
        }
    }
};
template <u32 ITEMS> struct Carried<None, ITEMS> {
    __device__ void load(const None*, u64, u32) {}
};

// A tile: a warp has ITEMS rows of 32 keys, one after the other, so that the order of keys is that of warps, rows and
// lanes. Keys that are not there are the highest there can be, behind all others, and stay there.
template <class K, u32 BLOCK, u32 ITEMS> struct Tile {
    enum : u32 { WARPS = BLOCK / WARP, SIZE = BLOCK * ITEMS };
    struct Shared {
        u32 counts[WARPS][DIGITS];
        u32 lanes[WARPS][DIGITS];
        u32 sums[WARP];
        u64 to[DIGITS];
    };
    K keys[ITEMS];
    u32 places[ITEMS];
    Shared& shared;
    Digit digit;

    __device__ Tile(Shared& shared, Digit digit) : shared(shared), digit(digit) {}

    // The place of this thread's first key; others follow at a distance of a warp.
    __device__ static u32 first() { return threadIdx.x / WARP * (WARP * ITEMS) + threadIdx.x % WARP; }

    // Keys of another launch of this kernel are read past the first cache, which may hold what was there before.
    __device__ void load(const K* from, u32 n, u32 order) {
        u32 at = first();
        if (n >= SIZE) {
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) keys[i] = __ldcg(from + at + i * WARP);
        } else {
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) keys[i] = at + i * WARP < n ? __ldcg(from + at + i * WARP) : K(0);
        }
        if (order != UNSIGNED) {
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) keys[i] = ordered(keys[i], order);
        }
        if (n < SIZE) {
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) {
                if (at + i * WARP >= n) keys[i] = K(~K(0));
            }
        }
    }

    // Ranks keys among those of the same digit in their warp, and counts them. Lanes leave a bit in the word of their
    // digit, and so see which others have the same: that takes fewer instructions than a vote on each bit of the digit.
    __device__ void rank() {
        u32 *mine = shared.counts[threadIdx.x / WARP], *lanes = shared.lanes[threadIdx.x / WARP];
        u32 lane = threadIdx.x % WARP, below = lanes_below();
#pragma unroll
        for (u32 d = 0; d < DIGITS; d += WARP) mine[d + lane] = 0, lanes[d + lane] = 0;
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            u32 d = digit.of(keys[i]);
            atomicOr(lanes + d, 1u << lane);
            __syncwarp();
            u32 same = lanes[d], before = mine[d], left = __popc(same & below);
            __syncwarp();
            if (left == 0) mine[d] = before + __popc(same), lanes[d] = 0;
            __syncwarp();
            // With the digit, so that it need not be kept or found again.
            places[i] = d << 24 | before + left;
        }
    }

    // What warps have counted becomes where their keys of each digit begin in the tile. The threads of digits get how
    // many keys the tile has of theirs, and where these begin. `told` is called with the number as soon as it is known.
    template <class Told> __device__ void arrange(u32& count, u32& begin, Told told) {
        u32 d = threadIdx.x, lane = d % WARP;
        u32 sum = 0;
        __syncthreads();
        if (d < DIGITS) {
            count = 0;
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) count += shared.counts[w][d];
            told(count);
            sum = count;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                u32 left = __shfl_up_sync(ALL_LANES, sum, distance);
                if (lane >= distance) sum += left;
            }
            if (lane == WARP - 1) shared.sums[d / WARP] = sum;
        }
        __syncthreads();
        if (d < DIGITS) {
            begin = sum - count;
#pragma unroll
            for (u32 w = 0; w < DIGITS / WARP; w++) begin += w < d / WARP ? shared.sums[w] : 0;
            u32 next = begin;
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) {
                u32 own = shared.counts[w][d];
                shared.counts[w][d] = next;
                next += own;
            }
        }
        __syncthreads();
        const u32* mine = shared.counts[d / WARP];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) places[i] = mine[places[i] >> 24] + (places[i] & 0xffffff);
    }

    // Keys to where they belong in the tile.
    template <class X> __device__ void exchange(X* room, const X (&xs)[ITEMS]) const {
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) room[places[i]] = xs[i];
    }

    // The tile to where its digits go: `shared.to` is where that is, for each digit, from the beginning of the tile on.
    // Only the first n keys are there. Values were read before, while the tile waited for others.
    template <class V>
    __device__ void store(K* keys_to, const Carried<V, ITEMS>& values, V* values_to, u32 n, u32 order, K* room) const {
        u32 digits[(ITEMS + 3) / 4];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            u32 at = threadIdx.x + i * BLOCK;
            K x = room[at];
            u32 d = digit.of(x);
            if (i % 4 == 0) digits[i / 4] = 0;
            digits[i / 4] |= d << i % 4 * 8;
            if (at < n) keys_to[shared.to[d] + at] = order == UNSIGNED ? x : restored(x, order);
        }
        if constexpr (Moved<V>::YES) {
            V* value_room = reinterpret_cast<V*>(room);
            __syncthreads();
            exchange(value_room, values.at);
            __syncthreads();
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) {
                u32 at = threadIdx.x + i * BLOCK;
                if (at < n) values_to[shared.to[digits[i / 4] >> i % 4 * 8 & 255] + at] = value_room[at];
            }
        }
    }
};
