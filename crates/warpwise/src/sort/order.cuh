// How keys of every type are ordered: as unsigned integers that stand for them.
#pragma once
#include "../kernels.cuh"

using u16 = unsigned short;

// What a key is, in words that are added up: the order that kernels take.
enum : u32 { UNSIGNED = 0, SIGNED = 1, FLOAT = 2, DESCENDING = 4 };

// The unsigned integer that stands for a key: other keys have others, and their order is that of the keys. Floats go
// from minus infinity to infinity with -0 before +0, and all NaNs come after them.
template <class K> __device__ inline K ordered(K x, u32 order) {
    constexpr K SIGN = K(1) << (8 * sizeof(K) - 1);
    // What minus infinity would be without the subtraction: what is below it are NaNs with a sign, which wrap around.
    constexpr K LOWEST = sizeof(K) == 8 ? K(0x000fffffffffffffull) : K(0x007fffff);
    if (order & SIGNED) x ^= SIGN;
    if (order & FLOAT) x = K((x & SIGN ? K(~x) : K(x | SIGN)) - LOWEST);
    return order & DESCENDING ? K(~x) : x;
}

// The key that an unsigned integer stands for.
template <class K> __device__ inline K restored(K x, u32 order) {
    constexpr K SIGN = K(1) << (8 * sizeof(K) - 1);
    constexpr K LOWEST = sizeof(K) == 8 ? K(0x000fffffffffffffull) : K(0x007fffff);
    if (order & DESCENDING) x = K(~x);
    if (order & FLOAT) {
        x = K(x + LOWEST);
        x = x & SIGN ? K(x ^ SIGN) : K(~x);
    }
    return order & SIGNED ? K(x ^ SIGN) : x;
}

// Values that keys bring along; with none, nothing is moved.
struct None {};
template <class V> struct Moved {
    enum : bool { YES = true };
};
template <> struct Moved<None> {
    enum : bool { YES = false };
};

// The value of element i: its number where there are none to read.
template <class V> __device__ inline V value_at(const V* values, u64 i) { return values ? __ldcg(values + i) : V(i); }
template <> __device__ inline None value_at<None>(const None*, u64) { return None{}; }
