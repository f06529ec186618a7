// What the threads of the block before ours have, x being our own number. sums is room for a number of each 32 threads; it is free after the next sync.
template <u32 GROUPS> DEV u32 sum_before(u32 x, u32 (&sums)[GROUPS]) {
  u32 sum = x;
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const u32 y = word_of(sum, (lane() - d) % LANES);
    if (lane() >= d) sum += y;
  }
  if (lane() == LANES - 1) sums[tid() / LANES] = sum;
  sync();
#pragma unroll
  for (u32 g = 0; g < GROUPS - 1; g++)
    if (g < tid() / LANES) sum += sums[g];
  return sum - x;
}
