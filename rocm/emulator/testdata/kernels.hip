// Kernels of the emulator's tests. build.sh compiles them to kernels.hsaco; no ROCm package is needed.
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef short s16x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x16 __attribute__((ext_vector_type(16)));
typedef f32 f32x8 __attribute__((ext_vector_type(8)));

#define DEV static __attribute__((device)) inline __attribute__((always_inline))
#define KERNEL(threads) extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, threads))) void
#define SHARED __attribute__((shared))

DEV u32 tid() { return __builtin_amdgcn_workitem_id_x(); }
DEV u32 bid() { return __builtin_amdgcn_workgroup_id_x(); }
DEV u32 bdim() { return __builtin_amdgcn_workgroup_size_x(); }
DEV u32 gdim() { return __builtin_amdgcn_grid_size_x() / bdim(); }
DEV u32 gid() { return bid() * bdim() + tid(); }
DEV u32 lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }
DEV void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEV f32 as_f32(u32 x) { return __builtin_bit_cast(f32, x); }
DEV u32 as_u32(f32 x) { return __builtin_bit_cast(u32, x); }
DEV i32 shfl(i32 v, u32 from) { return __builtin_amdgcn_ds_bpermute((int)(from << 2), v); }
#define ATOMIC(op, p, v) __hip_atomic_##op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

// ---- elementwise ------------------------------------------------------------------------------------------------
KERNEL(256) add_f32(const f32 *a, const f32 *b, f32 *o, i32 n) { i32 i = (i32)gid(); if (i < n) o[i] = a[i] + b[i]; }
KERNEL(256) add_f16(const f16 *a, const f16 *b, f16 *o, i32 n) {
  for (i32 i = (i32)gid(); i < n; i += (i32)(gdim() * bdim())) o[i] = a[i] + b[i];
}
KERNEL(256) add_vec4(const f32x4 *a, const f32x4 *b, f32x4 *o, i32 n) { i32 i = (i32)gid(); if (i < n) o[i] = a[i] + b[i]; }
KERNEL(256) add_u8(const u8 *a, const u8 *b, u8 *o, i32 n) { i32 i = (i32)gid(); if (i < n) o[i] = a[i] + b[i]; }

#define UNARY(name, T, expr) KERNEL(256) name(const T *a, T *o, i32 n) { i32 i = (i32)gid(); if (i < n) { T x = a[i]; o[i] = expr; } }
#define BINARY(name, T, R, expr) KERNEL(256) name(const T *a, const T *b, R *o, i32 n) { \
  i32 i = (i32)gid(); if (i < n) { T x = a[i], y = b[i]; o[i] = expr; } }
UNARY(exp_f32, f32, __builtin_expf(x))
UNARY(log_f32, f32, __builtin_logf(x))
UNARY(sqrt_f32, f32, __builtin_sqrtf(x))
UNARY(floor_f32, f32, __builtin_floorf(x))
UNARY(ceil_f32, f32, __builtin_ceilf(x))
UNARY(trunc_f32, f32, __builtin_truncf(x))
UNARY(rint_f32, f32, __builtin_rintf(x))
UNARY(round_f32, f32, __builtin_roundf(x))
UNARY(sqrt_f64, f64, __builtin_sqrt(x))
UNARY(floor_f64, f64, __builtin_floor(x))
UNARY(rint_f64, f64, __builtin_rint(x))
UNARY(sqrt_f16, f16, __builtin_sqrtf16(x))
UNARY(frexp_f32, f32, ({ i32 e; f32 m = __builtin_frexpf(x, &e); m + (f32)e; }))
UNARY(frexp_f64, f64, ({ i32 e; f64 m = __builtin_frexp(x, &e); m + (f64)e; }))
UNARY(popcount_u32, u32, __builtin_popcount(x))
UNARY(clz_u32, u32, x ? __builtin_clz(x) : 32)
UNARY(ctz_u64, u64, x ? __builtin_ctzll(x) : 64)
UNARY(reverse_u32, u32, __builtin_bitreverse32(x))
UNARY(bswap_u32, u32, __builtin_bswap32(x))
BINARY(div_f32, f32, f32, x / y)
BINARY(div_f64, f64, f64, x / y)
BINARY(div_f16, f16, f16, x / y)
BINARY(fma_f32, f32, f32, __builtin_fmaf(x, y, -x))
BINARY(fma_f64, f64, f64, __builtin_fma(x, y, -x))
BINARY(fma_f16, f16, f16, __builtin_fmaf16(x, y, -x))
BINARY(max_f32, f32, f32, __builtin_fmaxf(x, y))
BINARY(min_f64, f64, f64, __builtin_fmin(x, y))
BINARY(ldexp_f32, f32, f32, __builtin_ldexpf(x, (i32)y))
BINARY(less_f64, f64, i32, x < y)
BINARY(div_i32, i32, i32, x / y)
BINARY(mod_u32, u32, u32, x % y)
BINARY(div_i64, i64, i64, x / y)
BINARY(mod_i64, i64, i64, x % y)
BINARY(div_u64, u64, u64, x / y)
BINARY(mul_i64, i64, i64, x * y)
BINARY(mulhi_u64, u64, u64, (u64)((unsigned __int128)x * y >> 64))
BINARY(shl_i64, i64, i64, x << (y & 63))
BINARY(sar_i64, i64, i64, x >> (y & 63))
BINARY(less_i64, i64, i32, x < y)
BINARY(less_u64, u64, i32, x < y)
BINARY(sat_add_i32, i32, i32, __builtin_elementwise_add_sat(x, y))
BINARY(sat_sub_u32, u32, u32, __builtin_elementwise_sub_sat(x, y))
BINARY(rotate_u32, u32, u32, x << (y & 31) | x >> (-y & 31))
BINARY(min_i32, i32, i32, x < y ? x : y)
BINARY(pk_fma_f16, f16x2, f16x2, __builtin_elementwise_fma(x, y, -x.yx))
BINARY(pk_max_i16, s16x2, s16x2, __builtin_elementwise_max(x, y))
BINARY(class_f32, f32, u32, ((void)y, (u32)__builtin_isnan(x) | (u32)__builtin_isinf(x) << 1 | (u32)__builtin_isnormal(x) << 2))
KERNEL(256) dot4_i8(const u32 *a, const u32 *b, i32 *o, i32 n) {
  i32 i = (i32)gid(); if (i < n) o[i] = __builtin_amdgcn_sudot4(1, a[i], 1, b[i], i, 0);
}

#define CAST(name, S, D) KERNEL(256) name(const S *a, D *o, i32 n) { i32 i = (i32)gid(); if (i < n) o[i] = (D)a[i]; }
CAST(cast_f32_i32, f32, i32)
CAST(cast_f32_u8, f32, u8)
CAST(cast_f32_i64, f32, i64)
CAST(cast_f64_i64, f64, i64)
CAST(cast_i64_f32, i64, f32)
CAST(cast_u64_f64, u64, f64)
CAST(cast_f32_f16, f32, f16)
CAST(cast_f16_f32, f16, f32)
CAST(cast_f64_f16, f64, f16)
CAST(cast_f64_f32, f64, f32)
CAST(cast_u8_f32, u8, f32)

// ---- reductions, shared memory, shuffles ------------------------------------------------------------------------
KERNEL(256) sum_f32(const f32 *a, f32 *o, i32 cols) {
  SHARED f32 part[32];
  const f32 *row = a + (i64)bid() * cols;
  f32 s = 0;
  for (i32 i = (i32)tid(); i < cols; i += (i32)bdim()) s += row[i];
  for (u32 m = 16; m; m >>= 1) s += as_f32((u32)shfl((i32)as_u32(s), lane() ^ m));
  u32 w = tid() / 32, nw = bdim() / 32;
  if (lane() == 0) part[w] = s;
  sync();
  if (w == 0) {
    s = lane() < nw ? part[lane()] : 0.0f;
    for (u32 m = 16; m; m >>= 1) s += as_f32((u32)shfl((i32)as_u32(s), lane() ^ m));
    if (tid() == 0) o[bid()] = s;
  }
}
KERNEL(256) softmax_f32(const f32 *a, f32 *o, i32 cols) {
  SHARED f32 red[256];
  u32 t = tid(), bd = bdim();
  const f32 *row = a + (i64)bid() * cols; f32 *out = o + (i64)bid() * cols;
  f32 m = -__builtin_huge_valf();
  for (i32 i = (i32)t; i < cols; i += (i32)bd) { f32 x = row[i]; m = x > m ? x : m; }
  red[t] = m; sync();
  for (u32 k = bd / 2; k; k >>= 1) { if (t < k) red[t] = red[t] > red[t + k] ? red[t] : red[t + k]; sync(); }
  m = red[0]; sync();
  f32 s = 0;
  for (i32 i = (i32)t; i < cols; i += (i32)bd) { f32 e = __builtin_expf(row[i] - m); out[i] = e; s += e; }
  red[t] = s; sync();
  for (u32 k = bd / 2; k; k >>= 1) { if (t < k) red[t] += red[t + k]; sync(); }
  f32 inv = 1.0f / red[0];
  for (i32 i = (i32)t; i < cols; i += (i32)bd) out[i] *= inv;
}
KERNEL(256) matmul_f32(const f32 *A, const f32 *B, f32 *C, i32 M, i32 N, i32 K) {
  SHARED f32 As[16][64 + 1];
  SHARED f32 Bs[16][64 + 1];
  i32 t = (i32)tid(), tx = t & 15, ty = t >> 4;
  i32 row0 = (i32)__builtin_amdgcn_workgroup_id_y() * 64, col0 = (i32)bid() * 64;
  f32 acc[4][4] = {};
  for (i32 k0 = 0; k0 < K; k0 += 16) {
    for (i32 i = t; i < 64 * 16; i += 256) {
      i32 r = i >> 4, k = i & 15, gr = row0 + r, gk = k0 + k;
      As[k][r] = gr < M && gk < K ? A[(i64)gr * K + gk] : 0.0f;
      i32 c = i & 63, kk = i >> 6, gc = col0 + c; gk = k0 + kk;
      Bs[kk][c] = gc < N && gk < K ? B[(i64)gk * N + gc] : 0.0f;
    }
    sync();
#pragma unroll
    for (i32 k = 0; k < 16; k++) {
      f32 av[4], bv[4];
#pragma unroll
      for (i32 j = 0; j < 4; j++) { av[j] = As[k][ty * 4 + j]; bv[j] = Bs[k][tx * 4 + j]; }
#pragma unroll
      for (i32 i = 0; i < 4; i++)
#pragma unroll
        for (i32 j = 0; j < 4; j++) acc[i][j] = __builtin_fmaf(av[i], bv[j], acc[i][j]);
    }
    sync();
  }
  for (i32 i = 0; i < 4; i++) for (i32 j = 0; j < 4; j++) {
    i32 r = row0 + ty * 4 + i, c = col0 + tx * 4 + j;
    if (r < M && c < N) C[(i64)r * N + c] = acc[i][j];
  }
}
KERNEL(256) sort_f32(const f32 *a, f32 *o, i32 *oi, i32 n) {
  SHARED f32 k[512];
  SHARED i32 v[512];
  i32 t = (i32)tid(), base = (i32)bid() * n;
  for (i32 i = t; i < 512; i += 256) { k[i] = i < n ? a[base + i] : __builtin_huge_valf(); v[i] = i; }
  sync();
  for (i32 sz = 2; sz <= 512; sz <<= 1)
    for (i32 st = sz >> 1; st; st >>= 1) {
      i32 i = 2 * t - (t & (st - 1)), j = i + st;
      bool up = (i & sz) == 0;
      f32 x = k[i], y = k[j];
      bool gt = x > y || (x == y && v[i] > v[j]);
      if (gt == up) { k[i] = y; k[j] = x; i32 q = v[i]; v[i] = v[j]; v[j] = q; }
      sync();
    }
  for (i32 i = t; i < n && i < 512; i += 256) { o[base + i] = k[i]; oi[base + i] = v[i]; }
}
KERNEL(256) scan_f32(const f32 *a, f32 *o, i32 n) {
  SHARED f32 s[2][256];
  i32 t = (i32)tid(); i32 p = 0;
  s[0][t] = t < n ? a[(i64)bid() * n + t] : 0.0f; sync();
  for (i32 d = 1; d < 256; d <<= 1) { s[1 - p][t] = t >= d ? s[p][t] + s[p][t - d] : s[p][t]; p = 1 - p; sync(); }
  if (t < n) o[(i64)bid() * n + t] = s[p][t];
}
KERNEL(256) philox(u32 *o, u64 seed, u64 counter, i32 n) {
  i32 i = (i32)gid(); if (i * 4 >= n) return;
  u64 ctr = counter + (u64)i;
  u32 c[4] = {(u32)ctr, (u32)(ctr >> 32), 0, 0}, k0 = (u32)seed, k1 = (u32)(seed >> 32);
  for (int r = 0; r < 10; r++) {
    u64 p0 = (u64)0xD2511F53u * c[0], p1 = (u64)0xCD9E8D57u * c[2];
    u32 n0 = (u32)(p1 >> 32) ^ c[1] ^ k0, n2 = (u32)(p0 >> 32) ^ c[3] ^ k1;
    c[1] = (u32)p1; c[3] = (u32)p0; c[0] = n0; c[2] = n2;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  for (int j = 0; j < 4; j++) if (i * 4 + j < n) o[i * 4 + j] = c[j];
}
extern "C" __attribute__((device)) SHARED f32 dynamic[];
KERNEL(256) reverse_dynamic(const f32 *a, f32 *o) {
  dynamic[tid()] = a[gid()]; sync();
  o[gid()] = dynamic[bdim() - 1 - tid()];
}
KERNEL(32) dpp_u32(const u32 *a, u32 *o) {
  u32 x = a[lane()];
  o[lane()] = __builtin_amdgcn_update_dpp(7, x, 0x111, 0xf, 0xf, false);        // row_shr:1
  o[32 + lane()] = __builtin_amdgcn_update_dpp(7, x, 0x101, 0xf, 0xf, true);    // row_shl:1 bound_ctrl
  o[64 + lane()] = __builtin_amdgcn_update_dpp(7, x, 0x1b, 0xf, 0xf, false);    // quad_perm:[3,2,1,0]
  o[96 + lane()] = __builtin_amdgcn_update_dpp(7, x, 0x163, 0xf, 0xf, false);   // row_xmask:3
  o[128 + lane()] = __builtin_amdgcn_update_dpp(7, x, 0x140, 0xf, 0x3, false);  // row_mirror, banks 0 and 1 only
  o[160 + lane()] = __builtin_amdgcn_mov_dpp8(x, 0x688fac);                     // 4,5,6,7,0,1,2,3 by groups of 3 bits
  o[192 + lane()] = __builtin_amdgcn_permlanex16(7, x, 0x76543210, 0xfedcba98, false, false);
  o[224 + lane()] = __builtin_amdgcn_ds_swizzle(x, 0x041f);                     // xor mask 1
  o[256 + lane()] = __builtin_amdgcn_readlane(x, 5) + __builtin_amdgcn_readfirstlane(x);
  if (lane() & 1) o[288 + lane()] = (u32)shfl((i32)x, lane() ^ 1);              // reads inactive lanes: 0
}
KERNEL(32) wmma_f16(const f16x16 *a, const f16x16 *b, f32x8 *o) {
  f32x8 c = {};
  o[lane()] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[lane() & 15], b[lane() & 15], c);
}

// ---- atomics ----------------------------------------------------------------------------------------------------
KERNEL(256) histogram(const i32 *a, u32 *h, i32 n, i32 bins) {
  SHARED u32 lh[256];
  for (i32 i = (i32)tid(); i < bins; i += (i32)bdim()) lh[i] = 0;
  sync();
  i32 i = (i32)gid();
  if (i < n) ATOMIC(fetch_add, &lh[a[i]], 1u);
  sync();
  for (i32 b = (i32)tid(); b < bins; b += (i32)bdim()) if (lh[b]) ATOMIC(fetch_add, &h[b], lh[b]);
}
KERNEL(256) scatter_add_f32(const f32 *a, const i64 *idx, f32 *o, i32 n) { i32 i = (i32)gid(); if (i < n) ATOMIC(fetch_add, &o[idx[i]], a[i]); }
KERNEL(256) sum_f64_cas(const f64 *a, f64 *o, i32 n) { i32 i = (i32)gid(); if (i < n) ATOMIC(fetch_add, o, a[i]); }
KERNEL(256) minmax_i64(const i64 *a, i64 *o, i32 n) { i32 i = (i32)gid(); if (i < n) { ATOMIC(fetch_min, o, a[i]); ATOMIC(fetch_max, o + 1, a[i]); } }
KERNEL(256) max_i32(const i32 *a, i32 *o, i32 n) { i32 i = (i32)gid(); if (i < n) ATOMIC(fetch_max, o, a[i]); }
KERNEL(256) product_cas(const f32 *a, f32 *o, i32 n) {
  i32 i = (i32)gid(); if (i >= n) return;
  u32 *p = (u32 *)o, old = *p;
  while (!__hip_atomic_compare_exchange_strong(p, &old, as_u32(as_f32(old) * a[i]), __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {}
}
KERNEL(256) ticket(u32 *counter, u32 *o) { o[gid()] = ATOMIC(fetch_add, counter, 1u) ; }
KERNEL(64) lds_atomics(u32 *o) {
  SHARED u32 s[4]; SHARED u64 q[2]; SHARED f32 f;
  if (tid() == 0) { s[0] = 0; s[1] = 0; s[2] = ~0u; s[3] = 0; q[0] = 0; q[1] = 0; f = 0; }
  sync();
  ATOMIC(fetch_add, &s[0], tid()); ATOMIC(fetch_max, &s[1], tid() * 3); ATOMIC(fetch_and, &s[2], ~(1u << (tid() & 31)));
  ATOMIC(fetch_add, &q[0], (u64)tid() << 32); ATOMIC(fetch_add, &f, 1.5f);
  for (u32 old = s[3];;) { if (__hip_atomic_compare_exchange_strong(&s[3], &old, old + 2, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)) break; }
  u64 old = 0; __hip_atomic_compare_exchange_strong(&q[1], &old, (u64)tid() + 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  sync();
  if (tid() == 0) { o[0] = s[0]; o[1] = s[1]; o[2] = s[2]; o[3] = s[3]; o[4] = (u32)(q[0] >> 32); o[5] = as_u32(f); o[6] = (u32)q[1]; }
}
// A lock between waves of one workgroup: the waves must take turns even without a barrier.
KERNEL(256) spin_lock(u32 *lock, u32 *count) {
  if (lane() == 0) {
    u32 zero = 0;
    while (!__hip_atomic_compare_exchange_strong(lock, &zero, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) zero = 0;
    *(volatile u32 *)count = *(volatile u32 *)count + 1;
    __hip_atomic_store(lock, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}
// Wave 0 waits for a flag that wave 1 sets.
KERNEL(64) hand_over(u32 *flag) {
  if (tid() < 32) { while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {} flag[1] = 7; }
  else if (tid() == 32) __hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
// Workgroup 0 stores numbers of two equal words while workgroup 1 loads them and counts those of unequal words: 8 bytes go together.
KERNEL(32) whole_u64(u64 *p, u32 *torn, u32 turns, u32 n) {
  if (lane() >= n) return;
  if (__builtin_amdgcn_workgroup_id_x() == 0) {
    for (u32 i = 1; i <= turns; i++) __hip_atomic_store(p + lane(), (u64)i << 32 | i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return;
  }
  u32 count = 0, seen = 0;
  while (seen < turns) {
    const u64 x = __hip_atomic_load(p + lane(), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    seen = (u32)(x >> 32); count += (u32)x != seen;
  }
  torn[lane()] = count;
}
// Workgroup 0 stores a number in each of 32 places and then, as a release, in one more; workgroup 1 counts how often a place is older than that one.
KERNEL(32) message(u32 *p, u32 *late, u32 turns) {
  volatile u32 *mine = p + lane();
  if (__builtin_amdgcn_workgroup_id_x() == 0) {
    for (u32 i = 1; i <= turns; i++) { *mine = i; if (lane() == 0) __hip_atomic_store(p + 32, i, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); }
    return;
  }
  u32 count = 0, seen = 0;
  while (seen < turns) { seen = __hip_atomic_load(p + 32, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT); count += *mine < seen; }
  late[lane()] = count;
}
KERNEL(64) endless(u32 *p) { while (__hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 1) {} }

// ---- private memory, calls, generic pointers, globals, geometry -----------------------------------------------
KERNEL(64) scratch_i32(const i32 *a, i32 *o, i32 n, i32 m) {
  i32 t = (i32)gid(); if (t >= n) return;
  i32 buf[64];
  for (i32 i = 0; i < m; i++) buf[(i * 5 + t) & 63] = a[t] + i;
  i32 s = 0; for (i32 i = 0; i < m; i++) s = s * 3 + buf[(a[t] + i) & 63];
  o[t] = s;
}
__attribute__((device)) __attribute__((noinline)) i32 fibonacci(i32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL(32) recursive(const i32 *a, i32 *o) { o[tid()] = fibonacci(a[tid()]); }
__attribute__((device)) __attribute__((noinline)) void bump(i32 *p, i32 by) { *p += by; }
KERNEL(32) generic_pointers(i32 *o, i32 which) {
  SHARED i32 s[32]; i32 mine[4] = {1, 2, 3, 4};
  s[tid()] = 10; sync();
  i32 *p = which == 0 ? &s[tid()] : which == 1 ? &mine[tid() & 3] : &o[tid()];
  bump(p, 5);
  o[32 + tid()] = s[tid()] + mine[tid() & 3];
}
typedef i32 (*op_fn)(i32);
__attribute__((device)) __attribute__((noinline)) i32 twice(i32 x) { return 2 * x; }
__attribute__((device)) __attribute__((noinline)) i32 square(i32 x) { return x * x; }
extern "C" { __attribute__((device)) op_fn table[2] = {twice, square}; }
KERNEL(64) indirect_call(const i32 *a, i32 *o) { o[tid()] = table[tid() & 1](a[tid()]); }
extern "C" { __attribute__((device)) i32 total = 40; __attribute__((constant)) f32 weights[4] = {1, 2, 4, 8}; }
KERNEL(64) globals(f32 *o) { o[tid()] = weights[tid() & 3]; if (tid() == 0) total += 2; }
KERNEL(1024) geometry(u32 *o) {
  u32 x = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  u32 y = __builtin_amdgcn_workgroup_id_y() * __builtin_amdgcn_workgroup_size_y() + __builtin_amdgcn_workitem_id_y();
  u32 z = __builtin_amdgcn_workgroup_id_z() * __builtin_amdgcn_workgroup_size_z() + __builtin_amdgcn_workitem_id_z();
  u32 w = __builtin_amdgcn_grid_size_x(), h = __builtin_amdgcn_grid_size_y();
  o[(z * h + y) * w + x] = x | y << 10 | z << 20;
}
KERNEL(64) out_of_bounds(u32 *o, i32 at) { if (tid() == 3) o[at] = 1; }
KERNEL(64) read_shared(f32 *o, i32 at) { SHARED f32 s[64]; s[tid()] = 1; sync(); o[tid()] = s[tid() + at]; }
KERNEL(64) trap(void) { __builtin_trap(); }
