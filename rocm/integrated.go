package rocm

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/internal/meminfo"
)

var (
	memoryInfoFile    = meminfo.File // but in tests
	leastCheckedBytes = 256 << 20    // of an allocation: smaller ones are not worth reading files
)

// checkIntegrated refuses memory of an APU that neither its own part nor the host has. Its driver takes what its part
// lacks from the host, and Linux ends processes, the session among them, when the host's memory is short.
func checkIntegrated(i Info, bytes int) error {
	if !i.Integrated || i.Platform != HIP || bytes < leastCheckedBytes {
		return nil
	}
	host, ok := meminfo.Read(memoryInfoFile, "MemAvailable")
	if !ok {
		return nil
	}
	s, err := ReadSensors(i)
	if err != nil || slices.Contains(s.Missing, "memory") || slices.Contains(s.Missing, "memory in all") {
		return nil
	}
	own := max(s.MemoryTotal-s.MemoryUsed, 0)
	if int64(bytes) <= own+int64(host) {
		return nil
	}
	return &Error{Op: "allocate", Kind: ErrOutOfMemory, Detail: fmt.Sprintf(
		"%s shares the host's memory: its own part has %s free, and the host %s", i.Name, byteText(own), byteText(int64(host)))}
}
