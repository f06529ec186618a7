package meminfo

import (
	"math"
	"os"
	"runtime/metrics"
	"strings"
	"sync"
	"syscall"
)

// limits are the resources that setrlimit bounds and that memory counts in, with the field of /proc/self/status that
// says what this process has of them.
var limits = []struct {
	resource    int
	name, field string
}{{syscall.RLIMIT_AS, addressSpace, "VmSize"}, {syscall.RLIMIT_DATA, "ulimit -d", "VmData"}}

const status = "/proc/self/status"

// growth is what Go takes of a resource at once: its heap grows by 64 MiB of address space, a thread has a stack of
// 8 MiB, and a large stack is copied to one of twice its size.
const growth = 96 << 20

// ulimits are the bounds that this process was given by setrlimit. Address space that is only reserved counts in both,
// and Go gives none back: what it has reserved at the start is not part of Total, and what the heap no longer uses is
// half of it part of Left, for it may be in pieces.
func ulimits() (list []Bound) {
	for i, l := range limits {
		total, ok := limited(l.resource)
		if !ok {
			continue
		}
		b := Bound{l.name, max(total-reserved()[i], total/16), total}
		if used, ok := Read(status, l.field); ok {
			b.Left = max(total-int64(used)-growth, 0) + idleHeap()/2
		}
		list = append(list, b)
	}
	return list
}

// limited returns the soft limit of a resource, and false where there is none.
func limited(resource int) (bytes int64, ok bool) {
	var r syscall.Rlimit
	if syscall.Getrlimit(resource, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, false
	}
	return int64(r.Cur), true
}

// reserved are the bytes of each of limits that this process had when it was first asked, and did not use.
var reserved = sync.OnceValue(func() []int64 {
	r := make([]int64, len(limits))
	used, _ := Resident()
	for i, l := range limits {
		if n, ok := Read(status, l.field); ok {
			r[i] = max(int64(n)-used, 0)
		}
	}
	return r
})

// idleHeap returns the bytes of Go's heap that hold nothing.
func idleHeap() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
}

// TooLittle says why this process cannot work under the limits that it was given by setrlimit; it is empty where it
// can.
func TooLittle() string {
	if n, ok := limited(syscall.RLIMIT_AS); ok && n < leastAddressSpace {
		return tooLittle(n)
	}
	return ""
}

// Environment is what a process of this program should have in its environment under the limits of this one: with a
// limit of address space the C library is to set none aside for each thread.
func Environment() []string {
	if _, ok := limited(syscall.RLIMIT_AS); ok {
		return []string{"MALLOC_ARENA_MAX=1"}
	}
	return nil
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
