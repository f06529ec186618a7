// fused_OP_OP…(inputs, out, Walk if there are strided inputs, n, numbers): the operations one after the other, rounded each as by its own
// kernel; out dense. There is a kernel for each chain that a program computes: see Fused in fuse.go, which renders it.

// A number that stands for an operand, as its bits.
template <class T> struct Number {
  u64 bits;
  DEV T value() const {
    union { u64 bits; T value; } u;
    u.bits = bits;
    return u.value;
  }
};

// The dims that N strided inputs are walked along, and their strides. I is u32 where all offsets are below 2³¹; strides may be any
// sum of them then, as arithmetic wraps.
template <int N, int RANK, class I> struct Walk {
  I dims[RANK];
  I strides[N][RANK];
  DEV void places(I flat, I (&at)[N]) const {
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = 0;
#pragma unroll
    for (int d = RANK - 1; d >= 0; d--) {
      const I q = d > 0 ? flat / dims[d] : 0, r = flat - q * dims[d];
#pragma unroll
      for (int k = 0; k < N; k++) at[k] += r * strides[k][d];
      flat = q;
    }
  }
};
