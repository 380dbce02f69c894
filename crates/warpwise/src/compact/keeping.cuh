// What the kernels of compact share: which elements are kept.
#pragma once
#include "../kernels.cuh"

// Conditions, by the number that kernels take.
enum : u32 { EQUAL = 0, NOT_EQUAL = 1, LESS = 2, GREATER = 3 };

// Rows that are taken at a time: of a warp, 512 bytes each. A lane has a vector of 16 bytes of each.
enum : u32 { ROWS_AT_ONCE = 4 };

// Elements that compare so with a value. Of floats NaN is neither equal, less nor greater.
template <class T> struct Where {
    using Value = T;
    enum : u32 { SIZE = Vec16<T>::SIZE };
    u32 condition;
    T value;

    __device__ bool operator()(T x, u64) const {
        switch (condition) {
        case EQUAL: return x == value;
        case NOT_EQUAL: return x != value;
        case LESS: return x < value;
        default: return x > value;
        }
    }
    // A vector of elements.
    __device__ static Vec16<T> elements(const T* p) { return load16_once(p); }
    // Nothing but the elements is needed.
    __device__ u32 load(u64, u64, u64, bool) const { return 0; }
    // A bit for each element that is kept, vector after vector.
    __device__ u32 bits(const Vec16<T>* rows, const u32*) const {
        T v = value;
        switch (condition) {
        case EQUAL: return bits_of(rows, [=](T x) { return x == v; });
        case NOT_EQUAL: return bits_of(rows, [=](T x) { return x != v; });
        case LESS: return bits_of(rows, [=](T x) { return x < v; });
        default: return bits_of(rows, [=](T x) { return x > v; });
        }
    }
    template <class F> __device__ static u32 bits_of(const Vec16<T>* rows, F keeps) {
        u32 bits = 0;
#pragma unroll
        for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) bits |= u32(keeps(rows[r].at[e])) << (r * SIZE + e);
        }
        return bits;
    }
};

// Elements whose byte in a mask is not zero. Only the width of an element matters.
template <class T> struct Masked {
    using Value = T;
    enum : u32 { SIZE = Vec16<T>::SIZE };
    const u8* mask;

    __device__ bool operator()(T, u64 i) const { return mask[i] != 0; }
    // Not `load16_once`: beside a mask, that takes a tenth longer on an H200.
    __device__ static Vec16<T> elements(const T* p) { return load16(p); }
    // The bytes of elements i and on, as many as a vector has; those from `low` to `high` are there, or all of them.
    __device__ u32 load(u64 i, u64 low, u64 high, bool whole) const {
        const u8* p = mask - low + i;
        if (whole && reinterpret_cast<u64>(p) % SIZE == 0) {
            return SIZE == 4 ? *reinterpret_cast<const u32*>(p) : *reinterpret_cast<const unsigned short*>(p);
        }
        u32 bytes = 0;
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) {
            if (whole || (i + e >= low && i + e < high)) bytes |= u32(p[e]) << 8 * e;
        }
        return bytes;
    }
    __device__ u32 bits(const Vec16<T>*, const u32* bytes) const {
        u32 bits = 0;
#pragma unroll
        for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) bits |= u32((bytes[r] >> 8 * e & 0xff) != 0) << (r * SIZE + e);
        }
        return bits;
    }
};

// How many lanes before this one have their bit set.
__device__ inline u32 votes_before(u32 votes) { return __popc(votes & ((1u << threadIdx.x % WARP) - 1)); }
