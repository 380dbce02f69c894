// Ends the program when a call fails.
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t code_ = (call);                                                                   \
        if (code_ != cudaSuccess) {                                                                   \
            printf("line %d: %s: %s\n", __LINE__, cudaGetErrorName(code_), cudaGetErrorString(code_)); \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)
