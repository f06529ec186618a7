// scatter_I_bN, scatter_add_I_T(ids, src, out, Layout3, u64 lines, Scatter, u64* fault):
//   out[… ids[c] …] = src[c], or += src[c], for c = 0, 1, … along one dim of each line.
//
// One thread walks a line, so that the last of several elements for one place stays, and sums have one order. The layout is that of
// ids, src and out without the dim; Scatter has what they have along it. An id outside 0…size-1 is left out and stores
// 1 + line·count + c in *fault.

struct Scatter {
  i64 count, size;
  i64 ids_step, src_step, out_step;
};

template <bool ADD, class I, class T>
DEV void scatter(const I* ids, const T* src, T* out, const Layout3& l, u64 lines, const Scatter& s, u64* fault) {
  for (u64 line = first(); line < lines; line += stride()) {
    Offsets<3> o = offsets(l, line);
    for (i64 c = 0; c < s.count; c++) {
      u64 id = (u64)ids[o.of[0] + c * s.ids_step];
      if (id >= (u64)s.size) {
        *fault = line * (u64)s.count + (u64)c + 1;
        continue;
      }
      T* to = out + o.of[2] + (i64)id * s.out_step;
      T x = src[o.of[1] + c * s.src_step];
      if constexpr (ADD)
        *to = add(*to, x);
      else
        *to = x;
    }
  }
}

#define SCATTER(I, B) \
  KERNEL scatter_##I##_##B(const I* ids, const B* src, B* out, Layout3 l, u64 lines, Scatter s, u64* fault) { \
    scatter<false>(ids, src, out, l, lines, s, fault); \
  }
#define SCATTER_ADD(I, T) \
  KERNEL scatter_add_##I##_##T(const I* ids, const T* src, T* out, Layout3 l, u64 lines, Scatter s, u64* fault) { \
    scatter<true>(ids, src, out, l, lines, s, fault); \
  }
