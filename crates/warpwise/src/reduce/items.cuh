// What the kernels of reduce share: the items that are reduced, and how a warp and a block combine theirs.
#pragma once
#include "../kernels.cuh"

// ---- What is reduced -----------------------------------------------------------------------------------------------
// A rung is written once, for a stream S of items: `load(i)` an input item, `store(b, x)` the partial of a block,
// `identity`, `combine`, `shuffle_down`, and `Tile`, a shared array of items.

template <class T, class Op> struct Values {
    using Value = T;
    using Item = T;
    const T* in;
    T* out;

    struct Tile {
        T* items = dynamic_shared<T>();
        __device__ T get(u32 i) const { return items[i]; }
        __device__ void set(u32 i, T x) { items[i] = x; }
    };
    // Partials of warps: at most 1024 threads are 32 warps.
    struct WarpItems {
        T items[WARP];
        __device__ T get(u32 i) const { return items[i]; }
        __device__ void set(u32 i, T x) { items[i] = x; }
    };

    __device__ T load(u64 i) const { return in[i]; }
    __device__ T item(T value, u64) const { return value; }
    __device__ void store(u64 block, T x) const { out[block] = x; }
    __device__ static T identity() { return Op::identity(); }
    __device__ static T combine(T a, T b) { return Op::combine(a, b); }
    __device__ static T shuffle_down(T x, u32 distance) { return __shfl_down_sync(ALL_LANES, x, distance); }

    // An item as words of 32 bits, and the most vectors that a thread has under way.
    enum : u32 { WORDS = sizeof(T) / 4, AHEAD = 16 };
    __device__ static void split(T x, u32* words) { *reinterpret_cast<T*>(words) = x; }
    __device__ static T join(const u32* words) { return *reinterpret_cast<const T*>(words); }
};

template <class T> struct Ranked {
    T value;
    u64 index;
};

// Whether a comes before b in the order that the operator looks for.
template <class T> struct Argmin {
    __device__ static T last() { return Range<T>::highest(); }
    __device__ static bool before(T a, T b) { return a < b; }
};
template <class T> struct Argmax {
    __device__ static T last() { return Range<T>::lowest(); }
    __device__ static bool before(T a, T b) { return a > b; }
};

template <class T, class Op> struct Positions {
    using Value = T;
    using Item = Ranked<T>;
    const T* in;
    const u64* indices;
    T* out;
    u64* out_indices;

    // Indices and values apart, so that neighbouring threads use neighbouring banks.
    struct Tile {
        u64* indices = dynamic_shared<u64>();
        T* values = reinterpret_cast<T*>(indices + blockDim.x);
        __device__ Item get(u32 i) const { return {values[i], indices[i]}; }
        __device__ void set(u32 i, Item x) { values[i] = x.value, indices[i] = x.index; }
    };
    struct WarpItems {
        u64 indices[WARP];
        T values[WARP];
        __device__ Item get(u32 i) const { return {values[i], indices[i]}; }
        __device__ void set(u32 i, Item x) { values[i] = x.value, indices[i] = x.index; }
    };

    __device__ Item load(u64 i) const { return {in[i], indices ? indices[i] : i}; }
    __device__ Item item(T value, u64 i) const { return {value, i}; }
    __device__ void store(u64 block, Item x) const { out[block] = x.value, out_indices[block] = x.index; }
    // Loses against every element, because its index is beyond all.
    __device__ static Item identity() { return {Op::last(), ~0ull}; }
    __device__ static Item combine(Item a, Item b) {
        bool a_nan = is_nan(a.value), b_nan = is_nan(b.value);
        bool a_wins = a_nan != b_nan ? a_nan : Op::before(a.value, b.value);
        bool b_wins = a_nan != b_nan ? b_nan : Op::before(b.value, a.value);
        return a_wins || (!b_wins && a.index < b.index) ? a : b;
    }
    __device__ static Item shuffle_down(Item x, u32 distance) {
        return {__shfl_down_sync(ALL_LANES, x.value, distance), __shfl_down_sync(ALL_LANES, x.index, distance)};
    }

    enum : u32 { WORDS = 2 + sizeof(T) / 4, AHEAD = 8 };
    __device__ static void split(Item x, u32* words) {
        *reinterpret_cast<u64*>(words) = x.index;
        *reinterpret_cast<T*>(words + 2) = x.value;
    }
    __device__ static Item join(const u32* words) {
        return {*reinterpret_cast<const T*>(words + 2), *reinterpret_cast<const u64*>(words)};
    }
};

// The item of a position, or one that changes nothing past the end.
template <class S> __device__ typename S::Item load_or_identity(S s, u64 i, u64 n) {
    return i < n ? s.load(i) : S::identity();
}

// ---- Warps and blocks ----------------------------------------------------------------------------------------------

// Lane 0 gets the combination of the whole warp.
template <class S> __device__ typename S::Item warp_fold(typename S::Item x) {
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) x = S::combine(x, S::shuffle_down(x, distance));
    return x;
}

// Thread 0 gets the combination of the whole block, of any whole number of warps. `partials` may be used again after
// the caller's next block barrier.
template <class S> __device__ typename S::Item block_fold(typename S::WarpItems& partials, typename S::Item x) {
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    x = warp_fold<S>(x);
    if (lane == 0) partials.set(warp, x);
    __syncthreads();
    if (warp == 0) {
        x = lane < blockDim.x / WARP ? partials.get(lane) : S::identity();
        x = warp_fold<S>(x);
    }
    return x;
}

// ---- Instances -----------------------------------------------------------------------------------------------------

// MAKE(rung, name of the operator, its class, type) for every type; and for every operator and type.
#define TYPES(MAKE, rung, op, Op) \
    MAKE(rung, op, Op, i32) MAKE(rung, op, Op, u32) MAKE(rung, op, Op, i64) \
    MAKE(rung, op, Op, u64) MAKE(rung, op, Op, f32) MAKE(rung, op, Op, f64)
#define OPERATORS(OF_VALUES, OF_POSITIONS, rung) \
    TYPES(OF_VALUES, rung, sum, Sum) TYPES(OF_VALUES, rung, product, Product) \
    TYPES(OF_VALUES, rung, min, Min) TYPES(OF_VALUES, rung, max, Max) \
    TYPES(OF_POSITIONS, rung, argmin, Argmin) TYPES(OF_POSITIONS, rung, argmax, Argmax)
