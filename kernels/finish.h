// The last block finishes: blocks with parts of a result store them, and the last one to arrive combines all parts. That saves the launch of a second
// kernel. Which block is last depends on timing; its result does not, as long as it combines the parts in a fixed order.
//
//   parts[which] = ours;
//   if (last_of(counters + result, count)) {
//     … parts[0], …, parts[count-1], by all threads
//   }
//
// Counters are 0 before a kernel (rocm.Device.Counters) and after it.

// Whether this block is the last of `count` to call it with the counter; all threads of the block call it. The last block sees all earlier stores of
// the others.
DEV bool last_of(u32* counter, u32 count) {
  SHARED u32 last;
  sync_shown();
  if (tid() == 0) {
    last = next_number(counter) + 1 == count;
    if (last) *counter = 0;
  }
  sync();
  const bool ours = last;
  sync();  // `last` is free for the block's next result
  if (ours) see_stores();
  return ours;
}
