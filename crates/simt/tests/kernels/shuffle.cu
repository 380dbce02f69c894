// Lanes that exchange values, vote and look at each other.

extern "C" __global__ void shuffle_scan(const int *in, int *out)
{
    int lane = threadIdx.x % 32, value = in[threadIdx.x];
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) value += left;
    }
    out[threadIdx.x] = value;
}

extern "C" __global__ void shuffle_segments(const double *in, double *out)
{
    double value = in[threadIdx.x];
    for (int mask = 4; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffffu, value, mask, 8);
    out[threadIdx.x] = __shfl_sync(0xffffffffu, value, (threadIdx.x + 8) % 32);
}

// Keeps the elements that are not zero, in order: ranks by ballots.
extern "C" __global__ void shuffle_compact(const int *in, int *out, int *kept)
{
    int value = in[threadIdx.x];
    unsigned votes = __ballot_sync(0xffffffffu, value != 0);
    unsigned rank = __popc(votes & ((1u << threadIdx.x) - 1));
    if (value != 0) out[rank] = value;
    if (threadIdx.x == 0) *kept = __popc(votes);
    if (__all_sync(0xffffffffu, value >= 0)) out[31] = -1;
    if (__any_sync(0xffffffffu, value == 9)) out[30] = -2;
}
