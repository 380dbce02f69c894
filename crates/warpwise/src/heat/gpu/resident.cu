// The rung of heat that stays on chip. `kernels.cu` has the rungs before it, and says what a step is.
#include "cell.cuh"

// Rung gpu-6-resident: the grid stays on chip for all steps of a launch. A block has a tile of it: a warp LINES rows, a
// lane SPAN columns, in registers. Conductivities are in shared memory, and so are the rows that the warps of a block
// show each other in every step. Around a tile is a halo of `depth` cells: what is wrong at its rim moves inwards by a
// cell a step, so after `depth` steps blocks write their outermost cells to memory, raise a flag, wait for the flags of
// the tiles around them and read their halos anew. All blocks must run at once: a cooperative launch.
// Launch: heat_6_resident_<SPAN>_<LINES>_<type>, grid (ceil(cols / width), ceil(rows / height)), block 32 * warps up to
//   512 (384 for the most lines) with LINES * warps >= height + 2 * depth and 32 * SPAN >= width + 2 * depth, dynamic
//   shared (32 * SPAN * sizeof(T) * (LINES + 4) + 8 * depth) * warps. width and depth are multiples of SPAN; depth is at
//   most 32. Where there are several tiles in a direction, each has at least `depth` cells in it.
// Arguments: from, to (written), conductivity (rows x cols each), fixed (2 x cols: what is above and below), faces (2 x
//   rows x pitch, for cells that blocks show each other; pitch a multiple of SPAN, at least cols), flags (8 words a
//   block), words (for the largest differences from step `measured` on), rows, cols, pitch, width, height, depth, steps,
//   measured, epoch (what the flags are before the launch; after it they are ceil(steps / depth) - 1 more).
__device__ inline u32 load_acquire(const u32* p) {
    u32 x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
    return x;
}
__device__ inline void store_release(u32* p, u32 x) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(p)), "r"(x) : "memory");
}

// A lane's columns of a row: vectors, `apart` elements from each other in memory.
template <i32 SPAN, class T> struct Cells {
    enum : i32 { SIZE = Vec16<T>::SIZE };
    T at[SPAN];
    __device__ void load(const T* p, i32 apart) {
#pragma unroll
        for (i32 k = 0; k < SPAN; k += SIZE) {
            Vec16<T> v = load16(p + k / SIZE * apart);
#pragma unroll
            for (i32 e = 0; e < SIZE; e++) at[k + e] = v.at[e];
        }
    }
    __device__ void store(T* p, i32 apart) const {
#pragma unroll
        for (i32 k = 0; k < SPAN; k += SIZE) {
            Vec16<T> v;
#pragma unroll
            for (i32 e = 0; e < SIZE; e++) v.at[e] = at[k + e];
            store16(p + k / SIZE * apart, v);
        }
    }
    // With those left and right of them.
    __device__ Cells<SPAN + 2, T> widened() const {
        Cells<SPAN + 2, T> wide;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) wide.at[k + 1] = at[k];
        wide.at[0] = __shfl_up_sync(ALL_LANES, at[SPAN - 1], 1);
        wide.at[SPAN + 1] = __shfl_down_sync(ALL_LANES, at[0], 1);
        return wide;
    }
};

// A step of a warp's rows, with the rows above and below; the first of them is row `row` of the grid. w: the lane's
// conductivities. most: the largest difference in each column, of the rows from `first` to before `end`.
template <bool MEASURE, i32 SPAN, i32 LINES, class T>
__device__ void step_lines(Cells<SPAN, T> (&x)[LINES], const Cells<SPAN, T>& top, const Cells<SPAN, T>& bottom,
    const T* w, i32 row, i32 rows, i32 first, i32 end, typename Bits<T>::Word (&most)[SPAN]) {
    constexpr i32 LINE = i32(WARP) * SPAN, APART = i32(WARP) * i32(Vec16<T>::SIZE);
    // The compiler must not know the row, or it keeps all that follows from it in registers, and has too few of them.
    asm volatile("" : "+r"(row));
    Cells<SPAN + 2, T> above = top.widened(), here = x[0].widened();
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        Cells<SPAN + 2, T> below = (r + 1 < LINES ? x[r + 1] : bottom).widened();
        Cells<SPAN, T> weight;
        weight.load(w + r * LINE, APART);
        // Fixed rows stay, and do so without a branch, across which rows could not be worked on together.
        bool moves = u32(row + r) < u32(rows), own = row + r >= first && row + r < end;
        T over[SPAN + 2];
#pragma unroll
        for (i32 k = 0; k < SPAN + 2; k++) over[k] = plus(above.at[k], below.at[k]);
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            T direct = plus(over[k + 1], plus(here.at[k], here.at[k + 2])), was = here.at[k + 1];
            T next = mean(weight.at[k], was, direct, plus(over[k], over[k + 2]));
            x[r].at[k] = moves ? next : was;
            if (MEASURE) {
                auto difference = bits(plus(next, -was)) << 1 >> 1; // Without its sign.
                if (own && difference > most[k]) most[k] = difference;
            }
        }
        above = here;
        here = below;
    }
}

template <i32 SPAN, i32 LINES, class T>
__device__ void heat_6_resident(const T* from, T* to, const T* conductivity, const T* fixed, T* faces, u32* flags,
    typename Bits<T>::Word* words, i32 rows, i32 cols, u32 pitch, i32 width, i32 height, i32 depth, i32 steps,
    i32 measured, u32 epoch) {
    using Word = typename Bits<T>::Word;
    constexpr i32 SIZE = Vec16<T>::SIZE, LINE = i32(WARP) * SPAN, APART = i32(WARP) * SIZE;
    i32 t = threadIdx.x, lane = t % i32(WARP), warp = t / i32(WARP), warps = blockDim.x / WARP;
    // The tile without its halo; the lane's first column and the warp's first row.
    i32 left = i32(blockIdx.x) * width, right = min(left + width, cols);
    i32 first = i32(blockIdx.y) * height, end = min(first + height, rows);
    i32 col = left - depth + lane * SPAN, row = first - depth + warp * LINES;
    // Lines of shared memory have the first vectors of all lanes, then the second ones.
    T* w = dynamic_shared<T>() + warp * LINES * LINE + lane * SIZE;
    T* edges = dynamic_shared<T>() + warps * LINES * LINE + lane * SIZE;
    Word* largest = reinterpret_cast<Word*>(edges - lane * SIZE + 4 * warps * LINE);
    // Columns beyond the seam begin again.
    auto column = [&](i32 k) { return ((col + k) % cols + cols) % cols; };

    Cells<SPAN, T> x[LINES];
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        i32 here = row + r;
        const T* line = here < 0 ? fixed : here < rows ? from + u64(here) * cols : fixed + cols;
        const T* weights = conductivity + u64(min(max(here, 0), rows - 1)) * cols;
        Cells<SPAN, T> weight;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            x[r].at[k] = line[column(k)];
            weight.at[k] = weights[column(k)];
        }
        weight.store(w + r * LINE, APART);
    }

    i32 done = 0, exchanges = 0;
#pragma unroll 1
    while (true) {
        i32 some = min(depth, steps - done);
#pragma unroll 1
        for (i32 s = 0; s < some; s++) {
            // Two sets that change places: one barrier a step is enough.
            T* edge = edges + (done + s) % 2 * 2 * warps * LINE;
            x[0].store(edge + 2 * warp * LINE, APART);
            x[LINES - 1].store(edge + (2 * warp + 1) * LINE, APART);
            __syncthreads();
            // Beyond the halo anything will do.
            Cells<SPAN, T> top, bottom;
            top.load(edge + max(2 * warp - 1, 0) * LINE, APART);
            bottom.load(edge + min(2 * warp + 2, 2 * warps - 1) * LINE, APART);
            Word most[SPAN] = {};
            if (done + s < measured) {
                step_lines<false>(x, top, bottom, w, row, rows, first, end, most);
                continue;
            }
            step_lines<true>(x, top, bottom, w, row, rows, first, end, most);
            Word mine = 0;
#pragma unroll
            for (i32 k = 0; k < SPAN; k++) {
                if (col + k >= left && col + k < right && most[k] > mine) mine = most[k];
            }
#pragma unroll
            for (i32 distance = WARP / 2; distance > 0; distance /= 2) {
                Word other = __shfl_xor_sync(ALL_LANES, mine, distance);
                mine = other > mine ? other : mine;
            }
            if (lane == 0) largest[s * warps + warp] = mine;
        }
        bool last = done + some == steps, side = col < left + depth || col + SPAN > right - depth;
        // The tile's outermost cells.
        T* face = faces + u64(exchanges % 2) * rows * pitch;
        asm volatile("" : "+r"(row));
#pragma unroll
        for (i32 r = 0; r < LINES; r++) {
            i32 here = row + r;
            bool outer = side || here < first + depth || here >= end - depth;
            bool own = here >= first && here < end && col >= left && col < right;
            if (own && outer && !last) x[r].store(face + u64(here) * pitch + col, SIZE);
        }
        __syncthreads();
        exchanges++;
        if (!last && t == 0) store_release(flags + 8 * (blockIdx.y * gridDim.x + blockIdx.x), epoch + u32(exchanges));
        // While the flag is on its way: the differences of the last steps.
        i32 step = done + t;
        done += some;
        if (step < done && step >= measured) {
            Word mine = 0;
#pragma unroll 1
            for (i32 i = 0; i < warps; i++) mine = max(mine, largest[t * warps + i]);
            atomicMax(words + (step - measured), mine);
        }
        if (last) break;
        if (t < 9) {
            // The tiles around, which may be fewer, or this one: columns are a ring.
            u32 beside = (blockIdx.x + u32(t % 3) + gridDim.x - 1) % gridDim.x, below = blockIdx.y + u32(t / 3) - 1;
            const u32* flag = flags + 8 * (below * gridDim.x + beside);
            while (below < gridDim.y && i32(load_acquire(flag) - epoch) < exchanges) {}
        }
        __syncthreads();
        bool aside = col < left || col + SPAN > right, whole = col >= 0 && col + SPAN <= cols;
        asm volatile("" : "+r"(row));
#pragma unroll
        for (i32 r = 0; r < LINES; r++) {
            i32 here = row + r;
            bool beyond = aside || here < first || here >= end;
            if (here < 0 || here >= min(rows, end + depth) || col >= right + depth || !beyond) continue;
            const T* line = face + u64(here) * pitch;
            if (whole) {
                x[r].load(line + col, SIZE);
            } else {
#pragma unroll
                for (i32 k = 0; k < SPAN; k++) {
                    if (col + k < right + depth) x[r].at[k] = line[column(k)];
                }
            }
        }
    }
#pragma unroll
    for (i32 r = 0; r < LINES; r++) {
        bool own = row + r >= first && row + r < end;
#pragma unroll
        for (i32 k = 0; k < SPAN; k++) {
            if (own && col + k >= left && col + k < right) to[u64(row + r) * cols + col + k] = x[r].at[k];
        }
    }
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define RESIDENT(span, lines, threads, t) \
    extern "C" __global__ void __launch_bounds__(threads, 1) heat_6_resident_##span##_##lines##_##t(const t* from, \
        t* to, const t* conductivity, const t* fixed, t* faces, u32* flags, Bits<t>::Word* words, u32 rows, u32 cols, \
        u32 pitch, u32 width, u32 height, u32 depth, u32 steps, u32 measured, u32 epoch) { \
        heat_6_resident<span, lines>(from, to, conductivity, fixed, faces, flags, words, i32(rows), i32(cols), pitch, \
            i32(width), i32(height), i32(depth), i32(steps), i32(measured), epoch); \
    }

RESIDENT(2, 2, 512, f64) RESIDENT(2, 4, 512, f64)
RESIDENT(4, 4, 512, f64) RESIDENT(4, 6, 512, f64) RESIDENT(4, 8, 512, f64) RESIDENT(4, 12, 384, f64)
RESIDENT(4, 2, 512, f32) RESIDENT(4, 4, 512, f32) RESIDENT(4, 8, 512, f32)
RESIDENT(4, 12, 512, f32) RESIDENT(4, 24, 384, f32)
