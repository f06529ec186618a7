// Products by warpgroups, four neighbouring warps of a block, of NVIDIA's GPUs of compute capability 9.0 (wgmma): their matrix cores do
// not reach half of their speed otherwise. Each warp has 16 rows of the first matrix in registers, and all have the second one in shared
// memory. Registers have what they have for matrix.h. WARPGROUPS is 1 where there are some: in what is compiled for sm_90a.

#if !AMD && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WARPGROUPS 1

[[maybe_unused]] const int GROUP = 128;  // threads of a warpgroup
[[maybe_unused]] const int GROUPS = 2;   // of a block that multiply, beside one that copies

// Products are begun, ended as a group, and waited for by groups. Until then nothing may touch their registers and their shared memory.
DEV void products_begin() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
DEV void products_end() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }

#define EIGHT(r) "+f"((r)[0]), "+f"((r)[1]), "+f"((r)[2]), "+f"((r)[3]), "+f"((r)[4]), "+f"((r)[5]), "+f"((r)[6]), "+f"((r)[7])
template <int LEFT, int N> DEV void wait_products(Results (&r)[N]) {  // for all groups but the last LEFT; r is theirs
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(LEFT) : "memory");
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : EIGHT(r[i]) : : "memory");  // so that what reads r comes after it
}

// What a thread has written to shared memory, or copied there, is seen by products begun after the next sync.
DEV void show_warpgroups() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

// Where a matrix is in shared memory: in panels of 64 elements, 128 bytes a row, in which stretches of 16 bytes change places as
// in attention_stage.h, aligned to 1024 bytes; `step` bytes from panel to panel. 16 bytes further on it is one more.
DEV u32 panels(const void* p, u32 step) { return (step >> 4) << 16 | (shared_address(p) & 0x3ffffu) >> 4; }
const u64 SWIZZLED = 0x40000040ull << 32;  // by 128 bytes; eight rows are 1024 bytes

// c = a·b or, where add is not 0, c + a·b, with a of 16 columns. multiply_shared: the 16 elements that lie in the direction of the rows of both lie side by
// side in shared memory. multiply_transposed: a is in registers, and rows of b lie side by side.
#define REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define REGISTERS_32 REGISTERS_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define REGISTERS_64 \
  REGISTERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_128 \
  REGISTERS_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
               "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
               "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
               "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TWO_OF(c) EIGHT(c[0]), EIGHT(c[1])
#define FOUR_OF(c) TWO_OF(c), EIGHT(c[2]), EIGHT(c[3])
#define EIGHT_OF(c) FOUR_OF(c), EIGHT(c[4]), EIGHT(c[5]), EIGHT(c[6]), EIGHT(c[7])
#define SIXTEEN_OF(c) EIGHT_OF(c), EIGHT(c[8]), EIGHT(c[9]), EIGHT(c[10]), EIGHT(c[11]), EIGHT(c[12]), EIGHT(c[13]), EIGHT(c[14]), EIGHT(c[15])
#define GROUP_PRODUCT(TYPE, COLUMNS, RESULTS, A, B, ADD, HOW) \
  "{ .reg .pred p; setp.ne.u32 p, " ADD ", 0; wgmma.mma_async.sync.aligned.m64n" COLUMNS "k16.f32." TYPE "." TYPE " {" RESULTS "}, " A ", " B ", p, 1, 1, " HOW "; }"
#define SHARED_PRODUCT(S, TYPE, N, COLUMNS, RESULTS, OF, A, B, ADD) \
  DEV void multiply_shared(S, Results (&c)[N], u32 a, u32 b, u32 add) { \
    asm volatile(GROUP_PRODUCT(TYPE, COLUMNS, RESULTS, A, B, ADD, "0, 0") : OF(c) : "l"(SWIZZLED | a), "l"(SWIZZLED | b), "r"(add) : "memory"); \
  }
#define TRANSPOSED_PRODUCT(S, TYPE, N, COLUMNS, RESULTS, OF, A, B, ADD) \
  DEV void multiply_transposed(Results (&c)[N], const Rows<S>& a, u32 b, u32 add) { \
    asm volatile(GROUP_PRODUCT(TYPE, COLUMNS, RESULTS, A, B, ADD, "1") \
                 : OF(c) : "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "l"(SWIZZLED | b), "r"(add) : "memory"); \
  }
#define GROUP_PRODUCTS(S, TYPE) \
  SHARED_PRODUCT(S, TYPE, 2, "32", REGISTERS_16, TWO_OF, "%16", "%17", "%18") \
  SHARED_PRODUCT(S, TYPE, 4, "64", REGISTERS_32, FOUR_OF, "%32", "%33", "%34") \
  SHARED_PRODUCT(S, TYPE, 8, "128", REGISTERS_64, EIGHT_OF, "%64", "%65", "%66") \
  TRANSPOSED_PRODUCT(S, TYPE, 4, "64", REGISTERS_32, FOUR_OF, "{%32, %33, %34, %35}", "%36", "%37") \
  TRANSPOSED_PRODUCT(S, TYPE, 8, "128", REGISTERS_64, EIGHT_OF, "{%64, %65, %66, %67}", "%68", "%69") \
  TRANSPOSED_PRODUCT(S, TYPE, 16, "256", REGISTERS_128, SIXTEEN_OF, "{%128, %129, %130, %131}", "%132", "%133")
GROUP_PRODUCTS(f16, "f16")
GROUP_PRODUCTS(bf16, "bf16")

// Registers that a warpgroup gives back, and takes: together no more than the block began with.
template <int N> DEV void fewer_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N)); }
template <int N> DEV void more_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N)); }

// A barrier in shared memory: when so many arrivals have come it waits for as many again. A wait is for the end of an even round or of an odd one.
DEV void barrier_begin(u32 at, u32 arrivals) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(at), "r"(arrivals) : "memory"); }
DEV void barrier_end(u32 at) { asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(at) : "memory"); }
DEV void barrier_arrive(u32 at) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(at) : "memory"); }
DEV void barrier_arrive_copied(u32 at) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(at) : "memory"); }  // after the thread's copies
DEV void barrier_wait(u32 at, u32 odd) {
  asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN_%=; }" : : "r"(at), "r"(odd) : "memory");
}

// Barriers of the multiprocessor: of a warpgroup alone, and for turns that one gives to the next.
DEV void group_sync(u32 group) { asm volatile("bar.sync %0, 128;" : : "r"(group + 8) : "memory"); }
DEV void turn_wait(u32 group) { asm volatile("bar.sync %0, 256;" : : "r"(group + 1) : "memory"); }
DEV void turn_pass(u32 group) { asm volatile("bar.arrive %0, 256;" : : "r"(group + 1) : "memory"); }

// The launch attributes of a kernel, see rocm/launch_attributes.go: bytes of dynamic shared memory, and threads.
#define LAUNCH_ATTRIBUTES(NAME, SHARED_BYTES, THREADS) \
  extern "C" { \
  __device__ u8 gr_shared_##NAME[((SHARED_BYTES) + 1023) / 1024]; \
  __device__ u8 gr_helpers_##NAME[(THREADS) / 32]; \
  }
#else
#define WARPGROUPS 0
#endif
