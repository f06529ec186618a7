// Faults: a word in memory is 0 for none, else 1 + the position of an id that is out of range. Of several, the first in the order of
// positions stays, whichever thread is the first in time: an error names the same id in every run.

#if AMD
DEV u64 replace(u64* p, u64 old, u64 x) {  // returns what was there
  __atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old;
}
#elif defined(__clang__)
DEV u64 replace(u64* p, u64 old, u64 x) { return (u64)__nvvm_atom_cas_gen_ll((i64*)p, (i64)old, (i64)x); }
#else
DEV u64 replace(u64* p, u64 old, u64 x) { return atomicCAS(p, old, x); }
#endif

DEV void report(u64* fault, u64 position) {
  u64 seen = 0;
  for (;;) {
    const u64 there = replace(fault, seen, position + 1);
    if (there == seen || (there != 0 && there <= position + 1)) return;
    seen = there;
  }
}
