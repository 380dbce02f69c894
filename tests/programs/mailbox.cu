// A kernel that serves requests of the host while both run: mapped memory, volatile loads, fences for the system.
#include "check.h"
struct Mail {
    int request, answer, payload, result;
};
__global__ void serve(volatile Mail *mail, int rounds) {
    for (int round = 1; round <= rounds; round++) {
        while (mail->request < round) __nanosleep(200);
        __threadfence_system();
        mail->result = mail->payload * mail->payload + round;
        __threadfence_system();
        mail->answer = round;
    }
}
__global__ void count(int *counter, int n) {
    for (int i = 0; i < n; i++) atomicAdd_system(counter, 1);
}
int main() {
    Mail *mapped;
    CHECK(cudaHostAlloc(&mapped, sizeof(Mail), cudaHostAllocMapped));
    volatile Mail *mail = mapped;
    mail->request = mail->answer = 0;
    Mail *device;
    CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    serve<<<1, 1, 0, stream>>>(device, 20);
    CHECK(cudaGetLastError());
    long long sum = 0;
    for (int round = 1; round <= 20; round++) {
        mail->payload = round * 7;
        __sync_synchronize();
        mail->request = round;
        while (mail->answer < round) {
        }
        __sync_synchronize();
        sum += mail->result;
    }
    CHECK(cudaStreamSynchronize(stream));
    printf("answers: %lld\n", sum);
    int *counter;
    CHECK(cudaMallocManaged(&counter, 4));
    *counter = 0;
    count<<<4, 64, 0, stream>>>(counter, 10);
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 100; i++) __sync_fetch_and_add(counter, 1);
    printf("counted: %d\n", *counter);
    CHECK(cudaFree(counter));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaStreamDestroy(stream));
}
