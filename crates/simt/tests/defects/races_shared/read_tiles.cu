// A tile that is read many times between two barriers, and a write among the reads.

//: defect one thread writes while the other warps still read
//: grid 2 block 16,16
//: arg u32[256]:iota
//: arg u32[512]:zeros
//: expect race error at write with read in shared tile
//: allow race error at write with row in shared tile
extern "C" __global__ void write_among_reads(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 16; k++) {
        sum += tile[k][x]; //@ read
        sum += tile[y][k]; //@ row
    }
    if (x == 5 && y == 6)
        tile[9][3] = sum; //@ write
    out[blockIdx.x * 256 + y * 16 + x] = sum;
}

//: correct the write waits for all reads
//: grid 2 block 16,16
//: arg u32[256]:ones
//: arg u32[512]:zeros
//: result 1 u32 32*512
extern "C" __global__ void write_after_reads(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 16 + x];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 16; k++) {
        sum += tile[k][x];
        sum += tile[y][k];
    }
    __syncthreads();
    if (x == 5 && y == 6)
        tile[9][3] = sum;
    out[blockIdx.x * 256 + y * 16 + x] = sum;
}

//: correct every thread changes only what it alone reads
//: grid 1 block 96
//: arg u32[96]:iota
//: arg u32[96]:zeros
//: result 1 u32 0..380/4
extern "C" __global__ void own_elements(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[96];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    tile[t] += tile[t];
    tile[t] += tile[t];
    out[t] = tile[t];
}

//: defect another warp reads what a thread changes
//: grid 1 block 96
//: arg u32[96]:iota
//: arg u32[96]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void own_and_other_elements(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[96];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned other = tile[(t + 32) % 96]; //@ look
    tile[t] += other; //@ change
    out[t] = other;
}

//: defect the second warp has 16 lanes only, and reads what the first writes
//: grid 1 block 48
//: arg u32[48]:iota
//: arg u32[48]:zeros
//: expect race error at change with look in shared tile
//: correct the first warp alone
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0..31
extern "C" __global__ void partial_warp(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[48];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = tile[t % 32]; //@ look
    if (t < 16)
        tile[t] = value + 1; //@ change
    out[t] = value;
}

//: correct bytes next to each other in a word
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: result 1 u32 32..63,0..31
extern "C" __global__ void bytes_apart(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned char *bytes = (unsigned char *)tile;
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = bytes[4 * ((t + 32) % 64)];
    bytes[4 * t + 2] = 9;
    out[t] = value;
}

//: defect a word is written whose first byte another warp reads
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void byte_of_a_word(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned char *bytes = (unsigned char *)tile;
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = bytes[4 * ((t + 32) % 64)]; //@ look
    tile[t] = 9; //@ change
    out[t] = value;
}

//: defect one word of the four that another warp reads at once
//: grid 1 block 64
//: arg u32[256]:iota
//: arg u32[64]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void word_of_a_vector(const unsigned *in, unsigned *out)
{
    __shared__ uint4 tile[64];
    unsigned *words = (unsigned *)tile;
    unsigned t = threadIdx.x;
    for (unsigned k = 0; k < 4; k++)
        words[k * 64 + t] = in[k * 64 + t];
    __syncthreads();
    uint4 value = tile[t]; //@ look
    if (t == 40)
        words[13] = 1; //@ change
    out[t] = value.x + value.y + value.z + value.w;
}

//: correct a word of one's own vector
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: result 1 u32 4*64
extern "C" __global__ void word_of_its_own_vector(const unsigned *in, unsigned *out)
{
    __shared__ uint4 tile[64];
    unsigned *words = (unsigned *)tile;
    unsigned t = threadIdx.x;
    for (unsigned k = 0; k < 4; k++)
        words[k * 64 + t] = in[k * 64 + t];
    __syncthreads();
    uint4 value = tile[t];
    words[4 * t + 2] = 1;
    out[t] = value.x + value.y + value.z + value.w;
}

//: defect after thousands of reads the write is still too early
//: grid 1 block 128
//: arg u32[128]:ones
//: arg u32[128]:zeros
//: arg u32=700
//: expect race error at change with look in shared tile
extern "C" __global__ void many_reads(const unsigned *in, unsigned *out, unsigned turns)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x, sum = 0;
    tile[t] = in[t];
    __syncthreads();
    for (unsigned k = 0; k < turns; k++)
        sum += tile[(t + k) % 128]; //@ look
    tile[t] = sum; //@ change
    out[t] = sum;
}

//: correct after thousands of reads and a barrier
//: grid 1 block 128
//: arg u32[128]:ones
//: arg u32[128]:zeros
//: arg u32=700
//: result 1 u32 700*128
extern "C" __global__ void many_reads_and_a_barrier(const unsigned *in, unsigned *out, unsigned turns)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x, sum = 0;
    tile[t] = in[t];
    __syncthreads();
    for (unsigned k = 0; k < turns; k++)
        sum += tile[(t + k) % 128];
    __syncthreads();
    tile[t] = sum;
    out[t] = tile[t];
}

//: correct one half is read while the other is written
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: arg u32=1
//: result 1 u32 4*64
//: defect both are the same half
//: grid 1 block 64
//: arg u32[256]:ones
//: arg u32[64]:zeros
//: arg u32=0
//: expect race error at next with look in shared tile
//: allow race error at first with look in shared tile
extern "C" __global__ void two_halves(const unsigned *in, unsigned *out, unsigned step)
{
    __shared__ unsigned tile[2][64];
    unsigned t = threadIdx.x, sum = 0;
    tile[0][t] = in[t]; //@ first
    __syncthreads();
    for (unsigned k = 1; k <= 4; k++) {
        unsigned now = (k - 1) * step % 2, then = k * step % 2;
        if (k < 4)
            tile[then][t] = in[64 * k + t]; //@ next
        sum += tile[now][63 - t]; //@ look
        __syncthreads();
    }
    out[t] = sum;
}

//: defect the partner of a butterfly is read while its warp writes
//: grid 1 block 128
//: arg u32[128]:ones
//: arg u32[128]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void butterfly_one_barrier(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    for (unsigned step = 1; step < 128; step *= 2) {
        unsigned sum = tile[t] + tile[t ^ step]; //@ look
        tile[t] = sum; //@ change
        __syncthreads();
    }
    out[t] = tile[t];
}

//: correct a butterfly with two barriers a turn
//: grid 1 block 128
//: arg u32[128]:ones
//: arg u32[128]:zeros
//: result 1 u32 128*128
extern "C" __global__ void butterfly_two_barriers(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[128];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    for (unsigned step = 1; step < 128; step *= 2) {
        unsigned sum = tile[t] + tile[t ^ step];
        __syncthreads();
        tile[t] = sum;
        __syncthreads();
    }
    out[t] = tile[t];
}

//: correct lanes of a warp turn their part of the tile around, with a barrier of the warp
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=0
//: result 1 u32 31..0,63..32
//: defect the part is that of the other warp
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: arg u32=32
//: expect race error at change with look in shared tile
//: allow race error at change with last in shared tile
extern "C" __global__ void turned_around(const unsigned *in, unsigned *out, unsigned apart)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = tile[t]; //@ look
    __syncwarp();
    tile[(t ^ 31) ^ apart] = value; //@ change
    __syncwarp();
    out[t] = tile[t]; //@ last
}

//: defect without the barrier of the warp
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void turned_around_at_once(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = tile[t]; //@ look
    tile[t ^ 31] = value; //@ change
    __syncthreads();
    out[t] = tile[t];
}

//: defect an atomic of one warp, a plain read of another
//: grid 1 block 64
//: arg u32[64]:iota
//: arg u32[64]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void atomic_among_reads(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    unsigned value = tile[63 - t]; //@ look
    if (t >= 32)
        atomicAdd(&tile[t], 1); //@ change
    out[t] = value;
}

//: defect half a warp reads what the other half writes
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect race error at change with look in shared tile
extern "C" __global__ void two_sides(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x, value = 0;
    tile[t] = in[t];
    __syncthreads();
    if (t < 16)
        value = tile[t]; //@ look
    else
        tile[t - 16] = in[t] + 1; //@ change
    out[t] = value;
}

//: defect read through a column that nobody has written
//: grid 1 block 32
//: arg u32[512]:iota
//: arg u32[32]:zeros
//: expect uninitialized error at look in shared tile
extern "C" __global__ void unwritten_column(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][17];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned k = t; k < 256; k += 32)
        tile[k / 16][k % 16] = in[k];
    __syncthreads();
    for (unsigned k = 0; k < 17; k++)
        sum += tile[t % 16][k]; //@ look
    out[t] = sum;
}

//: defect the last turn reads past the tile into the next one
//: grid 1 block 32
//: arg u32[64]:iota
//: arg u32[32]:zeros
//: arg u32=33
//: expect out_of_bounds error at look in shared tile
//: correct one turn less
//: grid 1 block 32
//: arg u32[64]:ones
//: arg u32[32]:zeros
//: arg u32=32
//: result 1 u32 33*32
extern "C" __global__ void past_the_tile(const unsigned *in, unsigned *out, unsigned turns)
{
    __shared__ unsigned tile[32];
    __shared__ unsigned next[32];
    unsigned t = threadIdx.x, sum = 0;
    tile[t] = in[t];
    next[t] = in[32 + t];
    __syncthreads();
    for (unsigned k = 0; k < turns; k++)
        sum += tile[k]; //@ look
    out[t] = sum + next[31 - t];
}
