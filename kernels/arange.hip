// arange_T(out, n, start, step): out[i] = start + i·step. start and step are f64 for float types, where the value is computed
// in f64 and rounded, and i64 for integer types, where it wraps.

#define ARANGE_FLOAT(T) \
  KERNEL arange_##T(T* out, u64 n, f64 start, f64 step) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = Element<T>::round(start + (f64)i * step); \
  }
#define ARANGE_INT(T) \
  KERNEL arange_##T(T* out, u64 n, i64 start, i64 step) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = (T)((u64)start + i * (u64)step); \
  }
