// Special functions of f64, element by element, beside those of the op table. scalar.h has them, as package
// tensor/internal/special/scalar does.
//
//	special_F(f64* x, u64 step, … of each argument, f64* out, n)
//
// An argument has a step of 0 for one number, or 1 for one of each element.

#define SPECIAL1(F) \
  KERNEL special_##F(const f64* x, u64 x_step, f64* out, u64 n) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = F(x[i * x_step]); \
  }
#define SPECIAL2(F) \
  KERNEL special_##F(const f64* x, u64 x_step, const f64* y, u64 y_step, f64* out, u64 n) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = F(x[i * x_step], y[i * y_step]); \
  }
#define SPECIAL3(F) \
  KERNEL special_##F(const f64* x, u64 x_step, const f64* y, u64 y_step, const f64* z, u64 z_step, f64* out, u64 n) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = F(x[i * x_step], y[i * y_step], z[i * z_step]); \
  }
