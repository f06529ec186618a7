// Package thorough sets how much tests try. `go test ./...` tries a sample of the combinations whose results hardly
// differ in kind, and with -short a smaller one; with GOROCM_TEST=thorough, as .ci/run has it, it tries all of them.
package thorough

import (
	"os"
	"strconv"
	"testing"
)

// On reports whether tests try every combination.
func On() bool { return os.Getenv("GOROCM_TEST") == "thorough" }

// Short reports whether tests leave out what takes seconds: with -short, unless GOROCM_TEST is set. GOROCM_TEST=sample
// is for runs that are slow in themselves, as with the race detector: what testing.Short leaves out is not tried, all
// else is sampled as without -short.
func Short() bool { return testing.Short() && os.Getenv("GOROCM_TEST") == "" }

// Slow skips a test that takes more than about a tenth of a second where tests are Short. Only tests may call it.
func Slow(tb testing.TB) {
	tb.Helper()
	if Short() {
		tb.Skip("slow: not with -short")
	}
}

// smaller is by how much a sample is smaller than a list of which each every-th element would be taken.
const smaller = 12

// Sample returns the whole list if On, else each element whose index plus offset is a multiple of twelve times every;
// with every = 1, all of the list but with -short. Another offset for each call, such as the index of an outer loop,
// has different calls try different elements. A sample of a list with elements has at least one. Only tests may call
// it.
func Sample[T any](list []T, every, offset int) []T {
	if On() {
		return list
	}
	if every > 1 || Short() {
		every *= smaller
	}
	return sample(list, every, offset)
}

func sample[T any](list []T, every, offset int) []T {
	if every = min(every, len(list)); every <= 1 {
		return list
	}
	var some []T
	for i, x := range list {
		if (i+offset)%every == 0 {
			some = append(some, x)
		}
	}
	return some
}

// Turn reports whether this run tries combination i of many that take too long together: one in every with
// GOROCM_TEST_TURN=N, others for another N, which .ci/run makes of the commit; all of them without it. It panics if N
// is no number.
func Turn(i, every int) bool {
	turn := os.Getenv("GOROCM_TEST_TURN")
	if turn == "" {
		return true
	}
	n, err := strconv.Atoi(turn)
	if err != nil {
		panic("GOROCM_TEST_TURN: " + err.Error())
	}
	return (i+n)%every == 0
}
