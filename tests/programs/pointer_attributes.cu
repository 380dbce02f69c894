// What kind of memory a pointer is.
#include "check.h"

static const char *kinds[] = {"unregistered", "host", "device", "managed"};

static void tell(const char *what, const void *pointer, const void *host) {
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, pointer));
    printf("%s: %s, host pointer %s\n", what, kinds[a.type], a.hostPointer == host ? "as expected" : "wrong");
}

int main() {
    int *device, *managed, *pinned, *pageable = new int[4];
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaMallocHost(&pinned, 64));
    tell("cudaMalloc", device + 1, nullptr);
    tell("cudaMallocManaged", managed, managed);
    tell("cudaMallocHost", pinned + 2, pinned + 2);
    tell("new", pageable, pageable);
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
}
