// What the kernels of several primitives share: short type names, operators with their identities, 16-byte vectors,
// shared-memory access, borders, and words that blocks pass to each other.
//
// Names: every kernel is `extern "C"` and called <primitive>_<rung>_<operator>_<type>, so that a host finds it without
// knowing how C++ mangles names. Types are i32 u32 i64 u64 f32 f64 u8.
#pragma once

using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
using u8 = unsigned char;
using f32 = float;
using f64 = double;

// Enumerators, because a constexpr variable at file or class scope would be given memory in every module.
enum : u32 { WARP = 32, ALL_LANES = 0xffffffffu };

// ---- Numbers -------------------------------------------------------------------------------------------------------

// Integers wrap. Signed overflow is undefined in C++, so signed types do their arithmetic as unsigned ones.
__device__ inline u32 add(u32 a, u32 b) { return a + b; }
__device__ inline u64 add(u64 a, u64 b) { return a + b; }
__device__ inline i32 add(i32 a, i32 b) { return i32(u32(a) + u32(b)); }
__device__ inline i64 add(i64 a, i64 b) { return i64(u64(a) + u64(b)); }
__device__ inline f32 add(f32 a, f32 b) { return a + b; }
__device__ inline f64 add(f64 a, f64 b) { return a + b; }

__device__ inline u32 multiply(u32 a, u32 b) { return a * b; }
__device__ inline u64 multiply(u64 a, u64 b) { return a * b; }
__device__ inline i32 multiply(i32 a, i32 b) { return i32(u32(a) * u32(b)); }
__device__ inline i64 multiply(i64 a, i64 b) { return i64(u64(a) * u64(b)); }
__device__ inline f32 multiply(f32 a, f32 b) { return a * b; }
__device__ inline f64 multiply(f64 a, f64 b) { return a * b; }

template <class T> __device__ inline bool is_nan(T x) { return x != x; }

// The largest and smallest value of a type; infinities for floats.
template <class T> struct Range;
template <> struct Range<i32> {
    __device__ static i32 highest() { return 0x7fffffff; }
    __device__ static i32 lowest() { return -0x7fffffff - 1; }
};
template <> struct Range<u32> {
    __device__ static u32 highest() { return 0xffffffffu; }
    __device__ static u32 lowest() { return 0; }
};
template <> struct Range<i64> {
    __device__ static i64 highest() { return 0x7fffffffffffffffll; }
    __device__ static i64 lowest() { return -0x7fffffffffffffffll - 1; }
};
template <> struct Range<u64> {
    __device__ static u64 highest() { return 0xffffffffffffffffull; }
    __device__ static u64 lowest() { return 0; }
};
template <> struct Range<f32> {
    __device__ static f32 highest() { return __int_as_float(0x7f800000); }
    __device__ static f32 lowest() { return __int_as_float(0xff800000); }
};
template <> struct Range<f64> {
    __device__ static f64 highest() { return __longlong_as_double(0x7ff0000000000000ll); }
    __device__ static f64 lowest() { return __longlong_as_double(0xfff0000000000000ll); }
};

// The smaller and the larger one. Of floats, -0 is the smaller zero, which `<` does not see and PTX promises, and a NaN
// is let through, which PTX promises only for compute capability 8.0 and up.
template <class T> __device__ inline T smaller(T a, T b) { return a < b ? a : b; }
template <class T> __device__ inline T larger(T a, T b) { return a > b ? a : b; }
#define FLOATS(T, type, REGISTER, NAN) \
    template <> __device__ inline T smaller(T a, T b) { \
        T x; \
        asm("min." type " %0, %1, %2;" : "=" REGISTER(x) : REGISTER(a), REGISTER(b)); \
        return is_nan(a) || is_nan(b) ? NAN : x; \
    } \
    template <> __device__ inline T larger(T a, T b) { \
        T x; \
        asm("max." type " %0, %1, %2;" : "=" REGISTER(x) : REGISTER(a), REGISTER(b)); \
        return is_nan(a) || is_nan(b) ? NAN : x; \
    }
FLOATS(f32, "f32", "f", __int_as_float(0x7fc00000))
FLOATS(f64, "f64", "d", __longlong_as_double(0x7ff8000000000000ll))
#undef FLOATS

// ---- Operators -----------------------------------------------------------------------------------------------------

// An operator is associative and commutative and has an identity. Min and max let a NaN through, as NumPy does: if any
// operand is NaN, so is the result. -0 is smaller than +0.
template <class T> struct Sum {
    __device__ static T identity() { return T(0); }
    __device__ static T combine(T a, T b) { return add(a, b); }
};
template <class T> struct Product {
    __device__ static T identity() { return T(1); }
    __device__ static T combine(T a, T b) { return multiply(a, b); }
};
template <class T> struct Min {
    __device__ static T identity() { return Range<T>::highest(); }
    __device__ static T combine(T a, T b) { return smaller(a, b); }
};
template <class T> struct Max {
    __device__ static T identity() { return Range<T>::lowest(); }
    __device__ static T combine(T a, T b) { return larger(a, b); }
};

// ---- Memory --------------------------------------------------------------------------------------------------------

// As many values as 16 bytes hold: the widest load and store there is.
template <class T> struct alignas(16) Vec16 {
    enum : u32 { SIZE = 16 / sizeof(T) };
    T at[SIZE];
};

template <class T> __device__ inline Vec16<T> load16(const T* p) { return *reinterpret_cast<const Vec16<T>*>(p); }
template <class T> __device__ inline void store16(T* p, const Vec16<T>& v) { *reinterpret_cast<Vec16<T>*>(p) = v; }

// Input that is read once, and makes room for other input first: what others left in the cache stays there.
template <class T> __device__ inline Vec16<T> load16_once(const T* p) {
    int4 words = __ldcs(reinterpret_cast<const int4*>(p));
    return *reinterpret_cast<Vec16<T>*>(&words);
}

// How many elements lie before the first 16-byte boundary.
template <class T> __device__ inline u32 elements_to_boundary(const T* p) {
    return u32((16 - reinterpret_cast<u64>(p) % 16) % 16 / sizeof(T));
}

// The block's dynamic shared memory, whose size the launch gives, as an array of T.
template <class T> __device__ inline T* dynamic_shared() {
    extern __shared__ __align__(16) unsigned char dynamic_shared_bytes[];
    return reinterpret_cast<T*>(dynamic_shared_bytes);
}

// ---- Threads -------------------------------------------------------------------------------------------------------

// 64 bits wide, because there can be more than 2^32 threads or elements.
__device__ inline u64 global_thread() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 global_threads() { return u64(gridDim.x) * blockDim.x; }

// ---- Borders -------------------------------------------------------------------------------------------------------

// What an image or signal is beyond its ends, by the number that kernels take.
enum : u32 { BORDER_ZERO = 0, BORDER_REPLICATE = 1, BORDER_REFLECT = 2, BORDER_WRAP = 3, BORDER_VALID = 4 };

// The index in 0 .. n - 1 that stands for i, or -1 for a zero. i may be any distance outside.
template <class I> __device__ inline I resolve_border(I i, I n, u32 border) {
    if (i >= 0 && i < n) return i;
    if (border == BORDER_REPLICATE) return i < 0 ? 0 : n - 1;
    if (border == BORDER_WRAP) {
        I rest = i % n;
        return rest < 0 ? rest + n : rest;
    }
    if (border == BORDER_REFLECT) {
        // There and back without repeating the ends.
        I period = n > 1 ? 2 * (n - 1) : 1;
        I rest = i % period;
        if (rest < 0) rest += period;
        return rest < n ? rest : period - rest;
    }
    return -1;
}

// ---- Between blocks ------------------------------------------------------------------------------------------------

// Words that other blocks of the same launch read and write: whole, in no order with anything else.
__device__ inline u64 load_relaxed(const u64* p) {
    u64 x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_relaxed(u64* p, u64 x) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "l"(x) : "memory");
}

// Items that blocks post for each other: every word of 32 bits goes with the number of the launch into 64 bits, which
// are written and read at once. No fence is needed, because whoever reads the number reads the word; and nothing has to
// be cleared, because the next launch has another number. `Code` says what an `Item` is in `WORDS` words.
template <class Code> struct Posts {
    enum : u32 { WORDS = Code::WORDS };
    struct Seen {
        u64 words[WORDS];
    };
    u64* posts;
    u32 launch;

    __device__ u64* place(u64 i) const { return posts + i * WORDS; }
    __device__ void post(u64 i, typename Code::Item x) const {
        alignas(8) u32 words[WORDS];
        Code::split(x, words);
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) store_relaxed(place(i) + w, u64(launch) << 32 | words[w]);
    }
    __device__ Seen look(u64 i) const {
        Seen seen;
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) seen.words[w] = load_relaxed(place(i) + w);
        return seen;
    }
    // Whether all of it is there.
    __device__ bool is_there(const Seen& seen) const {
        bool all = true;
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) all &= u32(seen.words[w] >> 32) == launch;
        return all;
    }
    __device__ static typename Code::Item item(const Seen& seen) {
        alignas(8) u32 words[WORDS];
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) words[w] = u32(seen.words[w]);
        return Code::join(words);
    }
    // Sees the posts `first`, `first + step` and so on, those before `end`, once they are there. Whole warps call it,
    // and stay together: lanes that wait on their own would make shuffles slow that come after it.
    template <u32 COUNT, class I> __device__ void wait(Seen (&seen)[COUNT], I first, I step, I end) const {
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) {
            if (first + k * step < end) seen[k] = look(first + k * step);
        }
#pragma unroll 1
        while (true) {
            bool complete = true;
#pragma unroll
            for (u32 k = 0; k < COUNT; k++) complete &= first + k * step >= end || is_there(seen[k]);
            if (__all_sync(ALL_LANES, complete)) return;
#pragma unroll
            for (u32 k = 0; k < COUNT; k++) {
                if (first + k * step < end && !is_there(seen[k])) seen[k] = look(first + k * step);
            }
        }
    }
};
