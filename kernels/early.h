// Kernels that begin while the one before them in the stream still ends. A kernel that declares EARLY(its name) may be launched so (rocm/launch_attributes.go)
// and has to call await_previous before it reads what earlier kernels write, and before it writes. Only NVIDIA's GPUs of compute capability 9.0 and above
// have this: elsewhere kernels begin when what they read is there, and the functions do nothing.

#if !AMD && __CUDA_ARCH__ >= 900
#ifdef __clang__
#define EARLY(NAME) extern "C" __attribute__((device)) u8 gr_early_##NAME[1];
#else
#define EARLY(NAME) extern "C" __device__ u8 gr_early_##NAME[1];
#endif
DEV void begin_next() { asm volatile("griddepcontrol.launch_dependents;" : : : "memory"); }  // the next kernel may begin
DEV void await_previous() { asm volatile("griddepcontrol.wait;" : : : "memory"); }
// Has memory read into the L2 cache, where later stores to it are seen: whole stretches of 16 bytes, by one thread of the block.
DEV void ask_for(const void* p, u64 bytes) {
  const u64 from = ((u64)p + 15) & ~15ull, to = ((u64)p + bytes) & ~15ull;
  if (tid() == 0 && to > from) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(from), "r"((u32)(to - from)) : "memory");
}
#else
#define EARLY(NAME)
DEV void begin_next() {}
DEV void await_previous() {}
DEV void ask_for(const void*, u64) {}
#endif
