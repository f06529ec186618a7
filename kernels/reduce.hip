// OP_T(in, out, Layout1, u64 rows, u64 cols, u64 part): the reductions of reduce.h, of elements in memory. sum_wide_T gives sums in the type that they
// are made in, for a second step, which sum_narrow_T is.
#define REDUCE(NAME, ELEMENT, OUT, OP) \
  KERNEL NAME(const ELEMENT* in, OUT* out, Layout1 l, u64 rows, u64 cols, u64 part) { \
    const InMemory<ELEMENT> elements = {in}; \
    reduce<OP>(elements, out, l, rows, cols, part); \
  }
#define SUM(NAME, T) SUM_OP(NAME, T) REDUCE(NAME##_##T, T, T, NAME##_##T##_op)
#define SUM_WIDE(T) SUM_WIDE_OP(sum_wide, T) REDUCE(sum_wide_##T, T, Sum<T>::Type, sum_wide_##T##_op)
#define SUM_NARROW(T) REDUCE_sum(sum_narrow_##T, Sum<T>::Type, T, x) REDUCE(sum_narrow_##T, Sum<T>::Type, T, sum_narrow_##T##_op)
#define MEAN(NAME, T) MEAN_OP(NAME, T) REDUCE(NAME##_##T, T, T, NAME##_##T##_op)
#define MAX(NAME, T) MAX_OP(NAME, T) REDUCE(NAME##_##T, T, T, NAME##_##T##_op)
#define MIN(NAME, T) MIN_OP(NAME, T) REDUCE(NAME##_##T, T, T, NAME##_##T##_op)
#define ARGMAX(NAME, T) ARGMAX_OP(NAME, T) REDUCE(NAME##_##T, T, u32, NAME##_##T##_op)
#define ARGMIN(NAME, T) ARGMIN_OP(NAME, T) REDUCE(NAME##_##T, T, u32, NAME##_##T##_op)
