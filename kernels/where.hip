// where_C_bN(cond, t, f, out, Layout3, n): out[i] = cond[i] ≠ 0 ? t[i] : f[i], out dense.

#define WHERE(C, B) \
  KERNEL where_##C##_##B(const C* cond, const B* t, const B* f, B* out, Layout3 l, u64 n) { \
    for (u64 i = first(); i < n; i += stride()) { \
      Offsets<3> o = offsets(l, i); \
      out[i] = cond[o.of[0]] ? t[o.of[1]] : f[o.of[2]]; \
    } \
  }
