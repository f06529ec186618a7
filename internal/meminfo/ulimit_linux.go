package meminfo

import (
	"math"
	"os"
	"strings"
	"syscall"
)

// ulimits are the bounds that this process was given by setrlimit. Address space that was only reserved counts in both.
func ulimits() (list []Bound) {
	status := "/proc/self/status"
	for _, l := range []struct {
		resource    int
		name, field string
	}{{syscall.RLIMIT_AS, addressSpace, "VmSize"}, {syscall.RLIMIT_DATA, "ulimit -d", "VmData"}} {
		var r syscall.Rlimit
		if syscall.Getrlimit(l.resource, &r) != nil || r.Cur > math.MaxInt64 {
			continue
		}
		b := Bound{l.name, int64(r.Cur), int64(r.Cur)}
		if used, ok := Read(status, l.field); ok {
			b.Left = max(b.Total-int64(used), 0)
		}
		list = append(list, b)
	}
	return list
}

// Resident returns the bytes of this process that are in memory, and false where that is not known.
func Resident() (bytes int64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 2 {
		return 0, false
	}
	pages := int64(0)
	for _, c := range f[1] {
		pages = pages*10 + int64(c-'0')
	}
	return pages * int64(os.Getpagesize()), true
}
