// affine_T(in, out, Layout1, n, mul, add): out[i] = in[i]·mul + add, rounded twice, out dense. mul and add are f64 for float
// types, rounded to the compute type of T, and i64 for integer types, where the result wraps.

#define AFFINE(T, P) \
  KERNEL affine_##T(const T* in, T* out, Layout1 l, u64 n, P scale, P shift) { \
    Affine<Compute<T>> op = {(Compute<T>)scale, (Compute<T>)shift}; \
    map(in, out, l, n, op); \
  }
