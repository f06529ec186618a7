// Package meminfo reads how much memory Linux has.
package meminfo

import (
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

// Available returns the memory that Linux has left for this process in bytes, and false where it is not known.
func Available() (bytes int, ok bool) { return Read(File, "MemAvailable") }
