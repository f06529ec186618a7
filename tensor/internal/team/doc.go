// Package team runs loops on all cores, with helper goroutines that are ready.
//
// A call of Run is a region: its parts are done by the caller and by helpers. After a region, helpers look for the next
// one for a fraction of a millisecond, in which joining costs less than a microsecond; then they park, and end when
// nobody has called for some time.
//
// # Rules
//
//   - Loops that cost less than two grains run on the caller alone. A core more joins for each further grain.
//   - The caller waits for helpers that work, never for helpers that wake up: it does their parts.
//   - Helper i has share i of every region, because its caches hold what it worked on before. Who has finished takes
//     parts of others' shares, from the end.
//   - As many goroutines as GOMAXPROCS says compute at once, callers of regions included. Go sets GOMAXPROCS by the
//     limits of the process's cgroup; the team reads it for each region. With k callers, the k-1 last helpers
//     leave after the part that they work on. A call from within a part counts no further caller.
//   - Helpers are woken as a tree: the caller wakes two, and each that joins wakes two more, so that a short region
//     does not pay for the waking of all.
//
// Regions are reused. A helper may still hold one that has finished, and may take a part of its next use: a part that
// was taken is valid, because shares are set last, and the region does not end before the part has.
package team
