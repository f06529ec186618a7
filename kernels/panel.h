// Panels of matrices in shared memory, for products of tiles.

const int DEPTH = 16, PAD = 4;

// A panel of TILE × DEPTH elements on its way to shared memory. A thread's elements are EACH, `step` apart in memory; they go along
// the tile in steps of along_step, or along k in steps of deep_step.
template <class T, int TILE> struct Panel {
  typedef Sums<T> C;
  static const int EACH = TILE * DEPTH / 256;
  const T* p;
  i64 step, advance;
  i32 along, deep, along_step, deep_step, along_left;
  T next[EACH];  // converted when they are put, so that nothing waits for them before

  DEV Panel(u32 t, const T* origin, bool along_first, i64 along0, i64 along_end, i64 along_stride, i64 k_stride) {
    i64 left = along_end - along0;
    along_left = left < TILE ? (i32)left : TILE;
    along = along_first ? (i32)t % TILE : (i32)t / DEPTH;
    deep = along_first ? (i32)t / TILE : (i32)t % DEPTH;
    along_step = along_first ? 0 : 256 / DEPTH;
    deep_step = along_first ? 256 / TILE : 0;
    step = along_step * along_stride + deep_step * k_stride;
    advance = DEPTH * k_stride;
    p = origin + (along0 + along) * along_stride + deep * k_stride;
  }
  DEV void fetch(i64 k_left) {
    const i32 deep_left = k_left < DEPTH ? (i32)k_left : DEPTH;
#pragma unroll
    for (int j = 0; j < EACH; j++)
      next[j] = along + j * along_step < along_left && deep + j * deep_step < deep_left ? p[j * step] : T();
    p += advance;
  }
  DEV void put(C (&panel)[DEPTH][TILE + PAD]) const {
#pragma unroll
    for (int j = 0; j < EACH; j++) panel[deep + j * deep_step][along + j * along_step] = (C)Element<T>::load(next[j]);
  }
};

// Four neighbours in shared memory, from a multiple of 16 bytes on: compilers do not see that they can be read at once.
template <class C> DEV void four_at(const C* p, C (&x)[4]) {
  const int V = 16 / sizeof(C) < 4 ? 16 / sizeof(C) : 4;
#pragma unroll
  for (int i = 0; i < 4; i += V) {
    const Pack<C, V> some = *(const Pack<C, V>*)(p + i);
#pragma unroll
    for (int j = 0; j < V; j++) x[i + j] = some.at[j];
  }
}
