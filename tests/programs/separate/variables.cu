#include "shared.h"
__device__ int base = 100;
__device__ int calls_of_main;
static __device__ int hidden() { return 2; }
__global__ void own_of_variables(int *out) { *out = hidden(); }
void other_own(int *data) { own_of_variables<<<1, 1>>>(data); }
