// Votes, matches and barriers of a warp, and their masks.

//: correct all lanes vote
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0xaaaaaaaa*32
extern "C" __global__ void all_lanes(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __ballot_sync(0xffffffff, in[threadIdx.x] % 2);
}

//: defect half the lanes vote in the name of all, the others wait elsewhere
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at vote|barrier
extern "C" __global__ void lanes_elsewhere(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x, votes = 0;
    if (t < 16)
        votes = __ballot_sync(0xffffffff, in[t] % 2); //@ vote
    __syncthreads(); //@ barrier
    out[t] = votes;
}

//: correct half the lanes vote, by name
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0x0000aaaa*16,0*16
extern "C" __global__ void half_a_warp(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x, votes = 0;
    if (t < 16)
        votes = __ballot_sync(0x0000ffff, in[t] % 2);
    __syncthreads();
    out[t] = votes;
}

//: defect a lane votes that its mask leaves out
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at vote
extern "C" __global__ void not_in_its_own_mask(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __any_sync(0x7fffffff, in[threadIdx.x] > 40); //@ vote
}

//: correct the mask is worked out by a vote before the branch
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0*20,12*12
extern "C" __global__ void mask_from_a_vote(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, in[t] >= 20);
    if (in[t] >= 20)
        out[t] = __popc(__ballot_sync(mask, 1));
}

//: correct lanes that have returned are not waited for, though the mask names them
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: arg u32=20
//: result 1 u32 0x000fffff*20,0*12
extern "C" __global__ void lanes_that_left(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    out[t] = __ballot_sync(0xffffffff, in[t] < 100);
}

//: correct lanes that agree
//: grid 1 block 32
//: arg u32[32]:iota
//: arg u32[32]:zeros
//: result 1 u32 0x000000ff*8,0x0000ff00*8,0x00ff0000*8,0xff000000*8
extern "C" __global__ void match(const unsigned *in, unsigned *out)
{
    out[threadIdx.x] = __match_any_sync(0xffffffff, in[threadIdx.x] / 8);
}

//: defect half the lanes wait for the warp, the others for the block
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at warp|block
extern "C" __global__ void warp_or_block(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t < 16)
        __syncwarp(); //@ warp
    __syncthreads(); //@ block
    out[t] = t;
}

//: defect a lane waits with others, but the mask leaves it out
//: grid 1 block 32
//: arg u32[32]:zeros
//: expect barrier_divergence|deadlock error at warp
extern "C" __global__ void wait_not_in_mask(unsigned *out)
{
    unsigned t = threadIdx.x;
    __syncwarp(0x0000ffff); //@ warp
    out[t] = t;
}

//: correct the lanes that wait are those that the mask names
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 0..31
extern "C" __global__ void wait_by_name(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t < 16)
        __syncwarp(0x0000ffff);
    out[t] = t;
}

//: correct both sides of a branch wait for the whole warp, at two places
//: grid 1 block 32
//: arg u32[32]:zeros
//: result 0 u32 1..32
extern "C" __global__ void wait_at_two_places(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t % 2) {
        out[t] = t;
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        out[t] += 1;
    } else {
        out[t] = t + 1;
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        out[t] += 0;
    }
}
