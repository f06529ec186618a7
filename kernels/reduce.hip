// OP_T(in, out, State* parts, u32* counters, Layout1, u64 rows, u64 cols, u64 part): the reductions of reduce.h, of elements in memory. parts has room
// for a State for each part of a row, and counters zeros for the rows, where part is below cols; finish.h says what for.
//
// OP_columns_T(the same): for rows side by side. The last dim has cols elements, which are not neighbours, and the dim before at least 8 that are. It is a
// kernel of its own because a thread has as many sums under way as a pack has elements: with the registers of OP_T, NVIDIA's compiler has it wait for
// each pack before it fetches the next. tensor cuts rows into parts by how many blocks of each run at once.
#define REDUCE(KIND, NAME, T, OUT, OP, HOW) \
  OP(NAME, T, OUT) \
  KIND NAME##_##T(const T* in, OUT* out, NAME##_##T##_op::State* parts, u32* counters, Layout1 l, u64 rows, u64 cols, u64 part) { \
    const InMemory<T, HOW> elements = {in}; \
    const Parts<NAME##_##T##_op> made = {parts, counters}; \
    reduce(elements, out, made, l, rows, cols, part); \
  }
#define REDUCE_ROWS(OP, NAME, T, OUT) REDUCE(KERNEL_FOR(4), NAME, T, OUT, OP, ANY_ROWS)
#define REDUCE_COLUMNS(OP, NAME, T, OUT) REDUCE(KERNEL2, NAME##_columns, T, OUT, OP, ANY_COLUMNS)
