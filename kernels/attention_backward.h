// The backward pass of attention (attention.h): the gradients of queries, keys and values from the gradient of out, dout.
//
// With weights p = softmax(scores), row by row: dv = pᵀ·dout, dp = dout·vᵀ, ds = p·(dp - dot) with dot = Σ p·dp = Σ dout·out, and dq = ds·k·scale,
// dk = dsᵀ·q·scale. Weights are computed again from scores and the state that the forward pass has kept, so nothing of size queries times keys is in
// memory (Dao et al., "FlashAttention", 2022, algorithm 4). One kernel has the gradients of keys and values, by tiles of keys that all queries of the
// heads of their group pass, and one that of queries, by tiles of queries that their keys pass. Scores are computed in both; in return there are no
// atomic additions, and results always have the same bits. As in FlashAttention, dot is computed from
// the rounded out: its rounding errors shift dp - dot of all keys of a query alike.

struct AttentionBackward {
  Attention of;
  i64 dout[4], dq[4], dk[4], dv[4];  // strides
};

DEV i64 element_at(const i64* strides, i64 batch, i64 head, i64 row) { return batch * strides[0] + head * strides[1] + row * strides[2]; }

// What is known of a query: see keep_state.
struct Known {
  f32 m, inverse, dot;
  DEV Known() : m(0), inverse(0), dot(0) {}
  DEV Known(const Attention& g, const f32* state, i64 head, i64 query) : Known() {
    if (query >= g.queries) return;
    const i64 at = head * g.queries + query, plane = g.batch * g.heads * g.queries;
    m = state[at];
    inverse = state[plane + at];
    dot = state[2 * plane + at];
  }
};

// From s, the product of a query and a key, and dp, that of dout and the key's values: makes s the weight, and dp the gradient of s divided by scale.
// `factor` is factor_of(g), `row` the query's mask.
DEV void weigh(const Attention& g, f32 factor, const Known& query, const void* row, i64 key, f32& s, f32& dp) {
  f32 slope = query.inverse;
  if (plain(g)) {
    s = quick_exp2(fma(s, factor, -query.m));
  } else {
    if (g.softcap != 0) {  // the derivative of tanh is 4·u·(1 - u)
      const f32 u = quick_inverse(quick_exp2(s * g.bend) + 1);
      slope *= 4 * u * (1 - u);
    }
    s = quick_exp2(masked(g, row, key, score(g, s)) - query.m);
  }
  dp = s * slope * (dp - query.dot);
  s *= query.inverse;
}

// The range of queries, first to end, that see some key from key0 to last, apart from the mask.
struct Audience {
  i64 first, end;
  DEV Audience(const Attention& g, i64 key0, i64 last) {
    const i64 before = g.keys - g.queries;  // keys before the first query's own
    first = g.causal && key0 > before ? key0 - before : 0;
    end = g.queries;
    if (key0 >= g.keys) end = 0;
    if (g.causal && g.window > 0 && last + g.window - before < end) end = last + g.window - before;
  }
};

// The backward pass where `known` applies.
DEV AttentionBackward known(const AttentionBackward& g, const void* mask) {
  AttentionBackward h = g;
  h.of = known(g.of, mask);
  return h;
}
