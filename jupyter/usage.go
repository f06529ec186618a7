package jupyter

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/meminfo"
)

// usage is what usage_request asks for: what the kernel's processes take of the machine. CPU shares are those since the
// request before. On systems without /proc only the number of CPUs is known.
type usage struct {
	mu    sync.Mutex
	at    time.Time
	procs map[int]float64 // CPU seconds of each process
	host  [2]float64      // CPU seconds of all processes, and those that passed
}

func (k *kernel) usageRequest(*request) (any, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	r := usageReply{Hostname: host, PID: os.Getpid(), CPUs: runtime.NumCPU()}
	k.usage.measure(&r, "/proc")
	return r, nil
}

// measure fills in what a folder such as /proc tells.
func (u *usage) measure(r *usageReply, proc string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	passed := now.Sub(u.at).Seconds()
	procs := map[int]float64{}
	for _, p := range family(proc, r.PID) {
		procs[p.pid] = p.cpu
		r.Memory += memoryOf(proc, p)
		if before, ok := u.procs[p.pid]; ok && passed > 0 {
			r.CPU += 100 * max(0, p.cpu-before) / passed
		}
	}
	host := hostCPU(proc)
	if total := host[1] - u.host[1]; u.host[1] > 0 && total > 0 {
		r.HostCPU = tenths(100 * (host[0] - u.host[0]) / total)
	}
	r.CPU = tenths(r.CPU)
	u.at, u.procs, u.host = now, procs, host
	r.Host = hostMemoryOf(filepath.Join(proc, "meminfo"))
}

func tenths(x float64) float64 { return math.Round(10*x) / 10 }

func hostMemoryOf(file string) *hostMemory {
	total, ok := meminfo.Read(file, "MemTotal")
	available, ok2 := meminfo.Read(file, "MemAvailable")
	free, ok3 := meminfo.Read(file, "MemFree")
	if !ok || !ok2 || !ok3 || total <= 0 {
		return nil
	}
	used := total - available
	return &hostMemory{total, available, tenths(100 * float64(used) / float64(total)), used, free}
}

// process is a line of /proc/PID/stat.
type process struct {
	pid, parent int
	cpu         float64 // seconds
	resident    int     // bytes
}

// ticks are the units of CPU time in /proc in a second: the same on all machines that run Linux.
const ticks = 100

// family lists a process and its descendants.
func family(proc string, root int) (r []process) {
	files, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	if err != nil {
		return nil
	}
	children := map[int][]process{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		p, ok := parseStat(text)
		if !ok {
			continue
		}
		if p.pid == root {
			r = append(r, p)
		} else {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	for i := 0; i < len(r); i++ {
		r = append(r, children[r[i].pid]...)
	}
	return r
}

// parseStat reads the content of /proc/PID/stat. The second field is the program's name in parentheses, which may hold
// anything.
func parseStat(text []byte) (p process, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return p, false
	}
	f := strings.Fields(string(text[end+1:]))
	if len(f) < 22 {
		return p, false
	}
	var n [5]int
	for i, field := range []string{strings.TrimSpace(string(text[:open])), f[1], f[11], f[12], f[21]} {
		var err error
		if n[i], err = strconv.Atoi(field); err != nil {
			return p, false
		}
	}
	return process{n[0], n[1], float64(n[2]+n[3]) / ticks, n[4] * os.Getpagesize()}, true
}

// memoryOf is a process's memory in bytes, with its share of the pages that it has in common with others where the
// kernel tells that.
func memoryOf(proc string, p process) int {
	if n, ok := meminfo.Read(filepath.Join(proc, strconv.Itoa(p.pid), "smaps_rollup"), "Pss"); ok {
		return n
	}
	return p.resident
}

// hostCPU is how long the machine's CPUs have worked, and how long they have been there, in ticks.
func hostCPU(proc string) (r [2]float64) {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return r
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const idle, iowait, steal = 3, 4, 7 // the fields after steal are part of the first two
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu ")) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || i > steal {
			break
		}
		r[1] += n
		if i != idle && i != iowait {
			r[0] += n
		}
	}
	return r
}
