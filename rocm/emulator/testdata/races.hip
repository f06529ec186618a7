// Kernels with and without races, for the tests of CheckRaces and CheckInit. Blocks have 64 work-items: two waves.

// A wave reads what the other has written, with no barrier between.
extern "C" __global__ void missing_barrier(const float *x, float *y) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  tile[t] = x[t];
  y[t] = tile[63 - t];
}
extern "C" __global__ void with_barrier(const float *x, float *y) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  y[t] = tile[63 - t];
}
// The next round stores before the other wave has read.
extern "C" __global__ void missing_second_barrier(const float *x, float *y) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int round = 0; round < 2; round++) {
    tile[t] = x[64 * round + t];
    __syncthreads();
    sum += tile[63 - t];
  }
  y[t] = sum;
}
// Bytes of one word belong to different work-items.
extern "C" __global__ void bytes(const unsigned char *x, unsigned char *y) {
  __shared__ unsigned char tile[64];
  unsigned t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  y[t] = tile[t ^ 1];
}
// All store to one word: the same value, or different ones.
extern "C" __global__ void same_value(int *y) {
  __shared__ int flag;
  flag = 7;
  __syncthreads();
  y[threadIdx.x] = flag;
}
extern "C" __global__ void different_values(int *y) {
  __shared__ int flag;
  flag = threadIdx.x & 3;
  __syncthreads();
  y[threadIdx.x] = flag;
}
// Counting with atomics, with and without a barrier behind the zeros.
extern "C" __global__ void histogram(const int *x, int *y, int synced) {
  __shared__ int count[64];
  unsigned t = threadIdx.x;
  count[t] = 0;
  if (synced) __syncthreads();
  atomicAdd(&count[x[t]], 1);
  __syncthreads();
  y[t] = count[t];
}
// Blocks add to the same words of global memory.
extern "C" __global__ void scatter(const int *at, float *y, int atomics) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomics) atomicAdd(&y[at[t]], 1.0f);
  else y[at[t]] += 1.0f;
}
// The last block that is done adds what all have stored.
extern "C" __global__ void last_block(const float *x, float *part, unsigned *done, float *y) {
  __shared__ unsigned last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += ((volatile float *)part)[i];
    *y = sum;
  }
}
// The two halves of a wave go different ways.
extern "C" __global__ void branches(const float *x, float *y) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  if (t < 16) {
    tile[t] = x[t];
    asm volatile("s_nop 1");
  } else {
    asm volatile("s_nop 2");
    y[t] = tile[t & 15];
  }
}
// Shared memory that nothing has written.
extern "C" __global__ void unwritten(float *y) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  if (t < 40) tile[t] = t;
  __syncthreads();
  y[t] = tile[t];
}
// A load beyond the end, at a line that the error names.
extern "C" __global__ void beyond(const float *x, float *y) {
  unsigned t = threadIdx.x;
  y[t] = 2 * x[t + 60];
}
