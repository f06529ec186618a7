package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// limitedGroup makes a control group with so much memory, and returns the file that takes its processes.
func limitedGroup(t *testing.T, bytes int) (procs string) {
	t.Helper()
	name := fmt.Sprintf("gorocm-test-%d", os.Getpid())
	for _, v := range []struct{ base, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(v.base, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			for range 100 { // until its processes are gone
				if os.Remove(dir) == nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
		if os.WriteFile(filepath.Join(dir, v.limit), []byte(strconv.Itoa(bytes)), 0o600) == nil {
			return filepath.Join(dir, "cgroup.procs")
		}
	}
	t.Skip("no control group with a limit of memory can be made here: that needs root, and a writable /sys/fs/cgroup")
	return ""
}

// TestControlGroup: in a control group of 600 MB, whatever grows without an end ends as an error of its cell, and
// nothing is killed.
func TestControlGroup(t *testing.T) {
	thorough.Slow(t)
	if thorough.Race {
		t.Skip("the race detector takes memory of its own, which gorocm does not see: the group is full before")
	}
	procs := limitedGroup(t, 600_000_000)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(Options{Version: "test", Command: []string{"/bin/sh", "-c",
		"echo $$ > " + procs + `; exec "$0" serve-worker`, self}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if r, _ := eval(t, c, "kept := 42"); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	const memory = "emory" // the session's error, or hipErrorOutOfMemory
	for _, tt := range []struct{ name, code, want string }{
		{"slices", "var grown [][]byte; for { grown = append(grown, make([]byte, 1<<20)) }", "out of memory"},
		{"written slices", "var grown [][]byte; for { grown = append(grown, bytes.Repeat([]byte{1}, 1<<20)) }",
			"out of memory"},
		{"small values", "type node struct{ next *node; text [40]int }; var list *node; for { list = &node{next: list} }",
			"out of memory"},
		{"a text", `text := "x"; for { text += text }`, "out of memory"},
		{"tensors of the host", `host := Device("cpu"); var ts []*tensor.Tensor; for { ts = append(ts, host.Ones(tensor.F32, 1<<20).Add(1)) }`,
			"out of memory"},
		{"tensors of an emulated device",
			`var ts []*tensor.Tensor; dev := Device("rocm"); for { ts = append(ts, dev.Ones(tensor.F32, 1<<20)) }`,
			memory},
		{"both", `var grown = bytes.Repeat([]byte{1}, 200<<20); for { ts = append(ts, dev.Ones(tensor.F32, 1<<20)) }`,
			memory},
		{"values beside a device", `for range 40 { ts = append(ts, dev.Ones(tensor.F32, 1<<20)) }
for { grown = append(grown, bytes.Repeat([]byte{1}, 1<<20)...) }`, "out of memory"},
		{"recursion", "func down(n int) int { return down(n+1) + 1 }; down(0)", "stack overflow"},
		{"a channel", "c := make(chan int, 1<<30)", "out of memory"},
		{"goroutines", "for { go func() { select {} }() }", "out of memory"},
		{"recursion beside goroutines that wait", "down(0)", "stack overflow"},
	} {
		if !thorough.On() && !slices.Contains([]string{"written slices", "a text", "recursion"}, tt.name) {
			continue // some use variables of others
		}
		t.Run(tt.name, func(t *testing.T) {
			r, _ := eval(t, c, tt.code)
			if _, out := eval(t, c, "%memory"); testing.Verbose() {
				t.Log(out)
			}
			if r.Lost || r.Err == nil || !strings.Contains(r.Err.Text(false), tt.want) {
				t.Fatalf("%+v\n%s", r, r.Err.Text(true))
			}
			for _, code := range []string{"var ts []*tensor.Tensor", "var grown []byte", "list := 0", "text := 0"} {
				if r, _ := eval(t, c, code); r.Lost {
					t.Fatalf("%s: %+v", code, r)
				}
			}
			if r, out := eval(t, c, "kept"); r.Err != nil || !strings.Contains(out, "42") {
				t.Fatalf("%+v %s", r, out)
			}
		})
	}
}
