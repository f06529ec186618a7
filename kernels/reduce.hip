// OP_T(in, out, State* parts, u32* counters, Layout1, u64 rows, u64 cols, u64 part): the reductions of reduce.h, of elements in memory. parts has room
// for a State for each part of a row, and counters zeros for the rows, where part is below cols; finish.h says what for.
#define REDUCE(NAME, T, OUT, OP) \
  OP(NAME, T) \
  KERNEL NAME##_##T(const T* in, OUT* out, NAME##_##T##_op::State* parts, u32* counters, Layout1 l, u64 rows, u64 cols, u64 part) { \
    const InMemory<T> elements = {in}; \
    const Parts<NAME##_##T##_op> made = {parts, counters}; \
    reduce(elements, out, made, l, rows, cols, part); \
  }
#define SUM(NAME, T) REDUCE(NAME, T, T, SUM_OP)
#define MEAN(NAME, T) REDUCE(NAME, T, T, MEAN_OP)
#define MAX(NAME, T) REDUCE(NAME, T, T, MAX_OP)
#define MIN(NAME, T) REDUCE(NAME, T, T, MIN_OP)
#define ARGMAX(NAME, T) REDUCE(NAME, T, u32, ARGMAX_OP)
#define ARGMIN(NAME, T) REDUCE(NAME, T, u32, ARGMIN_OP)
