// Kernels as another compiler has them: clang compiles them without any header, for the tests of LoadModule.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))

struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);  // what clang's host part calls
extern "C" unsigned __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);

struct alignas(16) Vec { float x, y, z, w; };
__device__ int counter = 5;
__constant__ float weights[4] = {1, 2, 3, 4};

#define AT (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
namespace ns {
template <class T> __global__ void saxpy(T a, const T *x, T *y, unsigned n) {
  unsigned i = AT;
  if (i < n) y[i] += a * x[i];
}
}  // namespace ns
template __global__ void ns::saxpy<float>(float, const float *, float *, unsigned);
template __global__ void ns::saxpy<double>(double, const double *, double *, unsigned);

extern "C" __global__ void mix(float *y, float a, Vec v, signed char c, long n, _Float16 h) {
  long i = AT;
  if (i < n) y[i] = a * v.w + c + weights[i % 4] + (float)h;
  if (i == 0) counter += 1;
}
