// fused_OP_OP…(inputs, out, Walk if there are strided inputs, n, numbers): the operations in sequence, each rounded as by its own kernel; out dense.
// Fused in fuse.go renders a kernel for each chain of a program. If a reduction closes the chain (fuse_close.go), reduce.h takes its input from the
// chain instead of from memory.

// A number that replaces an operand, as its bits.
template <class T> struct Number {
  u64 bits;
  DEV T value() const {
    union { u64 bits; T value; } u;
    u.bits = bits;
    return u.value;
  }
};

// The dims of N strided inputs, and their strides. I is u32 if all offsets are below 2³¹; strides are then taken modulo 2³², as arithmetic wraps.
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

// A result as it would be in memory: Element<T>::store.
template <class T> DEV T stored(Compute<T> x) { return Element<T>::store(x); }

// Sums, differences and products of stored elements. Rounding to f32 in between changes nothing, because f32 has more than twice the digits of f16
// and bf16; only subnormal products of bf16 would be rounded twice. LLVM knows that; NVRTC needs the explicit form.
template <class T> DEV T stored_add(T a, T b) { return stored<T>(add(Element<T>::load(a), Element<T>::load(b))); }
template <class T> DEV T stored_sub(T a, T b) { return stored<T>(sub(Element<T>::load(a), Element<T>::load(b))); }
template <class T> DEV T stored_mul(T a, T b) { return stored<T>(mul(Element<T>::load(a), Element<T>::load(b))); }
#if !AMD && !defined(__clang__)
#define STORED_ARITH(NAME, CALL, T) \
  template <> DEV T stored_##NAME(T a, T b) { T r; asm(CALL " %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
STORED_ARITH(add, "add.rn.f16", f16)
STORED_ARITH(sub, "sub.rn.f16", f16)
STORED_ARITH(mul, "mul.rn.f16", f16)
#if __CUDA_ARCH__ >= 900
STORED_ARITH(add, "add.rn.bf16", bf16)
STORED_ARITH(sub, "sub.rn.bf16", bf16)
#endif
#if __CUDA_ARCH__ >= 800
template <> DEV bf16 stored<bf16>(f32 x) {  // a conversion of two is the faster one
  bf16 r = {(u16)narrow_two(bf16(), x, 0.0f)};
  return r;
}
#endif
#endif
