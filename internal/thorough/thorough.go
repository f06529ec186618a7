// Package thorough sets how much tests try. `go test ./...` tries a sample of the combinations whose results hardly
// differ in kind; with GOROCM_TEST=thorough, as in .ci/run, it tries all of them.
package thorough

import "os"

// On reports whether tests try every combination.
func On() bool { return os.Getenv("GOROCM_TEST") == "thorough" }

// Sample returns the whole list if On, else each element whose index plus offset is a multiple of every. Another offset
// for each call, such as the index of an outer loop, has the calls together try all of the list.
func Sample[T any](list []T, every, offset int) []T {
	if On() || every <= 1 {
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
