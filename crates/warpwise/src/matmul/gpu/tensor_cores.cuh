// What compute capability 9.0 has for products: barriers and copies that run by themselves, and the tensor cores.
#pragma once
#include "packing.cuh"

__device__ inline u32 shared_address(const void* p) { return u32(__cvta_generic_to_shared(p)); }

// Barriers in shared memory: a phase is over when as many threads have arrived as it was made for, and as many bytes
// have come as were announced.
__device__ inline void make_barrier(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ inline void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void arrive_and_announce(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void wait(u32 barrier, u32 parity) {
    u32 over = 0;
    while (!over) {
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
            : "=r"(over)
            : "r"(barrier), "r"(parity)
            : "memory");
    }
}
__device__ inline void copy_bulk(u32 to, const u8* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// The block's dynamic shared memory. Tensor cores read rows of 16 bytes in groups of eight, which should not lie across two
// lines of 128 bytes.
__device__ inline u8* stage_memory() {
    extern __shared__ __align__(128) u8 stage_bytes[];
    return stage_bytes;
}

// A matrix in shared memory as the tensor cores are told of it: columns of 16 bytes a row, groups of eight rows.
__device__ inline u64 describe(u32 address) {
    return u64(address >> 4) | u64(COLUMN_BYTES >> 4) << 16 | u64(8 * 16 >> 4) << 32;
}

#define ACCUMULATOR \
    "{" \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63" \
    "}"
#define EIGHT(i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define ALL_EIGHTS EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)
#define IF_ADDING "{\n.reg .pred p;\nsetp.ne.u32 p, %66, 0;\n"

// 64 x 128 elements of C over the four warps of a group: d = a b, or d += a b. Done some time after this.
using Sums = f32[64];
__device__ inline void start_bf16(Sums& d, u64 a, u64 b, bool add) {
    asm volatile(IF_ADDING "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " ACCUMULATOR
                           ", %64, %65, p, 1, 1, 0, 0;\n}"
                 : ALL_EIGHTS
                 : "l"(a), "l"(b), "r"(u32(add)));
}
__device__ inline void start_tf32(Sums& d, u64 a, u64 b, bool add) {
    asm volatile(IF_ADDING "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " ACCUMULATOR ", %64, %65, p, 1, 1;\n}"
                 : ALL_EIGHTS
                 : "l"(a), "l"(b), "r"(u32(add)));
}
// Products that are started write to registers behind the compiler's back: it must not move anything over these.
__device__ inline void hold(Sums& d) { asm volatile("" : ALL_EIGHTS : : "memory"); }
__device__ inline void before_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void group_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <u32 GROUPS> __device__ inline void wait_for_all_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}
