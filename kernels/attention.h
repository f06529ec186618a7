// Attention: out = softmax(scores)·v with scores = q·kᵀ·scale, some of which are masked.
//
// Scores are never stored in memory. They are computed for some keys at a time, and a query keeps a running state of the keys so far: the maximum
// score m, the sum of exp(score - m), and that of exp(score - m)·v; the sums are scaled when m grows (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022). Sums are in f32.

struct Attention {
  i64 heads, groups, queries, keys, size, value_size;  // heads/groups heads share keys and values
  i64 q[4], k[4], v[4], out[4], mask[4];               // strides: batch, head or group, query or key, element; of mask: batch, head, query, key
  i64 batch, window;        // window: how many keys a causal query sees, 0 for all
  i64 sharing, part, parts; // for attention_parts: heads/groups; how many keys a block takes, and how many parts that makes; if masked is 3, at least
                            // and at most
  i32 causal, masked;       // masked: 1 where mask has bytes, of which 1 hides a key, 2 where it has f32, which are added; 3: see known
  f32 scale, softcap, bend; // softcap: 0 for none, else bend is 2·scale/softcap·log2 e
  i32 unused;
};

const f32 LOG2E = 1.44269504f;
DEV f32 minus_infinity() { return bitcast<f32>(0xff800000u); }

// The same without a mask if masked is 3: mask then points to the index of the last key, a u32.
DEV Attention known(const Attention& g, const void* mask) {
  Attention h = g;
  if (g.masked != 3) return h;
  const i64 keys = (i64)*(const u32*)mask + 1;
  if (keys < g.keys) h.keys = keys;
  h.masked = 0;
  return h;
}

// The range of keys, first to end, that a query can see apart from the mask.
struct Sight {
  i64 first, end;
  DEV Sight(const Attention& g, i64 query) {
    first = 0;
    end = g.keys;
    if (!g.causal) return;
    const i64 own = g.keys - g.queries + query;
    if (own + 1 < end) end = own + 1;
    if (g.window > 0 && own + 1 - g.window > 0) first = own + 1 - g.window;
  }
};

// Whether a score is the product times a positive factor.
DEV bool plain(const Attention& g) { return g.softcap == 0 && g.masked == 0 && g.scale > 0; }

// The remaining factor that converts scores to exponents of two. If it is 1, equal scores stay equal to the last bit, however large: see masked.
DEV f32 factor_of(const Attention& g) { return plain(g) ? g.scale * LOG2E : 1; }

// Other scores, as exponents of two. Softcap of a product: cap·tanh(x/cap) with x = product·scale, within 2^-22 of the cap.
DEV f32 capped(const Attention& g, f32 product) {
  const f32 cap = g.softcap * LOG2E;
  return cap - 2 * cap * quick_inverse(quick_exp2(product * g.bend) + 1);
}
DEV f32 score(const Attention& g, f32 product) { return g.softcap != 0 ? capped(g, product) : product * (g.scale * LOG2E); }

// A score under the mask of its query, or alone. Masks may also hide keys by the lowest finite number, which stays finite here: a query that sees no
// key then gets the mean of equal scores, not NaN.
DEV f32 masked(const Attention& g, const void* row, i64 key, f32 s) {
  if (g.masked == 2) {
    const f32 add = ((const f32*)row)[key * g.mask[3]];
    return fma(add < -2e38f && add != minus_infinity() ? -2e38f : add, LOG2E, s);
  }
  return g.masked == 1 && ((const u8*)row)[key * g.mask[3]] ? minus_infinity() : s;
}
DEV const void* mask_of(const Attention& g, const void* mask, i64 batch, i64 head, i64 query) {
  const i64 at = batch * g.mask[0] + head * g.mask[1] + query * g.mask[2];
  return g.masked == 2 ? (const void*)((const f32*)mask + at) : (const void*)((const u8*)mask + at);
}

// The value of m to subtract: minus infinity minus itself would be NaN.
DEV f32 base_of(f32 m) { return m == minus_infinity() ? 0 : m; }

// What the backward pass (attention_backward.hip) computes weights from: m and 1/total of each query, f32 [2 batch heads queries]. A query that sees no
// key has a total of 0, and weights of 0 there. Without a backward pass, state is null.
DEV void keep_state(const Attention& g, f32* state, i64 head, i64 query, f32 m, f32 total) {
  if (!state || query >= g.queries) return;
  const i64 at = head * g.queries + query;
  state[at] = base_of(m);
  state[g.batch * g.heads * g.queries + at] = total == 0 ? 0 : 1 / total;
}
