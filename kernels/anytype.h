// Elements whose type is known by its number: 0 f32, 1 f16, 2 bf16.

DEV f32 get(const void* p, u64 at, u64 type) {
  return type == 0 ? ((const f32*)p)[at] : type == 1 ? Element<f16>::load(((const f16*)p)[at]) : Element<bf16>::load(((const bf16*)p)[at]);
}
DEV void put(void* p, u64 at, f32 x, u64 type) {
  if (type == 0)
    ((f32*)p)[at] = x;
  else if (type == 1)
    ((f16*)p)[at] = Element<f16>::store(x);
  else
    ((bf16*)p)[at] = Element<bf16>::store(x);
}
DEV f32 rounded(f32 x, u64 type) {
  return type == 0 ? x : type == 1 ? Element<f16>::load(Element<f16>::store(x)) : Element<bf16>::load(Element<bf16>::store(x));
}
