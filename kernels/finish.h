// The last block finishes: blocks that have parts of a result each store theirs, and the one that comes last goes on with the parts of all. That saves
// the launch of a second kernel. Which block is the last one depends on timing; what it computes does not, as long as it takes the parts in an order
// of their own.
//
//   parts[which] = ours;
//   if (last_of(counters + result, count)) {
//     … parts[0], …, parts[count-1], by all threads
//   }
//
// Counters are zeros before a kernel (rocm.Device.Counters) and after it.

// Whether this block is the last of `count` that come here with the counter; all threads of it call. The last block sees all that those stored before.
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
