// scatter_I_bN, scatter_add_I_T(ids, src, out, Layout3, u64 lines, Scatter, u64* fault):
//   out[… ids[c] …] = src[c], or += src[c], for c = 0, 1, … along one dim of each line.
// scatter_mul_i64_T, scatter_maximum_i64_T and scatter_minimum_i64_T are the same with another operation.
//
// One thread processes a line, so that the last of several elements for one id wins, and sums have a fixed order. The layout is that of ids, src and
// out without the dim; Scatter has their strides along it. An id outside 0…size-1 is skipped and stores 1 + line·count + c in *fault.

// With many ids in few lines, one thread per line is slow. The ids of a line are then sorted first, stably, and a thread takes the elements with one
// id:
//   scatter_sorted_I_bN, scatter_add_sorted_I_T(ids, u32* from, src, out, Layout2, u64 lines, Scatter, u64* fault):
//     ids has the sorted ids of each line, and from their original positions; ids_step is the stride of their rows, 0 if all lines share them.
// The layout is that of src and out without the dim. The elements for one id are taken in their original order, so the result is the same bit by bit.

struct Scatter {
  i64 count, size;
  i64 ids_step, src_step, out_step;
};

struct Replace { template <class T> MEMBER T join(T, T y) { return y; } };
struct Add { template <class T> MEMBER T join(T x, T y) { return add(x, y); } };
struct Mul { template <class T> MEMBER T join(T x, T y) { return mul(x, y); } };
struct Maximum { template <class T> MEMBER T join(T x, T y) { return maximum(x, y); } };
struct Minimum { template <class T> MEMBER T join(T x, T y) { return minimum(x, y); } };
template <class J> struct Replaces { static const bool yes = false; };
template <> struct Replaces<Replace> { static const bool yes = true; };

template <class J, class I, class T>
DEV void scatter(const I* ids, const T* src, T* out, const Layout3& l, u64 lines, const Scatter& s, u64* fault) {
  for (u64 line = first(); line < lines; line += stride()) {
    Offsets<3> o = offsets(l, line);
    for (i64 c = 0; c < s.count; c++) {
      u64 id = (u64)ids[o.of[0] + c * s.ids_step];
      if (id >= (u64)s.size) {
        report(fault, line * (u64)s.count + (u64)c);
        continue;
      }
      T* to = out + o.of[2] + (i64)id * s.out_step;
      *to = J::join(*to, src[o.of[1] + c * s.src_step]);
    }
  }
}

template <class J, class I, class T>
DEV void scatter_sorted(const I* ids, const u32* from, const T* src, T* out, const Layout2& l, u64 lines, const Scatter& s, u64* fault) {
  for (u64 i = first(); i < lines * (u64)s.count; i += stride()) {
    const u64 c = i / lines, line = i - c * lines;  // neighbouring threads have neighbouring lines
    const I* id = ids + line * (u64)s.ids_step;
    const u32* at = from + line * (u64)s.ids_step;
    if ((u64)id[c] >= (u64)s.size) {
      report(fault, line * (u64)s.count + at[c]);
      continue;
    }
    if (c > 0 && id[c - 1] == id[c]) continue;  // the thread of the first one takes it
    const Offsets<2> o = offsets(l, line);
    T* to = out + o.of[1] + (i64)id[c] * s.out_step;
    u64 end = c + 1;
    while (end < (u64)s.count && id[end] == id[c]) end++;
    if constexpr (Replaces<J>::yes) {
      *to = src[o.of[0] + (i64)at[end - 1] * s.src_step];
    } else {
      T x = *to;
      for (u64 j = c; j < end; j++) x = J::join(x, src[o.of[0] + (i64)at[j] * s.src_step]);
      *to = x;
    }
  }
}

#define SCATTER_KERNEL(NAME, J, I, T) \
  KERNEL NAME##_##I##_##T(const I* ids, const T* src, T* out, Layout3 l, u64 lines, Scatter s, u64* fault) { \
    scatter<J>(ids, src, out, l, lines, s, fault); \
  }
#define SCATTER_SORTED_KERNEL(NAME, J, I, T) \
  KERNEL NAME##_sorted_##I##_##T(const I* ids, const u32* from, const T* src, T* out, Layout2 l, u64 lines, Scatter s, u64* fault) { \
    scatter_sorted<J>(ids, from, src, out, l, lines, s, fault); \
  }
#define SCATTER(I, B) SCATTER_KERNEL(scatter, Replace, I, B)
#define SCATTER_ADD(I, T) SCATTER_KERNEL(scatter_add, Add, I, T)
#define SCATTER_MUL(I, T) SCATTER_KERNEL(scatter_mul, Mul, I, T)
#define SCATTER_MAXIMUM(I, T) SCATTER_KERNEL(scatter_maximum, Maximum, I, T)
#define SCATTER_MINIMUM(I, T) SCATTER_KERNEL(scatter_minimum, Minimum, I, T)
#define SCATTER_SORTED(I, B) SCATTER_SORTED_KERNEL(scatter, Replace, I, B)
#define SCATTER_ADD_SORTED(I, T) SCATTER_SORTED_KERNEL(scatter_add, Add, I, T)
#define SCATTER_MUL_SORTED(I, T) SCATTER_SORTED_KERNEL(scatter_mul, Mul, I, T)
#define SCATTER_MAXIMUM_SORTED(I, T) SCATTER_SORTED_KERNEL(scatter_maximum, Maximum, I, T)
#define SCATTER_MINIMUM_SORTED(I, T) SCATTER_SORTED_KERNEL(scatter_minimum, Minimum, I, T)
