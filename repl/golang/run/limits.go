package run

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/traefik/yaegi/interp"
)

// MemoryVar names the environment variable that limits what a session's values may take: bytes, or a number with a
// unit.
const MemoryVar = "GOROCM_MEMORY"

// memoryError ends a cell.
type memoryError struct{ used, wanted, limit uint64 }

func (m *memoryError) Error() string {
	s := "out of memory: the session's values take " + SizeText(m.used)
	if m.wanted > 0 {
		s += ", this allocation " + SizeText(m.wanted)
	}
	return s + "; the limit is " + SizeText(m.limit)
}

// RuntimeError makes it a runtime.Error, as Go's own errors about allocations are.
func (*memoryError) RuntimeError() {}

func (m *memoryError) failure() *check.Failure {
	return &check.Failure{Name: "RuntimeError", Message: m.Error(), Notes: []string{memoryNote(m.limit)}}
}

func memoryNote(limit uint64) string {
	unit := uint64(1 << 20)
	if limit >= 8<<30 {
		unit = 1 << 30
	}
	more := (limit + limit/4 + unit - 1) / unit * unit
	return MemoryVar + " sets the limit, before gorocm starts: for example " + MemoryVar + "=" +
		strings.ReplaceAll(SizeText(more), " ", "")
}

// SizeText spells a number of bytes.
func SizeText(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1<<10 {
		return strconv.FormatUint(n, 10) + " bytes"
	}
	f, i := float64(n)/(1<<10), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) + " " + units[i]
}

// parseSize reads what size writes, and plain bytes: 4GiB, 4 GB, 512M, 1073741824. Units are powers of 1024.
func parseSize(s string) (uint64, error) {
	num := strings.TrimSpace(s)
	at := strings.IndexFunc(num, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	unit := ""
	if at >= 0 {
		num, unit = num[:at], strings.ToUpper(strings.TrimSpace(num[at:]))
	}
	shift := 0
	if unit != "" && unit != "B" && unit != "BYTES" {
		i := strings.IndexByte("KMGTPE", unit[0])
		if i < 0 || unit[1:] != "" && unit[1:] != "B" && unit[1:] != "IB" {
			return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one such as 512MiB or 4GiB", s)
		}
		shift = 10 * (i + 1)
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || f <= 0 || math.Ldexp(f, shift) >= 1<<63 {
		return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one such as 512MiB or 4GiB", s)
	}
	return uint64(math.Ldexp(f, shift)), nil
}

// memoryLimit is what the values of a session may take: what the environment says, or three quarters of what the
// machine, or the control group of the process, has.
func memoryLimit() (uint64, error) {
	if s := os.Getenv(MemoryVar); s != "" {
		n, err := parseSize(s)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", MemoryVar, err)
		}
		return n, nil
	}
	has := machineMemory("/")
	if has == 0 {
		return math.MaxInt64, nil // not known here: the system decides
	}
	return has / 4 * 3, nil
}

// machineMemory is the memory that this process can have by what the file system under root tells, 0 when that is not
// known.
func machineMemory(root string) uint64 {
	least := uint64(0)
	take := func(n uint64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	if n, ok := meminfo.Read(filepath.Join(root, meminfo.File), "MemTotal"); ok {
		take(uint64(n))
	}
	number := func(file string) {
		b, _ := os.ReadFile(filepath.Join(root, file))
		if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err == nil { // "max" is none
			take(n)
		}
	}
	group, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range bytes.Lines(group) {
		f := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(f) != 3 {
			continue
		}
		base, file := "", ""
		switch {
		case f[0] == "0":
			base, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+f[1]+",", ",memory,"):
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for dir := f[2]; ; dir = filepath.Dir(dir) { // a group's limit holds for those inside it
			number(filepath.Join(base, dir, file))
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return least
}

// limit is the memory limit of this process.
var limit = sync.OnceValues(func() (uint64, error) {
	n, err := memoryLimit()
	if err != nil {
		return 0, err
	}
	statm() // opened now: see meter
	// Collect harder near the limit, so that what counts is what is alive.
	if os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 && n < math.MaxInt64 {
		debug.SetMemoryLimit(int64(n / 10 * 9))
	}
	return n, nil
})

// reclaim gives memory back to the system after a cell has used too much. Goroutines that go on allocating are ended.
// It tells of that, and of what is still held.
func (rt *Runtime) reclaim() (notes []string) {
	debug.FreeOSMemory() // collects first
	before := InUse()
	if before > rt.Memory.Limit {
		time.Sleep(settleFor)
		if runtime.GC(); InUse() > before+memoryFree/4 {
			rt.stops.endAll(settleFor)
			debug.FreeOSMemory()
			notes = append(notes, "goroutines that cells had started went on allocating: they were ended")
		}
	}
	if now := InUse(); now > rt.Memory.Limit/2 {
		notes = append(notes,
			"variables of the session still hold "+SizeText(now)+": set those that you do not need to nil")
	}
	return notes
}

// settleFor is how long goroutines are watched, and stopped, when there is too little memory.
const settleFor = 50 * time.Millisecond

// checkMake panics where make([]T, n) would end the process, or take more than the session may use. n is the length or
// the capacity; elemSize is the size of an element in bytes.
func (m *Memory) CheckMake(n, elemSize int) {
	if n < 0 || elemSize > 0 && n > maxAlloc/elemSize {
		panic(runtimeError("makeslice: len out of range"))
	}
	m.checkAlloc(uint64(n) * uint64(elemSize))
}

// maxAlloc is the size of the largest allocation that Go can address, on 64-bit machines.
const maxAlloc = 1 << 47

// bigAlloc is the size from which on allocations are checked one by one.
const bigAlloc = 16 << 20

// checkAlloc panics when an allocation would exceed the limit.
func (m *Memory) checkAlloc(n uint64) {
	if n < bigAlloc {
		return
	}
	used := InUse()
	if used+n > m.Limit {
		runtime.GC()
		used = InUse()
	}
	if used+n > m.Limit {
		panic(&memoryError{used: used, wanted: n, limit: m.Limit})
	}
}

// limited replaces functions of the standard library that allocate as much as they are told. They are methods, because
// a failure's place is found by the name of the compiled function that panicked.
func (m *Memory) limited() interp.Exports {
	method := func(v any, name string) reflect.Value { return reflect.ValueOf(v).MethodByName(name) }
	return interp.Exports{
		"strings/strings": {"Repeat": method(checkedStrings{m}, "Repeat")},
		"bytes/bytes":     {"Repeat": method(checkedBytes{m}, "Repeat")},
	}
}

type (
	checkedStrings struct{ e *Memory }
	checkedBytes   struct{ e *Memory }
)

// Repeat is strings.Repeat within the memory limit.
func (c checkedStrings) Repeat(s string, count int) string {
	c.e.checkRepeat(len(s), count)
	return strings.Repeat(s, count)
}

// Repeat is bytes.Repeat within the memory limit.
func (c checkedBytes) Repeat(b []byte, count int) []byte {
	c.e.checkRepeat(len(b), count)
	return bytes.Repeat(b, count)
}

func (m *Memory) checkRepeat(length, count int) {
	if count > 0 && length > 0 && length <= math.MaxInt/count {
		m.checkAlloc(uint64(length) * uint64(count))
	}
}

// Memory bounds what the session's values may take.
type Memory struct{ Limit uint64 }
