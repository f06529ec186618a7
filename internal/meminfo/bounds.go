package meminfo

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Bound is something that bounds the memory of this process.
type Bound struct {
	Name  string // "the machine", "the control group /a/b", "ulimit -v"
	Total int64  // bytes
	Left  int64  // bytes that can still be taken; Total where that is not known
}

// Bounds returns what bounds the memory of this process: the machine, the control groups that it is in, of version 1
// or 2, and those that these are in, and the limits of the process itself.
func Bounds() []Bound { return append(machine(), ulimits()...) }

// Total returns the least of the totals of Bounds, and 0 when none is known.
func Total() int64 { return least(Bounds(), func(b Bound) int64 { return b.Total }) }

// Left returns the least that Bounds have left. It is false when none is known.
func Left() (bytes int64, ok bool) {
	list := Bounds()
	return least(list, func(b Bound) int64 { return b.Left }), len(list) > 0
}

// AddressSpace returns the bytes of address space that this process can still reserve, and false when nothing limits
// it.
func AddressSpace() (left int64, ok bool) {
	for _, b := range ulimits() {
		if b.Name == addressSpace {
			return b.Left, true
		}
	}
	return 0, false
}

const addressSpace = "ulimit -v"

// leastAddressSpace is what a front end and its worker need, each of them. Before a cell runs they reserve 1.3 to
// 1.9 GiB: tables of Go's heap take 1.1 GiB, what the C library sets aside for each thread most of the rest. With less
// than a GiB Go's run-time system ends a program before any of it runs.
const leastAddressSpace = 5 << 29

// tooLittle is what TooLittle says of a limit of address space.
func tooLittle(limit int64) string {
	return fmt.Sprintf("%s allows %.1f GiB of address space; Go's run-time system and the C library reserve about "+
		"as much before a cell runs: gorocm needs at least %.1f GiB (%s %d), and GOROCM_MEMORY limits what a session "+
		"uses", addressSpace, float64(limit)/(1<<30), float64(leastAddressSpace)/(1<<30), addressSpace,
		leastAddressSpace>>10)
}

func least(list []Bound, of func(Bound) int64) int64 {
	if len(list) == 0 {
		return 0
	}
	n := int64(math.MaxInt64)
	for _, b := range list {
		n = min(n, of(b))
	}
	return n
}

// bounds are those that the file system under root tells of.
func bounds(root string) (list []Bound) {
	file := filepath.Join(root, File)
	if total, ok := Read(file, "MemTotal"); ok {
		left, known := Read(file, "MemAvailable")
		if !known {
			left = total
		}
		list = append(list, Bound{"the machine", int64(total), int64(left)})
	}
	memberships, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range bytes.Lines(memberships) {
		f := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(f) != 3 {
			continue
		}
		v := version1
		switch {
		case f[0] == "0":
			v = version2
		case !strings.Contains(","+f[1]+",", ",memory,"):
			continue
		}
		for dir := f[2]; ; dir = path.Dir(dir) { // a group's limit holds for those inside it
			if b, ok := v.bound(root, dir); ok {
				list = append(list, b)
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return list
}

// version has the names of a control group's files.
type version struct {
	base     string
	limits   []string
	usage    string
	inactive string // field of memory.stat: cached files, which the kernel drops before it ends a process
}

var (
	version1 = version{"sys/fs/cgroup/memory", []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes",
		"total_inactive_file"}
	version2 = version{"sys/fs/cgroup", []string{"memory.max", "memory.high"}, "memory.current", "inactive_file"}
)

// unlimited is what version 1 writes, rounded to pages, where there is no limit.
const unlimited = math.MaxInt64 &^ (1<<20 - 1)

// bound reads the limit of a group. It is false when the group has none.
func (v version) bound(root, group string) (Bound, bool) {
	dir := filepath.Join(root, v.base, group)
	total := int64(0)
	for _, name := range v.limits {
		if n, ok := number(filepath.Join(dir, name)); ok && n < unlimited && (total == 0 || n < total) {
			total = n
		}
	}
	if total == 0 {
		return Bound{}, false
	}
	b := Bound{"the control group " + group, total, total}
	if used, ok := number(filepath.Join(dir, v.usage)); ok {
		b.Left = max(total-max(used-v.cached(dir), 0), 0)
	}
	return b, true
}

// cached returns the bytes of files that a group has cached and does not use.
func (v version) cached(dir string) int64 {
	stat, _ := os.ReadFile(filepath.Join(dir, "memory.stat"))
	for line := range strings.Lines(string(stat)) {
		if value, ok := strings.CutPrefix(line, v.inactive+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// number reads a file with one positive number. Other text, such as "max", is none.
func number(file string) (int64, bool) {
	text, _ := os.ReadFile(file)
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n > 0
}
