//go:build !race

package thorough

// Race says that the race detector runs.
const Race = false
