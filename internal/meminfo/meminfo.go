// Package meminfo reads how much memory this process can have: see Bounds.
package meminfo

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// File is where Linux says so.
const File = "/proc/meminfo"

// Read returns the bytes of a field of a file such as File, for instance MemAvailable, and false where it is not known.
func Read(file, field string) (bytes int, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == field+":" {
			kib, err := strconv.ParseUint(f[1], 10, 50)
			return int(kib) << 10, err == nil
		}
	}
	return 0, false
}

// Available returns the memory in bytes that this process can still take, by the tightest of Bounds, and false where
// none is known.
func Available() (bytes int, ok bool) {
	n, ok := Left()
	return int(n), ok
}

// Refuse says why so many bytes are not to be allocated in Go's heap, "" where they may be: of less than a quarter of a
// GiB nobody asks what is free.
func Refuse(bytes int) string {
	const small = 256 << 20
	if bytes < small {
		return ""
	}
	free, known := Available()
	if !known || bytes < free {
		return ""
	}
	return fmt.Sprintf("takes %.1f GiB; %.1f GiB are free on the host", float64(bytes)/(1<<30), float64(free)/(1<<30))
}
