// Atomics and fences of a block.

//: correct atomics of the block, by one block
//: grid 1 block 64
//: arg u32[1]:zeros
//: result 0 u32 64
//: defect atomics of the block, by two
//: grid 2 block 64
//: arg u32[1]:zeros
//: expect race error at add with add in global
extern "C" __global__ void of_the_block(unsigned *count)
{
    atomicAdd_block(count, 1); //@ add
}

//: defect one block counts for all to see, the other only for itself
//: grid 2 block 32
//: arg u32[1]:zeros
//: expect race error at narrow with wide in global
extern "C" __global__ void narrow_and_wide(unsigned *count)
{
    if (blockIdx.x == 0)
        atomicAdd_block(count, 1); //@ narrow
    else
        atomicAdd(count, 1); //@ wide
}

//: correct atomics of the system reach everybody
//: grid 2 block 32
//: arg u32[1]:zeros
//: result 0 u32 64
extern "C" __global__ void system_and_device(unsigned *count)
{
    if (blockIdx.x == 0)
        atomicAdd_system(count, 1);
    else
        atomicAdd(count, 1);
}

//: correct every block has a counter of its own
//: grid 2 block 64
//: arg u32[2]:zeros
//: result 0 u32 64*2
extern "C" __global__ void a_counter_a_block(unsigned *counts)
{
    atomicAdd_block(&counts[blockIdx.x], 1);
}

//: correct two warps of a block hand over a value with fences of the block
//: grid 1 block 64
//: arg u32[1]:uninit
//: arg u32[1]:zeros
//: arg u32[1]:zeros
//: result 2 u32 42
extern "C" __global__ void fence_of_the_block(unsigned *value, unsigned *flag, unsigned *out)
{
    if (threadIdx.x == 0) {
        *value = 42;
        __threadfence_block();
        *(volatile unsigned *)flag = 1;
    }
    if (threadIdx.x == 32) {
        while (*(volatile unsigned *)flag == 0)
            ;
        __threadfence_block();
        *out = *value;
    }
}
