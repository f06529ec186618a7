//go:build race

package thorough

// Race says that the race detector runs. It takes memory of its own, five to ten times what a program uses, makes
// everything about ten times slower, and has sync.Pool drop items.
const Race = true
