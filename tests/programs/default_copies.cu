// Copies whose direction the addresses say.
#include "check.h"

int main() {
    int pageable[4] = {1, 2, 3, 4}, back[4], *device, *managed, *pinned;
    CHECK(cudaMalloc(&device, sizeof pageable));
    CHECK(cudaMallocManaged(&managed, sizeof pageable));
    CHECK(cudaMallocHost(&pinned, sizeof pageable));
    CHECK(cudaMemcpy(device, pageable, sizeof pageable, cudaMemcpyDefault));
    CHECK(cudaMemcpy(managed, device, sizeof pageable, cudaMemcpyDefault));
    CHECK(cudaMemcpy(pinned, managed, sizeof pageable, cudaMemcpyDefault));
    pinned[0] = 10;
    CHECK(cudaMemcpyAsync(device, pinned, sizeof pageable, cudaMemcpyDefault, 0));
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    CHECK(cudaMemcpyPeer(managed, 0, device, 0, sizeof pageable));
    CHECK(cudaDeviceSynchronize());
    printf("%d\n", managed[0]);
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
}
