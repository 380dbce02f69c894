// Arrays of a thread's own, indexed by values known only at run time.

extern "C" __global__ void local_sort(const int *in, int *out)
{
    int own[16];
    for (int i = 0; i < 16; i++) own[i] = in[threadIdx.x * 16 + i];
    for (int i = 1; i < 16; i++) {
        int value = own[i], j = i;
        while (j > 0 && own[j - 1] > value) {
            own[j] = own[j - 1];
            j--;
        }
        own[j] = value;
    }
    for (int i = 0; i < 16; i++) out[threadIdx.x * 16 + i] = own[i];
}

extern "C" __global__ void local_histogram(const unsigned char *in, unsigned *out, int n)
{
    unsigned short counts[10] = {};
    for (int i = 0; i < n; i++) counts[in[threadIdx.x * n + i] % 10]++;
    unsigned packed = 0;
    for (int digit = 9; digit >= 0; digit--) packed = packed * 8 + counts[digit] % 8;
    out[threadIdx.x] = packed;
}
