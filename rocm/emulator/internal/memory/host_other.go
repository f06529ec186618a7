//go:build !unix && !windows

package memory

// reserve returns size bytes of zeros; the host commits them when they are first written.
func reserve(size uint64) ([]byte, error) { return make([]byte, size), nil }

func commit([]byte) error { return nil }

func unreserve([]byte) error { return nil }

func discard([]byte) {}
