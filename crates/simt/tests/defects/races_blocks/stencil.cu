// A stencil over an array that is longer than one block.

//: defect in place: the barrier orders the threads of a block, not its neighbours
//: grid 2 block 64
//: arg u32[130]:ones
//: expect race error at left|right with write in global
//: correct one block is all there is
//: grid 1 block 64
//: arg u32[66]:ones
//: result 0 u32 1,3*64,1
extern "C" __global__ void in_place(unsigned *data)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned left = data[i - 1];  //@ left
    unsigned right = data[i + 1]; //@ right
    __syncthreads();
    data[i] += left + right; //@ write
}

//: correct from one array to another
//: grid 2 block 64
//: arg u32[130]:ones
//: arg u32[130]:zeros
//: result 1 u32 0,3*128,0
extern "C" __global__ void double_buffered(const unsigned *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}

//: defect two arrays in turn, but several steps in one launch
//: grid 2 block 64
//: arg u32[130]:ones
//: arg u32[130]:ones
//: expect race error at first with second in global
extern "C" __global__ void two_steps(unsigned *a, unsigned *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    b[i] = a[i - 1] + a[i] + a[i + 1]; //@ first
    __syncthreads();
    a[i] = b[i - 1] + b[i] + b[i + 1]; //@ second
}
