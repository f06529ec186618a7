// Kernels for the tests of package rocm. build.sh makes kernels.gfx1100.co of them.
typedef unsigned long long u64;

extern "C" __global__ void scale(const float *in, float *out, float k, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) out[i] = in[i] * k;
}

// reverse turns each block of blockDim.x words around, through shared memory.
extern "C" __global__ void reverse(unsigned *data) {
  __shared__ unsigned part[256];
  unsigned t = threadIdx.x, base = blockIdx.x * blockDim.x;
  part[t] = data[base + t];
  __syncthreads();
  data[base + t] = part[blockDim.x - 1 - t];
}

struct Inner { signed char c; double d; };
struct Outer { short s; Inner inner[2]; float f; };

// echo stores every argument as a double, so that the host sees where the device found it.
extern "C" __global__ void echo(double *out, unsigned a, u64 b, int c, float d, double e, Outer o, unsigned last) {
  out[0] = a, out[1] = (double)b, out[2] = c, out[3] = d, out[4] = e;
  out[5] = o.s, out[6] = o.inner[0].c, out[7] = o.inner[0].d, out[8] = o.inner[1].c, out[9] = o.inner[1].d, out[10] = o.f;
  out[11] = last;
}

// spin ends when *flag is not 0, which nobody sets.
extern "C" __global__ void spin(volatile unsigned *flag) {
  while (*flag == 0) {}
}
