// printf from device code, one thread and several.

extern "C" __global__ void printf_formats(int number, double real)
{
    printf("plain\n");
    printf("%d %i %u %x %X %o\n", number, -number, 4000000000u, 0xbeefu, 0xbeefu, 8u);
    printf("[%5d] [%-5d] [%05d] [%+d] [%5s] [%-5s]\n", number, number, number, number, "ab", "cd");
    printf("%lld %llu %llx %ld\n", -9000000000ll, 18000000000000000000ull, 0x123456789abcull, 7l);
    printf("%f %5.2f %.0f %e %g %g\n", real, real, 2.5, 12345.678, 0.0001, 1e20);
    printf("%c%c%c %s 100%%\n", 'a', 'b', 'c', "text");
    printf("%f %f\n", 1.5f, -0.25f);
}

extern "C" __global__ void printf_threads()
{
    if (threadIdx.x % 2 == 0) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}
