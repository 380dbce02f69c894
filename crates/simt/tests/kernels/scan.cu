// Prefix sums of one block.

// Inclusive, two buffers, log n rounds.
extern "C" __global__ void scan_hillis_steele(const int *in, int *out)
{
    extern __shared__ int buffers[];
    unsigned n = blockDim.x, t = threadIdx.x;
    unsigned from = 0, to = n;
    buffers[t] = in[t];
    __syncthreads();
    for (unsigned offset = 1; offset < n; offset *= 2) {
        buffers[to + t] = buffers[from + t] + (t >= offset ? buffers[from + t - offset] : 0);
        unsigned swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    out[t] = buffers[from + t];
}

// Exclusive, work-efficient: up the tree and down again; two elements a thread.
extern "C" __global__ void scan_blelloch(const int *in, int *out)
{
    extern __shared__ int tree[];
    unsigned n = 2 * blockDim.x, t = threadIdx.x;
    tree[2 * t] = in[2 * t];
    tree[2 * t + 1] = in[2 * t + 1];
    unsigned offset = 1;
    for (unsigned width = n / 2; width > 0; width /= 2) {
        __syncthreads();
        if (t < width) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[n - 1] = 0;
    for (unsigned width = 1; width < n; width *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < width) {
            unsigned left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[2 * t] = tree[2 * t];
    out[2 * t + 1] = tree[2 * t + 1];
}
