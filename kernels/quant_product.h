// What products of quantized rows have in common.

struct Product {
  u64 rows, cols, parts;  // of the result; of a row, with 32 elements each, or 8 where there are no blocks
  u64 type;               // of the elements of the result: 0 f32, 1 f16, 2 bf16
};

DEV void put(void* out, u64 at, f32 x, u64 type) {
  if (type == 0)
    ((f32*)out)[at] = x;
  else if (type == 1)
    ((f16*)out)[at] = Element<f16>::store(x);
  else
    ((bf16*)out)[at] = Element<bf16>::store(x);
}
