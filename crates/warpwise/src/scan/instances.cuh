// What a kernel of scan is made for: MAKE(..., type) for every type; MAKE(rung, kind, whether inclusive, name of the
// operator, its class, type) for every operator; and for both kinds of scan.
#pragma once
#include "../kernels.cuh"

#define TYPES(MAKE, ...) \
    MAKE(__VA_ARGS__, i32) MAKE(__VA_ARGS__, u32) MAKE(__VA_ARGS__, i64) \
    MAKE(__VA_ARGS__, u64) MAKE(__VA_ARGS__, f32) MAKE(__VA_ARGS__, f64)
#define OPERATORS(MAKE, rung, kind, INCLUSIVE) \
    TYPES(MAKE, rung, kind, INCLUSIVE, sum, Sum) TYPES(MAKE, rung, kind, INCLUSIVE, product, Product) \
    TYPES(MAKE, rung, kind, INCLUSIVE, min, Min) TYPES(MAKE, rung, kind, INCLUSIVE, max, Max)
#define KINDS(MAKE, rung) OPERATORS(MAKE, rung, inclusive, true) OPERATORS(MAKE, rung, exclusive, false)
