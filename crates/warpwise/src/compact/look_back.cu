// The rung of compact that reads every element once.
//
// `kernels.cu` has the rungs before it, and says what is computed. n >= 1. in and out may not overlap.
#include "keeping.cuh"

// A number of elements as words of 32 bits.
struct Count {
    using Item = u32;
    enum : u32 { WORDS = 1 };
    __device__ static void split(u32 x, u32* words) { words[0] = x; }
    __device__ static u32 join(const u32* words) { return words[0]; }
};

// What a block knows of the tiles before its own: how many elements the first `tiles` of them keep.
struct Past {
    u64 kept = 0;
    u32 tiles = 0;

    // How many all tiles before this one keep; called by one whole warp. Whoever comes again asks for what is new.
    __device__ u64 before(const Posts<Count>& posts, u32 tile) {
        enum : u32 { AT_ONCE = 9 };
        u32 lane = threadIdx.x % WARP, sum = 0;
#pragma unroll 1
        for (u32 first = tiles; first < tile; first += AT_ONCE * WARP) {
            typename Posts<Count>::Seen seen[AT_ONCE];
            posts.wait(seen, first + lane, u32(WARP), tile);
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; k++) {
                if (first + k * WARP + lane < tile) sum += posts.item(seen[k]);
            }
        }
#pragma unroll
        for (u32 distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, distance);
        tiles = tile;
        return kept += sum;
    }
};

// The rows that a warp has of a tile: up to FEW, of which the launch says how many, or always MANY. And the most threads
// of a block.
enum : u32 { FEW = 8, MANY = 12, LOOK_BACK_BLOCK = 256 };

// Where the elements are: numbered from a 16-byte boundary of the input on, so that there are none before number `low`.
template <class T> struct Elements {
    enum : u32 { SIZE = Vec16<T>::SIZE, ROW = WARP * SIZE };
    const T* in;
    u64 low, high;

    __device__ Elements(const T* from, u64 n) {
        low = reinterpret_cast<u64>(from) % 16 / sizeof(T), high = low + n;
        in = from - low;
    }
    __device__ bool has(u64 i) const { return i - low < high - low; }
    template <class Keep> __device__ Vec16<T> load(const Keep&, u64 i, bool whole) const {
        if (whole) return Keep::elements(in + i);
        Vec16<T> x;
#pragma unroll
        for (u32 e = 0; e < SIZE; e++) x.at[e] = has(i + e) ? in[i + e] : T(0);
        return x;
    }
    // Asks the memory for a warp's rows of a whole tile, before there are registers for them: lines of 128 bytes.
    __device__ void prefetch(u64 i, u32 rows) const {
        if (threadIdx.x % 8 != 0) return;
        for (u32 r = 0; r < rows; r++) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + r * ROW));
    }
    // A bit for each element that is there, of rows that begin at number i for this lane.
    __device__ u32 present(u64 i) const {
        u32 bits = 0;
#pragma unroll
        for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
            for (u32 e = 0; e < SIZE; e++) bits |= u32(has(i + r * ROW + e)) << (r * SIZE + e);
        }
        return bits;
    }
};

// A lane's part of a tile, as it comes from memory.
template <u32 ROWS, class T> struct Part {
    Vec16<T> rows[ROWS];
    u32 masks[ROWS];

    template <class Keep> __device__ void load(const Elements<T>& all, const Keep& keep, u32 count, u64 i, bool whole) {
        enum : u32 { ROW = Elements<T>::ROW };
#pragma unroll
        for (u32 c = 0; c < ROWS; c += ROWS_AT_ONCE) {
            if (c >= count) break;
#pragma unroll
            for (u32 r = c; r < c + ROWS_AT_ONCE; r++) {
                rows[r] = all.load(keep, i + r * ROW, whole);
                masks[r] = keep.load(i + r * ROW, all.low, all.high, whole);
            }
        }
    }
};

// How many elements a lane keeps of four rows, a byte for each: a row keeps no more than 128.
template <u32 SIZE> __device__ inline u32 counts_of(u32 bits) {
    u32 counts = 0;
#pragma unroll
    for (u32 r = 0; r < ROWS_AT_ONCE; r++) counts |= __popc(bits >> r * SIZE & ((1u << SIZE) - 1)) << 8 * r;
    return counts;
}

// Rung gpu-4-look-back: a single pass. Blocks stay and take tile after tile. A warp gathers what it keeps in shared
// memory, the block posts how many that are, and adds up what all tiles before it have posted. It does so a tile later,
// when they have long been posted: while one tile is copied to where it belongs, the next is on its way.
// Launch: any grid (as many blocks as run at once, no more than ceil((n + 3) / tile)), block a multiple of 32 up to
//   256, tile = block * rows * 16 / sizeof(T), one launch, dynamic shared block * rows * 32.
// Arguments: in, keep, out, state, count, n, rows: 4 or 8 for small inputs; the kernels for large ones have no such
//   argument, and 12. `state` is 8 * (1 + tiles) bytes, zero before the first launch. Every launch leaves it ready for
//   the next, of whatever length and type. Launches that may overlap need their own. count is how many elements are kept.
template <u32 ROWS, class T, class Keep>
__device__ void compact_4_look_back(const T* from, Keep keep, T* out, u64* state, u64* count, u64 n, u32 rows) {
    using E = Elements<T>;
    enum : u32 { SIZE = E::SIZE, GROUPS = ROWS / ROWS_AT_ONCE };
    // Two of each, for odd and even tiles, so that one barrier is enough between writers and readers.
    __shared__ u32 warps[2][WARP];
    __shared__ u64 before_tile[2];
    __shared__ u32 drawn[2];
    u32 t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    E elements(from, n);
    u64 tile_size = u64(blockDim.x) * rows * SIZE;
    u32 tiles = u32((elements.high + tile_size - 1) / tile_size);
    auto place = [&](u32 tile) { return tile * tile_size + (u64(warp) * rows * WARP + lane) * SIZE; };
    auto is_whole = [&](u32 tile) { return elements.has(tile * tile_size) && (tile + 1) * tile_size <= elements.high; };
    u32 tile = blockIdx.x;
    if (tile >= tiles) return;
    // The first word of the state is the number of the launch and how many tiles were drawn. The first two tiles go by
    // the number of the block, so that memory has something to do while all wait for their first. After that one is drawn
    // as late as can be: blocks wait for all numbers before their own, and who draws early and is held up would hold up
    // everybody, round after round.
    Part<ROWS, T> coming;
    coming.load(elements, keep, rows, place(tile), is_whole(tile));
    u32 second = min(tile + gridDim.x, tiles);
    if (is_whole(second)) elements.prefetch(place(second), rows);
    Posts<Count> posts{state + 1, 0};
    if (warp == 0) posts.launch = __shfl_sync(ALL_LANES, u32(load_relaxed(state) >> 32), 0) + 1;
    Past past;
    // As many draws as tiles that are not a block's first.
    u32 draws = tiles - min(gridDim.x, tiles), draw = draws;
    u32 finished = tiles, own = 0, before_warp = 0, total = 0;
#pragma unroll 1
    for (u32 odd = 0; tile < tiles || finished < tiles; odd ^= 1) {
        T* region = dynamic_shared<T>() + (odd * blockDim.x + warp * WARP) * rows * SIZE;
        const T* last_region = dynamic_shared<T>() + ((odd ^ 1) * blockDim.x + warp * WARP) * rows * SIZE;
        u32 last_own = own, last_before_warp = before_warp, last_total = total;
        u32 next = tiles;
        if (tile < tiles) {
            // While the tile is on its way.
            bool first_tile = tile == blockIdx.x;
            if (t == 0 && !first_tile) draw = u32(atomicAdd(state, 1ull));
            u32 bits[GROUPS], lefts[GROUPS], totals[GROUPS];
            bool whole = is_whole(tile);
            own = 0;
#pragma unroll
            for (u32 g = 0; g < GROUPS; g++) {
                if (g * ROWS_AT_ONCE >= rows) break;
                bits[g] = keep.bits(coming.rows + g * ROWS_AT_ONCE, coming.masks + g * ROWS_AT_ONCE);
                if (!whole) bits[g] &= elements.present(place(tile) + g * ROWS_AT_ONCE * E::ROW);
                u32 counts = counts_of<SIZE>(bits[g]), sums = counts;
#pragma unroll
                for (u32 distance = 1; distance < WARP; distance *= 2) {
                    u32 left = __shfl_up_sync(ALL_LANES, sums, distance);
                    if (lane >= distance) sums += left;
                }
                lefts[g] = sums - counts;
                totals[g] = __shfl_sync(ALL_LANES, sums, WARP - 1);
                u32 pairs = (totals[g] & 0x00ff00ff) + (totals[g] >> 8 & 0x00ff00ff);
                own += (pairs & 0xffff) + (pairs >> 16);
            }
            if (lane == 0) warps[odd][warp] = own;
            if (t == 0) drawn[odd] = first_tile ? second : min(draw + 2 * gridDim.x, tiles);
            __syncthreads();
            next = drawn[odd];
            if (!first_tile && is_whole(next)) elements.prefetch(place(next), rows);
            u32 sums = lane < blockDim.x / WARP ? warps[odd][lane] : 0;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                u32 left = __shfl_up_sync(ALL_LANES, sums, distance);
                if (lane >= distance) sums += left;
            }
            total = __shfl_sync(ALL_LANES, sums, WARP - 1);
            before_warp = __shfl_sync(ALL_LANES, sums, warp) - own;
            if (t == 0) posts.post(tile, total);
            // What is kept goes to the warp's own part of shared memory, in order.
            u32 first = 0;
#pragma unroll
            for (u32 g = 0; g < GROUPS; g++) {
                if (g * ROWS_AT_ONCE >= rows) break;
#pragma unroll
                for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
                    u32 at = first + (lefts[g] >> 8 * r & 0xff);
#pragma unroll
                    for (u32 e = 0; e < SIZE; e++) {
                        bool kept = bits[g] >> (r * SIZE + e) & 1;
                        if (kept) region[at] = coming.rows[g * ROWS_AT_ONCE + r].at[e];
                        at += kept;
                    }
                    first += totals[g] >> 8 * r & 0xff;
                }
            }
            if (next < tiles) coming.load(elements, keep, rows, place(next), is_whole(next));
        }
        if (finished < tiles) {
            if (warp == 0) {
                u64 all = past.before(posts, finished);
                if (lane == 0) before_tile[odd] = all;
                if (lane == 0 && finished == tiles - 1) *count = all + last_total;
            }
            __syncthreads();
            T* to = out + before_tile[odd] + last_before_warp;
            // Marked as not needed soon, so that they do not push what comes next out of the cache.
#pragma unroll 4
            for (u32 i = lane; i < last_own; i += WARP) __stcs(to + i, last_region[i]);
        }
        // The lanes of a warp read what others of it wrote, before these write there again.
        __syncwarp();
        finished = tile;
        tile = next;
    }
    // The very last draw sets the state for the next launch; without draws the last tile does.
    bool last = draws == 0 ? blockIdx.x == tiles - 1 : draw == draws - 1;
    if (t == 0 && last) store_relaxed(state, u64(posts.launch) << 32);
}

// ---- Instances -----------------------------------------------------------------------------------------------------

#define LOOK_BACK extern "C" __global__ void __launch_bounds__(LOOK_BACK_BLOCK, 2)
#define WHERE(t) \
    LOOK_BACK compact_4_look_back_##t( \
        const t* in, u32 condition, t value, t* out, u64* state, u64* count, u64 n, u32 rows) { \
        compact_4_look_back<FEW>(in, Where<t>{condition, value}, out, state, count, n, rows); \
    } \
    LOOK_BACK compact_4_look_back_large_##t( \
        const t* in, u32 condition, t value, t* out, u64* state, u64* count, u64 n) { \
        compact_4_look_back<MANY>(in, Where<t>{condition, value}, out, state, count, n, MANY); \
    }
#define MASKED(suffix, t) \
    LOOK_BACK compact_4_look_back_mask_##suffix( \
        const t* in, const u8* mask, t* out, u64* state, u64* count, u64 n, u32 rows) { \
        compact_4_look_back<FEW>(in, Masked<t>{mask}, out, state, count, n, rows); \
    } \
    LOOK_BACK compact_4_look_back_large_mask_##suffix( \
        const t* in, const u8* mask, t* out, u64* state, u64* count, u64 n) { \
        compact_4_look_back<MANY>(in, Masked<t>{mask}, out, state, count, n, MANY); \
    }

WHERE(i32)
WHERE(u32)
WHERE(f32)
WHERE(f64)
MASKED(b32, u32)
MASKED(b64, u64)
