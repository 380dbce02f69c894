// n rows of m columns, each row a ring; p iterations of
//   new[j] = (c0 old[j-2] + c1 old[j-1] + c2 old[j] + c3 old[j+1] + c4 old[j+2]) / 5,
// where the first `fixed` columns keep their value (2 for the presets 2019 and 2023, 1 for 2025) and indices wrap.
// f32 and f64; weights c0 .. c4 are five arguments of the grid's type. Any m >= 1.
#include "../kernels.cuh"

template <class T> struct Weights {
    T at[5];
    // The five neighbours times their weights, from the left.
    __device__ T sum(T a, T b, T c, T d, T e) const {
        return at[0] * a + at[1] * b + at[2] * c + at[3] * d + at[4] * e;
    }
};

// A column that may lie outside, on the ring. Few do, and only they pay for the division.
__device__ inline u32 wrapped(i64 col, u32 cols) {
    if (col >= 0 && col < cols) return u32(col);
    i64 rest = col % cols;
    return u32(rest < 0 ? rest + cols : rest);
}

// Rung gpu-1-naive: a thread an element, everything in global memory, a launch an iteration. The host copies the start
// values up.
// Launch: p times, grid (ceil(cols / block.x), ceil(rows / block.y)), any 2-D block (y at most 65535 blocks).
// Arguments: old, new (written), rows, cols, fixed (u32 each), c0 .. c4. Two grids change places.
template <class T>
__device__ void radiator_1_naive(const T* old, T* next, u32 rows, u32 cols, u32 fixed, Weights<T> weights) {
    u32 row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    const T* line = old + u64(row) * cols;
    auto at = [&](i64 distance) { return line[wrapped(col + distance, cols)]; };
    next[u64(row) * cols + col] =
        col < fixed ? line[col] : weights.sum(at(-2), at(-1), at(0), at(1), at(2)) / T(5);
}

// The start values of a preset, for one cell. f64, so that both types start from the same numbers.
__device__ inline f64 start_value(u32 preset, u32 row, u32 col, u32 rows, u32 cols) {
    f64 level = f64(row + 1), n = rows, m = cols, far = f64(cols - col);
    if (preset == 2025) return 0.98 * (level * level) / (n * n) * (far * far / (m * m));
    if (col == 0) return level / n;
    if (col == 1) return (preset == 2019 ? 0.80 : 0.70) * level / n;
    return preset == 2019 ? 0.0 : 1.0 / 15360.0;
}

// Launch: radiator_start_<type>, grid (ceil(cols / block.x), ceil(rows / block.y)), any 2-D block.
// Arguments: grid (written), rows, cols, preset (2019, 2023 or 2025; u32 each).
template <class T> __device__ void radiator_start(T* grid, u32 rows, u32 cols, u32 preset) {
    u32 row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) grid[u64(row) * cols + col] = T(start_value(preset, row, col, rows, cols));
}

// The `index`-th 16 bytes of a row, on the ring. If rows are no multiple of 16 bytes long, elements are loaded singly,
// and the vector after the last one starts inside it: column index * SIZE modulo cols.
template <class T> __device__ Vec16<T> ring_vector(const T* line, i64 index, u32 cols, bool whole) {
    constexpr i32 SIZE = Vec16<T>::SIZE;
    if (whole) {
        // Whole vectors wrap as a whole.
        u32 vectors = cols / SIZE;
        return load16(line + u64(wrapped(index, vectors)) * SIZE);
    }
    Vec16<T> v;
#pragma unroll
    for (i32 e = 0; e < SIZE; e++) v.at[e] = line[wrapped(index * SIZE + e, cols)];
    return v;
}

// Rung gpu-2-registers: a thread makes `vectors` vectors of 16 bytes in a row, with a window of three vectors that
// slides along in registers: every value is loaded about once instead of five times. A multiplication by 1/5 replaces
// the division, and the start values are made on the device.
// Launches: radiator_start_<type>; then p times, grid (ceil(ceil(cols / SIZE) / (block.x * vectors)),
//   ceil(rows / block.y)) with SIZE = 16 / sizeof(T), any 2-D block. Grids begin at a 16-byte boundary.
// Arguments: old, new (written), rows, cols, fixed, vectors (u32 each), c0 .. c4. With 1 vector a thread the lanes of a
// warp load one piece of memory; with more, there are fewer loads, but each touches more sectors.
template <class T>
__device__ void radiator_2_registers(
    const T* old, T* next, u32 rows, u32 cols, u32 fixed, u32 vectors, Weights<T> weights) {
    constexpr u32 SIZE = Vec16<T>::SIZE;
    u32 row = blockIdx.y * blockDim.y + threadIdx.y;
    i64 first = (i64(blockIdx.x) * blockDim.x + threadIdx.x) * vectors;
    if (row >= rows || first * SIZE >= cols) return;
    const T* line = old + u64(row) * cols;
    T* next_line = next + u64(row) * cols;
    bool whole = cols % SIZE == 0;
    Vec16<T> left = ring_vector(line, first - 1, cols, whole), here = ring_vector(line, first, cols, whole);
#pragma unroll 1
    for (i64 v = first; v < first + vectors && v * SIZE < cols; v++) {
        Vec16<T> right = ring_vector(line, v + 1, cols, whole);
        // The window as one row of 3 * SIZE elements.
        auto at = [&](u32 i) {
            return i < SIZE ? left.at[i] : i < 2 * SIZE ? here.at[i - SIZE] : right.at[i - 2 * SIZE];
        };
        Vec16<T> made;
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) {
            u32 i = SIZE + e;
            T sum = weights.sum(at(i - 2), at(i - 1), at(i), at(i + 1), at(i + 2));
            made.at[e] = v * SIZE + e < fixed ? here.at[e] : sum * T(0.2);
        }
        if (whole) {
            store16(next_line + v * SIZE, made);
        } else {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) {
                if (v * SIZE + e < cols) next_line[v * SIZE + e] = made.at[e];
            }
        }
        left = here;
        here = right;
    }
}

// Rung gpu-3-resident: a row stays on chip for all iterations. A block has a row, a thread ITEMS columns of it in
// registers; only the two values at either end of a thread's part pass through shared memory, where two sets of them
// change places, so that one barrier an iteration is enough.
// Launches: radiator_start_<type>; then radiator_3_resident_<ITEMS>_<type> once: grid rows, block ceil(cols / ITEMS)
//   rounded up to a multiple of 32, dynamic shared 8 * block * sizeof(T). ITEMS is 4, 8, 16 or 32 (f64: up to 16), so
//   rows have at most 32768 columns (f64: 16384); longer ones need rung 2.
// Arguments: grid (changed), cols, fixed, iterations (u32 each), c0 .. c4.
template <u32 ITEMS, class T>
__device__ void radiator_3_resident(T* grid, u32 cols, u32 fixed, u32 iterations, Weights<T> weights) {
    u32 t = threadIdx.x, first = t * ITEMS, threads = (cols + ITEMS - 1) / ITEMS;
    bool active = t < threads;
    // The last thread may have fewer columns.
    u32 count = !active ? 0 : cols - first < ITEMS ? cols - first : ITEMS;
    u32 last_count = cols - (threads - 1) * ITEMS;
    T* line = grid + u64(blockIdx.x) * cols;

    // window[0], window[1]: the two columns to the left; then the thread's own; then the two to the right.
    T window[ITEMS + 4];
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) window[k + 2] = k < count ? line[first + k] : T(0);

    // Neighbours on the ring, and whether each has a second value to give.
    u32 left = t == 0 ? threads - 1 : t - 1, left2 = left == 0 ? threads - 1 : left - 1;
    u32 right = t + 1 >= threads ? 0 : t + 1, right2 = right + 1 >= threads ? 0 : right + 1;
    bool left_short = left == threads - 1 && last_count == 1, right_short = right == threads - 1 && last_count == 1;

#pragma unroll 1
    for (u32 iteration = 0; iteration < iterations; iteration++) {
        T* edge = dynamic_shared<T>() + (iteration % 2) * 4 * blockDim.x;
        T* first_one = edge;
        T* first_two = edge + blockDim.x;
        T* last_two = edge + 2 * blockDim.x;
        T* last_one = edge + 3 * blockDim.x;
        if (active) {
            first_one[t] = window[2];
            first_two[t] = window[3];
            if (count == ITEMS) {
                last_two[t] = window[ITEMS];
                last_one[t] = window[ITEMS + 1];
            } else {
#pragma unroll
                for (u32 k = 0; k < ITEMS; k++) {
                    if (k + 2 == count) last_two[t] = window[k + 2];
                    if (k + 1 == count) last_one[t] = window[k + 2];
                }
            }
        }
        __syncthreads();
        if (!active) continue;
        window[1] = last_one[left];
        window[0] = left_short ? last_one[left2] : last_two[left];
        T right_one = first_one[right], right_two = right_short ? first_one[right2] : first_two[right];
        window[ITEMS + 2] = right_one;
        window[ITEMS + 3] = right_two;
        if (count < ITEMS) {
#pragma unroll
            for (u32 k = 0; k < ITEMS + 2; k++) {
                if (k == count) window[k + 2] = right_one;
                if (k == count + 1) window[k + 2] = right_two;
            }
        }
        // From left to right, with the old values of the two columns just done.
        T far = window[0], near = window[1];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            T old = window[k + 2];
            T sum = weights.sum(far, near, old, window[k + 3], window[k + 4]);
            if (first + k >= fixed) window[k + 2] = sum * T(0.2);
            far = near;
            near = old;
        }
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        if (k < count) line[first + k] = window[k + 2];
    }
}

// The widest vector that a thread's part is made of: of 16, 8 or 4 bytes.
template <u32 ITEMS, class T> struct PartBytes {
    enum : u32 { COUNT = ITEMS * sizeof(T) % 16 == 0 ? 16 : ITEMS * sizeof(T) % 8 == 0 ? 8 : 4 };
};
template <u32 ITEMS, class T> struct alignas(PartBytes<ITEMS, T>::COUNT) PartVector {
    enum : u32 { SIZE = PartBytes<ITEMS, T>::COUNT / sizeof(T) };
    T at[SIZE];
};

// A thread's part to and from shared memory, where it begins at a boundary of such vectors.
template <u32 ITEMS, class T> __device__ void load_part(T (&x)[ITEMS], const T* part) {
    using Vector = PartVector<ITEMS, T>;
#pragma unroll
    for (u32 k = 0; k < ITEMS; k += Vector::SIZE) {
        Vector v = *reinterpret_cast<const Vector*>(part + k);
#pragma unroll
        for (u32 e = 0; e < Vector::SIZE; e++) x[k + e] = v.at[e];
    }
}
template <u32 ITEMS, class T> __device__ void store_part(T* part, const T (&x)[ITEMS]) {
    using Vector = PartVector<ITEMS, T>;
#pragma unroll
    for (u32 k = 0; k < ITEMS; k += Vector::SIZE) {
        Vector v;
#pragma unroll
        for (u32 e = 0; e < Vector::SIZE; e++) v.at[e] = x[k + e];
        *reinterpret_cast<Vector*>(part + k) = v;
    }
}

// So many steps of the columns that a warp holds; those at its rim are wrong afterwards.
template <bool FROZEN, u32 ITEMS, class T>
__device__ void take_steps(T (&x)[ITEMS], const Weights<T>& weights, u32 frozen, u32 steps) {
#pragma unroll 1
    for (u32 step = 0; step < steps; step++) {
        // The compiler must not know the mask, or it keeps all its bits in registers, of which there are not enough.
        if (FROZEN) asm volatile("" : "+r"(frozen));
        T far = __shfl_up_sync(ALL_LANES, x[ITEMS - 2], 1), near = __shfl_up_sync(ALL_LANES, x[ITEMS - 1], 1);
        T right = __shfl_down_sync(ALL_LANES, x[0], 1), right2 = __shfl_down_sync(ALL_LANES, x[1], 1);
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            T old = x[k], next = k + 1 < ITEMS ? x[k + 1] : right;
            T next2 = k + 2 < ITEMS ? x[k + 2] : k + 2 == ITEMS ? right : right2;
            T sum = weights.sum(far, near, old, next, next2);
            x[k] = FROZEN && (frozen >> k & 1) ? old : sum;
            far = near;
            near = old;
        }
    }
}

// Rung gpu-4-shuffled: the columns beside a thread's own come from its neighbours by shuffle, and warps meet only every
// ITEMS / 2 steps. A warp's first and last lane hold copies of columns that other warps own. What is wrong at the rim of
// a warp moves inwards by 2 columns a step, so it takes ITEMS / 2 steps to get through the copies; then all warps put
// their edges into shared memory and fetch the copies anew. Weights are given in fifths, and only the few warps with
// fixed columns ask which these are.
// A row that fits a block stays there for all steps. A longer one is cut into windows with a halo of 2 columns a step
// on either side; each goes through the steps as if it were a ring, which spoils no more than its halo.
// Launches: radiator_start_<type>; then radiator_4_shuffled_<ITEMS>_<type>: block a multiple of 32 * warps,
//   grid ceil(rows / (warps of a block / warps)) * ceil(cols / (length - 2 * halo)), dynamic shared block * (ITEMS *
//   sizeof(T) + 16). length <= 30 * ITEMS * warps. ITEMS is 4, 6, 8, 10, 12, 14 or 16, or for f32 7, 9, 20,
//   24, 28 or 32, and not more than length unless it is 4.
// Arguments: from, to (written; the same as from if length = cols), rows, cols, fixed, steps, warps (of a row), length,
//   halo (0 if length = cols, else 2 * steps; u32 each), c0 / 5 .. c4 / 5.
template <u32 ITEMS, class T>
__device__ void radiator_4_shuffled(const T* from, T* to, u32 rows, u32 cols, u32 fixed, u32 steps, u32 warps,
    u32 length, u32 halo, Weights<T> weights) {
    constexpr u32 OWNERS = WARP - 2, VECTOR = PartVector<ITEMS, T>::SIZE;
    // An odd number of vectors, so that the lanes' parts begin in different banks.
    constexpr u32 PITCH = ITEMS / VECTOR % 2 == 1 ? ITEMS : ITEMS + VECTOR;
    u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, place = warp % warps;
    // Blocks go through the windows of a row first. The window's column j is the row's column origin + j.
    u32 owned = length - 2 * halo, windows = (cols - 1) / owned + 1;
    i64 origin = i64(blockIdx.x % windows) * owned - halo;
    u32 row = blockIdx.x / windows * (blockDim.x / WARP / warps) + warp / warps;
    // The last block may have room for more rows than there are.
    bool there = row < rows;
    const T* line = from + u64(row) * cols;
    auto column = [&](u32 j) {
        i64 col = origin + j;
        return col < 0 ? col + cols : col >= cols ? col - cols : col;
    };
    // Of the window: the thread's part, and its first column.
    i32 part = i32(place * OWNERS + lane) - 1, first = part * i32(ITEMS), parts = i32((length + ITEMS - 1) / ITEMS);

    // Through shared memory, so that lanes next to each other load columns next to each other. Most warps' columns lie
    // in a row; nothing is in the way of many loads at once then.
    T* stage = dynamic_shared<T>() + warp * WARP * PITCH;
    i64 begin = (i64(place) * OWNERS - 1) * ITEMS, end = begin + WARP * ITEMS;
    if (there && begin >= 0 && end <= length && origin + begin >= 0 && origin + end <= cols) {
        const T* next = line + origin + begin + lane;
#pragma unroll 16
        for (u32 i = 0; i < ITEMS; i++) {
            u32 e = i * WARP + lane;
            stage[e / ITEMS * PITCH + e % ITEMS] = next[i * WARP];
        }
    } else {
        u32 j = wrapped(begin + lane, length);
#pragma unroll 4
        for (u32 i = 0; i < ITEMS; i++) {
            u32 e = i * WARP + lane;
            stage[e / ITEMS * PITCH + e % ITEMS] = there ? line[column(j)] : T(0);
            j += WARP % length;
            if (j >= length) j -= length;
        }
    }
    __syncwarp();
    T x[ITEMS];
    load_part<ITEMS>(x, stage + lane * PITCH);
    // Which of them never change, a bit each. Most parts are in the middle of the row.
    bool rim = lane == 0 || lane == WARP - 1, inside = first >= 0 && first + i32(ITEMS) <= i32(length);
    u32 frozen = 0;
    if (!inside || origin + first < fixed || origin + first + ITEMS > cols) {
        u32 j = wrapped(first, length);
#pragma unroll 1
        for (u32 k = 0; k < ITEMS; k++) {
            if (column(j) < fixed) frozen |= 1u << k;
            j = j + 1 == length ? 0 : j + 1;
        }
    }
    bool some_frozen = __any_sync(ALL_LANES, frozen != 0);

    // Parts that others need: the outermost of a warp's own, and those at the ends of the window, where it is a ring.
    bool outer = lane == 1 || lane == OWNERS || part <= 1 || part >= parts - 2;
    bool gives = outer && lane >= 1 && lane <= OWNERS && part < parts;
    bool takes = part <= parts && (rim || !inside);
    T* shared = dynamic_shared<T>() + (warp - place) * WARP * PITCH;
    // A row of one warp waits for no other.
    auto meet = [&] {
        if (warps == 1) __syncwarp();
        else __syncthreads();
    };
    u32 left = steps;
#pragma unroll 1
    while (true) {
        u32 some = left < ITEMS / 2 ? left : ITEMS / 2;
        if (some_frozen) take_steps<true>(x, weights, frozen, some);
        else take_steps<false>(x, weights, frozen, some);
        left -= some;
        // Also before the first exchange and the end: until here others read what is written next.
        meet();
        if (left == 0) break;
        if (gives) store_part<ITEMS>(shared + first, x);
        meet();
        if (takes && (inside || length % ITEMS == 0)) {
            i32 source = part < 0 ? parts - 1 : part == parts ? 0 : part;
            load_part<ITEMS>(x, shared + source * i32(ITEMS));
        } else if (takes && ITEMS == 4 && length < ITEMS) {
            // The whole row is less than a part.
#pragma unroll
            for (i32 k = 0; k < i32(ITEMS); k++) {
                if (rim || first + k < 0 || first + k >= i32(length)) x[k] = shared[wrapped(first + k, length)];
            }
        } else if (takes) {
            // Near the end of the ring, where vectors are not at their boundaries. The part that the ring ends in keeps
            // what it owns, unless it is a copy. The compiler must not know the first column, or it computes all
            // conditions before the loop and has no registers left.
            i32 ring = first < 0 ? first + i32(length) : first >= i32(length) ? first - i32(length) : first;
            asm volatile("" : "+r"(ring));
            i32 rest = i32(length) - ring;
            if (ITEMS * sizeof(T) > 112) {
                // So many columns leave no registers for telling the cases apart.
                i32 kept = rim || part == parts ? 0 : rest;
                const T* here = shared + ring;
                const T* again = here - length;
#pragma unroll
                for (i32 k = 0; k < i32(ITEMS); k++) {
                    if (k >= kept) x[k] = k < rest ? here[k] : again[k];
                }
                continue;
            }
            i32 kept = rest < i32(ITEMS) ? rest : 0;
            if (kept > 0 && (rim || part == parts)) {
#pragma unroll
                for (i32 k = 0; k < i32(ITEMS); k++) {
                    if (k < kept) x[k] = shared[ring + k];
                }
            }
            const T* others = shared + (kept > 0 ? -rest : ring);
#pragma unroll
            for (i32 k = 0; k < i32(ITEMS); k++) {
                if (k >= kept) x[k] = others[k];
            }
        }
    }
    store_part<ITEMS>(stage + lane * PITCH, x);
    __syncwarp();
    if (!there) return;
    // Of the columns that the warp owns, those that are in the window without its halo, and in the row.
    i64 offset = i64(place) * OWNERS * ITEMS, col = origin + offset;
    u32 low = offset < halo ? u32(halo - offset) : 0;
    i64 high = i64(halo) + owned - offset < i64(cols) - col ? i64(halo) + owned - offset : i64(cols) - col;
    T* out = to + u64(row) * cols + col;
#pragma unroll 16
    for (u32 i = 0; i < ITEMS; i++) {
        u32 e = i * WARP + lane;
        if (e < OWNERS * ITEMS && e >= low && e < high) out[e] = stage[(e / ITEMS + 1) * PITCH + e % ITEMS];
    }
}

// The average of every row, a block a row.
// Launch: radiator_average_<type>, grid rows, block a multiple of 32, no dynamic shared memory.
// Arguments: grid, averages (written, one a row), cols.
template <class T> __device__ void radiator_average(const T* grid, T* averages, u32 cols) {
    __shared__ T warps[WARP];
    const T* line = grid + u64(blockIdx.x) * cols;
    u32 t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    T sum = 0;
#pragma unroll 1
    for (u32 col = t; col < cols; col += blockDim.x) sum += line[col];
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL_LANES, sum, distance);
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = lane < blockDim.x / WARP ? warps[lane] : T(0);
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(ALL_LANES, sum, distance);
    if (lane == 0) averages[blockIdx.x] = sum / T(cols);
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define RESIDENT(items, t) \
    extern "C" __global__ void __launch_bounds__(1024) radiator_3_resident_##items##_##t( \
        t* grid, u32 cols, u32 fixed, u32 iterations, t c0, t c1, t c2, t c3, t c4) { \
        radiator_3_resident<items>(grid, cols, fixed, iterations, Weights<t>{{c0, c1, c2, c3, c4}}); \
    }
#define SHUFFLED(items, t) \
    extern "C" __global__ void __launch_bounds__(1024, 1) radiator_4_shuffled_##items##_##t(const t* from, t* to, \
        u32 rows, u32 cols, u32 fixed, u32 steps, u32 warps, u32 length, u32 halo, t c0, t c1, t c2, t c3, t c4) { \
        radiator_4_shuffled<items>( \
            from, to, rows, cols, fixed, steps, warps, length, halo, Weights<t>{{c0, c1, c2, c3, c4}}); \
    }
#define KERNELS(t) \
    extern "C" __global__ void radiator_1_naive_##t( \
        const t* old, t* next, u32 rows, u32 cols, u32 fixed, t c0, t c1, t c2, t c3, t c4) { \
        radiator_1_naive(old, next, rows, cols, fixed, Weights<t>{{c0, c1, c2, c3, c4}}); \
    } \
    extern "C" __global__ void radiator_start_##t(t* grid, u32 rows, u32 cols, u32 preset) { \
        radiator_start(grid, rows, cols, preset); \
    } \
    extern "C" __global__ void radiator_2_registers_##t( \
        const t* old, t* next, u32 rows, u32 cols, u32 fixed, u32 vectors, t c0, t c1, t c2, t c3, t c4) { \
        radiator_2_registers(old, next, rows, cols, fixed, vectors, Weights<t>{{c0, c1, c2, c3, c4}}); \
    } \
    RESIDENT(4, t) \
    RESIDENT(8, t) \
    RESIDENT(16, t) \
    SHUFFLED(4, t) \
    SHUFFLED(6, t) \
    SHUFFLED(8, t) \
    SHUFFLED(10, t) \
    SHUFFLED(12, t) \
    SHUFFLED(14, t) \
    SHUFFLED(16, t) \
    extern "C" __global__ void radiator_average_##t(const t* grid, t* averages, u32 cols) { \
        radiator_average(grid, averages, cols); \
    }

KERNELS(f32)
RESIDENT(32, f32)
SHUFFLED(7, f32)
SHUFFLED(9, f32)
SHUFFLED(20, f32)
SHUFFLED(24, f32)
SHUFFLED(28, f32)
SHUFFLED(32, f32)
KERNELS(f64)
