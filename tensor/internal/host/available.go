package host

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// AvailableMemory returns the memory that the system has left for this process in bytes, or -1 where that is unknown.
func AvailableMemory() int {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return -1
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			if _, err := fmt.Sscan(rest, &kib); err == nil {
				return kib << 10
			}
		}
	}
	return -1
}
