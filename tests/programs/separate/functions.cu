#include "shared.h"
__constant__ int factor = 3;
__device__ int scaled(int value) { return value * factor; }
