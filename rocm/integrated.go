package rocm

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

var (
	memoryInfoFile    = "/proc/meminfo" // where Linux says how much memory is free
	leastCheckedBytes = 256 << 20       // of an allocation: smaller ones are not worth reading files
)

// checkIntegrated refuses memory of an APU that neither its own part nor the host has. Its driver takes what its part
// lacks from the host, and Linux ends processes, the session among them, when the host's memory is short.
func checkIntegrated(i Info, bytes int) error {
	if !i.Integrated || i.Platform != HIP || bytes < leastCheckedBytes {
		return nil
	}
	host, ok := hostMemory()
	if !ok {
		return nil
	}
	s, err := ReadSensors(i)
	if err != nil || slices.Contains(s.Missing, "memory") || slices.Contains(s.Missing, "memory in all") {
		return nil
	}
	own := max(s.MemoryTotal-s.MemoryUsed, 0)
	if int64(bytes) <= own+host {
		return nil
	}
	return &Error{Op: "allocate", Kind: ErrOutOfMemory, Detail: fmt.Sprintf(
		"%s shares the host's memory: its own part has %s free, and the host %s", i.Name, byteText(own), byteText(host))}
}

// hostMemory is how many bytes of the host's memory are available, and whether that is known.
func hostMemory() (bytes int64, ok bool) {
	text, err := os.ReadFile(memoryInfoFile)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if number, found := strings.CutPrefix(line, "MemAvailable:"); found {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(number), "kB")), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
