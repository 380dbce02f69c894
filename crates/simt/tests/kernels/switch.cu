// switch statements: dense, sparse, and falling through; every lane its own case.

extern "C" __global__ void switch_dense(const int *in, int *out)
{
    int x = in[threadIdx.x], r;
    switch (x) {
    case 0: r = x + 11; break;
    case 1: r = x * 7 - 3; break;
    case 2: r = x ^ 0x55; break;
    case 3: r = 1 << (x + 3); break;
    case 4: r = -x; break;
    case 5: r = x * x * x; break;
    case 6: r = ~x; break;
    case 7: r = x / 2 + 90; break;
    case 8: r = x % 3 + 70; break;
    case 9: r = 12345; break;
    case 10: r = x | 0x100; break;
    case 11: r = x & 9; break;
    default: r = -1000 - x; break;
    }
    out[threadIdx.x] = r;
}

extern "C" __global__ void switch_sparse(const int *in, int *out)
{
    int r = 0;
    switch (in[threadIdx.x]) {
    case -5: r = 1; break;
    case 17: r = 2; break;
    case 1000: r = 3; break;
    case 70000: r = 4; break;
    }
    out[threadIdx.x] = r;
}

// A little machine: each thread runs its own program. The cases store, so that they stay jumps.
extern "C" __global__ void switch_machine(const unsigned char *code, int length, volatile int *out)
{
    int top = threadIdx.x;
    for (int at = 0; at < length; at++) {
        switch (code[threadIdx.x * length + at]) {
        case 0: top += 1; out[threadIdx.x] = top; break;
        case 1: top *= 3; out[threadIdx.x] = top; break;
        case 2: top -= 7; out[threadIdx.x] = top; break;
        case 3: top ^= top << 3; out[threadIdx.x] = top; break;
        case 4: top = -top; out[threadIdx.x] = top; // falls through
        case 5: top += 100; out[threadIdx.x] = top; break;
        case 6: out[threadIdx.x] = top; return;
        default: top >>= 1; out[threadIdx.x] = top; break;
        }
    }
}
