#pragma once
extern __device__ int base;
extern __device__ int calls_of_main;
__device__ int scaled(int value);
void other_own(int *data);
