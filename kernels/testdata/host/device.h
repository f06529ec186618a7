// Stand-ins on the host for prelude.h, matrix.h and warpgroup.h: what the kernels of attention need of an NVIDIA GPU. A thread is a thread of the host, and
// what happens asynchronously on a GPU happens at once. See TestBackwardOnHost.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#define AMD 0
#define MATRIX_CORES 1
#define FLOAT_CORES 1
#define DEV inline
#define MEMBER static inline
#define SHARED static
#define KERNEL void

namespace gr {
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
struct f16 { u16 bits; };

// ---- prelude.h

const u32 BLOCK = 256, LANES = 32;
thread_local u32 thread;
u32 block[2], grid[2];
u32 tid() { return thread; }
u32 bid() { return block[0]; }
u32 bid_y() { return block[1]; }
u32 blocks() { return grid[0]; }
u32 blocks_y() { return grid[1]; }
u32 lane() { return thread % LANES; }

// A barrier whose threads sleep: those of std::barrier poll first, which takes the processors from those that they wait for. The program ends when threads
// have waited for two minutes, because between two barriers there is little work.
struct Meeting {
  std::mutex changing;
  std::condition_variable complete;
  u32 size, here = 0, round = 0;
  explicit Meeting(u32 size_) : size(size_) {}
  void arrive_and_wait() {
    std::unique_lock<std::mutex> lock(changing);
    if (++here == size) {
      here = 0, round++;
      complete.notify_all();
    } else {
      if (!complete.wait_for(lock, std::chrono::minutes(2), [this, mine = round] { return round != mine; })) {
        printf("%u of %u threads have come to a barrier\n", here, size);
        fflush(stdout);
        abort();
      }
    }
  }
};
std::unique_ptr<Meeting> whole, warps[12], groups[3];
void sync() { whole->arrive_and_wait(); }
void sync_lanes() { warps[thread / LANES]->arrive_and_wait(); }

u32 shown[12][LANES];
u32 word_of(u32 x, u32 from) {
  u32* words = shown[thread / LANES];
  words[lane()] = x;
  sync_lanes();
  const u32 r = words[from];
  sync_lanes();
  return r;
}
u32 word_across(u32 x, u32 mask) { return word_of(x, lane() ^ mask); }
template <class To, class From> To bitcast(From x) {
  To to;
  static_assert(sizeof to == sizeof x, "bitcast keeps the size");
  memcpy(&to, &x, sizeof to);
  return to;
}
f32 across(f32 x, u32 mask) { return bitcast<f32>(word_across(bitcast<u32>(x), mask)); }
u32 opaque(u32 x) { return x; }
void apart() {}

f32 fma(f32 a, f32 b, f32 c) { return std::fma(a, b, c); }
f32 greater(f32 a, f32 b) { return fmaxf(a, b); }
f32 quick_exp2(f32 x) { return exp2f(x); }
f32 quick_inverse(f32 x) { return 1 / x; }
f32 widen(f16 x) { return (f32)bitcast<_Float16>(x.bits); }
f16 narrow_f16(f32 x) { return {bitcast<u16>((_Float16)x)}; }
u32 narrow_two(f16, f32 low, f32 high) { return narrow_f16(low).bits | (u32)narrow_f16(high).bits << 16; }

template <class T> struct Element {
  typedef T Register;
  static T load(T x) { return x; }
  static T store(T x) { return x; }
};
template <> struct Element<f16> {
  typedef f32 Register;
  static f32 load(f16 x) { return widen(x); }
  static f16 store(f32 x) { return narrow_f16(x); }
};
template <class T> using Sums = typename Element<T>::Register;
template <class T, int V> struct alignas(sizeof(T) * V) Pack { T at[V]; };
template <int V, class T> bool aligned(const T* p) { return (u64)p % (sizeof(T) * V) == 0; }

// ---- matrix.h

const u32 WAVE = 32, MATRIX_K = 16;
const int LANE_ROWS = 8, GAP = 8;
u32 row_of(u32 lane, u32 i) { return lane / 4 + i / 2 % 2 * 8; }
u32 column_of(u32 lane, u32 i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
template <class S> struct Rows { u32 at[4]; };
template <class S> struct Columns { u32 at[4]; };
struct Results {
  f32 at[LANE_ROWS];
  f32& operator[](int i) { return at[i]; }
  f32 operator[](int i) const { return at[i]; }
};

// A matrix of 16×16 elements, of which lanes have those of Rows.
struct Matrix {
  f32 at[16][16];
  Matrix(const u32 (&words)[4]) {
    static u32 all[12][4][LANES];
    auto& ours = all[thread / LANES];
    for (int i = 0; i < 4; i++) ours[i][lane()] = words[i];
    sync_lanes();
    for (u32 r = 0; r < 16; r++)
      for (u32 c = 0; c < 16; c++) {
        const u32 two = ours[c / 8 * 2 + r / 8][r % 8 * 4 + c % 8 / 2];
        at[r][c] = widen(f16{(u16)(c % 2 ? two >> 16 : two)});
      }
    sync_lanes();
  }
};
template <class S> Results multiply(const Rows<S>& a, const Columns<S>& b, Results c) {
  const Matrix x(a.at), y({b.at[0], b.at[2], b.at[1], b.at[3]});  // columns as rows
  for (u32 e = 0; e < 8; e++)
    for (int k = 0; k < 16; k++) c[e] += x.at[row_of(lane(), e)][k] * y.at[column_of(lane(), e)][k];
  return c;
}

// f32: lanes have pairs of adjacent values. How a GPU multiplies them is not shown.
template <> struct Rows<f32> { f32 at[8]; };
template <> struct Columns<f32> { f32 at[8]; };
Results multiply(const Rows<f32>& a, const Columns<f32>& b, Results c) {
  static f32 all[12][2][8][LANES];
  auto& ours = all[thread / LANES];
  for (int i = 0; i < 8; i++) ours[0][i][lane()] = a.at[i], ours[1][i][lane()] = b.at[i];
  sync_lanes();
  for (u32 e = 0; e < 8; e++)
    for (u32 k = 0; k < 16; k++) {
      const u32 row = row_of(lane(), e), column = column_of(lane(), e), pair = k % 8 / 2, of = k / 8 * 4 + k % 2;
      c[e] += ours[0][of + row / 8 * 2][row % 8 * 4 + pair] * ours[1][of + column / 8 * 2][column % 8 * 4 + pair];
    }
  sync_lanes();
  return c;
}

// ldmatrix: lane 8·i + r has the address of row r of matrix i.
void load_matrices(u32 (&x)[4], const void* p, bool transposed) {
  static const u16* all[12][LANES];
  auto& rows = all[thread / LANES];
  rows[lane()] = (const u16*)p;
  sync_lanes();
  const u32 first = lane() / 4, second = lane() % 4 * 2;
  for (u32 i = 0; i < 4; i++) {
    const u16 low = transposed ? rows[i * 8 + second][first] : rows[i * 8 + first][second];
    const u16 high = transposed ? rows[i * 8 + second + 1][first] : rows[i * 8 + first][second + 1];
    x[i] = low | (u32)high << 16;
  }
  sync_lanes();
}
void eights_at(u32 (&x)[4], const void* p) { load_matrices(x, p, false); }
void transposed_eights_at(u32 (&x)[4], const void* p) { load_matrices(x, p, true); }

// ---- shared memory, copies to it, and warpgroup.h

alignas(1024) u8 shared[227 << 10];
u32 shared_address(const void* p) { return (u32)((const u8*)p - shared); }
void copy(u32 to, const void* from, u32 bytes, u32 all) {
  u8* p = shared + (i32)to;
  if (bytes) memcpy(p, from, bytes);
  memset(p + bytes, 0, all - bytes);
}
void copy_async(u32 to, const void* from, u32 bytes) { copy(to, from, bytes, 16); }
void copy_word_async(u32 to, const f32* from, u32 bytes) { copy(to, from, bytes, 4); }
void copies_wait() {}
const int GROUP = 128, GROUPS = 2;
void products_begin() {}
void products_end() {}
template <int LEFT, int N> void wait_products(Results (&)[N]) { sync_lanes(); }
void show_warpgroups() {}
void group_sync(u32 group) { groups[group]->arrive_and_wait(); }
template <int N> void fewer_registers() {}
template <int N> void more_registers() {}

u32 panels(const void* p, u32 step) { return (step >> 4) << 16 | (shared_address(p) & 0x3ffffu) >> 4; }
// An element of a matrix in panels, in row `row` of 128 bytes: the address is swizzled.
f32 element(u32 place, u32 row, u32 column) {
  u32 at = ((place & 0x3fff) << 4) + column / 64 * (place >> 16 << 4) + row * 128 + column % 64 * 2;
  at ^= at >> 7 << 4 & 0x70;
  f16 x;
  memcpy(&x, shared + at, 2);
  return widen(x);
}
template <int N> void multiply_shared(f16, Results (&c)[N], u32 a, u32 b, u32 add) {
  const u32 first = thread / LANES % 4 * 16;
  for (int i = 0; i < N; i++)
    for (u32 e = 0; e < 8; e++) {
      if (!add) c[i][e] = 0;
      for (u32 k = 0; k < 16; k++) c[i][e] += element(a, first + row_of(lane(), e), k) * element(b, i * 16 + column_of(lane(), e), k);
    }
}
template <int N> void multiply_transposed(Results (&c)[N], const Rows<f16>& a, u32 b, u32) {
  const Matrix x(a.at);
  for (int i = 0; i < N; i++)
    for (u32 e = 0; e < 8; e++)
      for (u32 k = 0; k < 16; k++) c[i][e] += x.at[row_of(lane(), e)][k] * element(b, k, i * 16 + column_of(lane(), e));
}

// Barriers in shared memory, by address.
struct Barrier { u32 wanted, arrived, phase; };
std::map<u32, Barrier> barriers;
std::mutex arriving;
std::condition_variable arrived;
[[noreturn]] void fail(const char* why) {
  puts(why);
  exit(1);
}
void barrier_begin(u32 at, u32 arrivals) {
  std::lock_guard<std::mutex> lock(arriving);
  if (!barriers.insert({at, Barrier{arrivals, 0, 0}}).second) fail("a barrier that has begun begins");
}
void barrier_end(u32 at) {
  std::lock_guard<std::mutex> lock(arriving);
  barriers.erase(at);
}
void barrier_arrive(u32 at) {
  std::lock_guard<std::mutex> lock(arriving);
  if (!barriers.count(at)) fail("an arrival at no barrier");
  Barrier& b = barriers[at];
  if (++b.arrived == b.wanted) {
    b.arrived = 0;
    b.phase++;
    arrived.notify_all();
  }
}
void barrier_arrive_copied(u32 at) { barrier_arrive(at); }
void barrier_wait(u32 at, u32 odd) {
  std::unique_lock<std::mutex> lock(arriving);
  if (!barriers.count(at)) fail("a wait for no barrier");
  arrived.wait(lock, [&] { return (barriers[at].phase & 1) != odd; });
}
#define LAUNCH_ATTRIBUTES(NAME, SHARED_BYTES, THREADS)
