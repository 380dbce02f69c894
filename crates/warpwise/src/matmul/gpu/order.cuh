// Which tile of C comes when.
#pragma once
#include "../../kernels.cuh"

// Down GROUP rows of tiles before the next column, so that blocks that run together share what the second-level cache
// holds of A and B.
struct TilePlace {
    u32 row, column;
};
__device__ inline TilePlace grouped(u32 id, u32 rows, u32 columns) {
    constexpr u32 GROUP = 8;
    u32 all = GROUP * columns, first = id / all * GROUP, height = min(GROUP, rows - first);
    return {first + id % all % height, id % all / height};
}
