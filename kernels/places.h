// The places of results that are images, [planes h w], shared out among all threads. Where a plane has no more places than there are threads, a
// thread keeps its place and goes from plane to plane, so that what depends on the place is computed once; threads left over do nothing.
//
//   for (Walk p(planes, h, w); p.more(); p.next()) {  // at p.y, p.x
//     do out[p.f] = …; while (p.same());              // in p.plane
//   }

DEV u64 quotient(u64 a, u64 b) { return (a | b) >> 32 ? a / b : (u64)((u32)a / (u32)b); }  // the short division where it will do

struct Walk {
  u64 f, plane, y, x;  // the result's index, and where it is
  u64 n, h, w;
  u64 hop, step;       // from plane to plane, and how far that is; 0 where a thread goes on to other places
  DEV Walk(i64 planes, i64 height, i64 width) : f(first()), plane(0), y(0), x(0), n((u64)(planes * height * width)), h((u64)height), w((u64)width) {
    hop = quotient(stride(), h * w);
    step = hop * h * w;
    if (hop && f - quotient(f, stride()) * stride() >= step) f = n;
    if (f < n) find();
  }
  DEV void find() {
    const u64 row = quotient(f, w);
    x = f - row * w;
    plane = quotient(row, h);
    y = row - plane * h;
  }
  DEV bool more() const { return f < n; }
  DEV void next() {
    if (hop) return;
    f += stride();
    if (f < n) find();
  }
  DEV bool has(u32 i) const { return i == 0 || (hop && f + i * step < n); }  // the same place i hops further
  DEV bool same(u32 hops = 1) {
    if (!hop) return false;
    f += hops * step;
    plane += hops * hop;
    return f < n;
  }
};
