package rocm

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/group"
)

// processes runs a test in two child processes at a time, which find their rank and the address of their group in the
// environment: first by a file, then by connections.
func processes(t *testing.T, test string, env ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "group")
	processesAt(t, path, test, env...)
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close() // the port is free, for now
	processesAt(t, "tcp://"+listener.Addr().String(), test, env...)
}

func processesAt(t *testing.T, at, test string, env ...string) {
	t.Helper()
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			out, err := childtest.RunFailing(t, test, slices.Concat(env, []string{"GROUP_AT=" + at, fmt.Sprint("RANK=", rank)})...)
			if err != nil || !strings.Contains(out, "--- PASS: "+test) {
				t.Errorf("%s, rank %d: %v\n%s", test, rank, err, out)
			}
		})
	}
	both.Wait()
}

// TestJoinGroup: groups of two processes compute what groups of two devices do, by the library and through files.
func TestJoinGroup(t *testing.T) {
	thorough.Slow(t)
	env := append(childtest.FakeHIP(t, "testdata"), "GOROCM_COMM=", "FAKEHIP_DEVICES=1")
	processes(t, "TestJoinGroupChild", append(env, "WANT_PROBLEM=load "+childtest.File("librccl.so")+": not found")...)
	buildStandIn(t, strings.TrimPrefix(env[0], "GOROCM_LIBRARY_PATH="), "librccl.so.1", "testdata/fakerccl.c")
	processes(t, "TestJoinGroupChild", env...)
	processes(t, "TestJoinGroupChild", append(env, "GOROCM_COMM=go", "WANT_PROBLEM=GOROCM_COMM=go is set")...)
}

func TestJoinGroupEmulated(t *testing.T) {
	processes(t, "TestJoinGroupChild", "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_MEMORY=16777216", "WANT_PROBLEM=there is none for emulated GPUs")
}

// TestCUDAJoinGroup runs the real NCCL in two processes, where it and two GPUs are there, and then does the same through files.
func TestCUDAJoinGroup(t *testing.T) {
	cudaDevice(t)
	if _, err := Open("cuda:1"); err != nil {
		t.Skipf("no second NVIDIA GPU: %v", err)
	}
	for comm, problem := range map[string]string{"": "", "go": "GOROCM_COMM=go is set"} {
		processes(t, "TestJoinGroupChild", "GOROCM_COMM="+comm, "WANT_PROBLEM="+problem, "GROUP_DEVICE=cuda")
	}
}

func TestJoinGroupChild(t *testing.T) {
	childtest.Only(t)
	rank, err := strconv.Atoi(os.Getenv("RANK"))
	if err != nil {
		t.Fatal(err)
	}
	name := "rocm"
	if kind := os.Getenv("GROUP_DEVICE"); kind != "" {
		name = fmt.Sprint(kind, ":", rank)
	}
	d, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if rank == 1 {
		time.Sleep(20 * time.Millisecond) // one is always late
	}
	g, err := JoinGroup(os.Getenv("GROUP_AT"), rank, 2, d)
	if err != nil {
		t.Fatal(err)
	}
	info, problem := g.Library(), os.Getenv("WANT_PROBLEM")
	if !strings.Contains(info.Problem, problem) || (problem == "") != (info.Name != "") {
		t.Errorf("Library() = %+v", info)
	}
	if g.Rank() != rank || g.Size() != 2 || len(g.Devices()) != 1 || !strings.HasPrefix(g.String(), fmt.Sprintf("group of 2 processes, of which this is number %d", rank)) {
		t.Errorf("%v: rank %d of %d", g, g.Rank(), g.Size())
	}
	collectives(t, g, d)
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Broadcast("f32", 1, 0, []Place{{alloc(t, d, 4), 0}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a closed group: %v", err)
	}
}

// collectives runs every operation of a group of processes, in every type, and compares.
func collectives(t *testing.T, g *Group, d *Device) {
	const n = 37
	for _, elem := range []string{"f32", "f64", "f16", "bf16", "u8", "i32", "u32", "i64"} {
		size := group.ElemSizes[elem]
		values := make([][]float64, g.Size())
		for i := range values {
			for k := range n {
				values[i] = append(values[i], float64((k*(i+3))%7+i))
			}
		}
		at, all := Place{alloc(t, d, (n+1)*size), size}, Place{alloc(t, d, (g.Size()*n+2)*size), 2 * size}
		if err := at.Buffer.Upload(at.Offset, elements(elem, values[g.Rank()])); err != nil {
			t.Fatal(err)
		}
		same := func(what string, p Place, want []float64, err error) {
			t.Helper()
			got := make([]byte, len(want)*size)
			if err := errors.Join(err, p.Buffer.Download(got, p.Offset)); err != nil {
				t.Fatal(err)
			}
			if string(got) != string(elements(elem, want)) {
				t.Errorf("%s of %s: wrong", what, elem)
			}
		}
		sum, most := append([]float64(nil), values[0]...), append([]float64(nil), values[0]...)
		for k := range n {
			sum[k] += values[1][k]
			most[k] = max(most[k], values[1][k])
		}
		same("sum", all, sum, g.AllReduce(Sum, elem, n, []Place{at}, []Place{all}))
		same("maximum", all, most, g.AllReduce(Max, elem, n, []Place{at}, []Place{all}))
		same("gather", all, append(append([]float64(nil), values[0]...), values[1]...), g.AllGather(elem, n, []Place{at}, []Place{all}))
		same("broadcast", at, values[1], g.Broadcast(elem, n, 1, []Place{at}))
		if err := g.Broadcast(elem, n, 2, []Place{at}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a root that does not exist: %v", err)
		}
	}
}

// TestJoinGroupMistakes are those of one process; the others need not be there.
func TestJoinGroupMistakes(t *testing.T) {
	d := newFake(1<<20).device(t, 0)
	t.Setenv("GOROCM_COMM", "go")
	folder := t.TempDir()
	taken, strange := filepath.Join(folder, "taken"), filepath.Join(folder, "strange")
	for path, text := range map[string]string{taken: "", strange: "something else\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	defer func(before time.Duration) { group.Patience = before }(group.Patience)
	group.Patience = time.Millisecond
	for name, c := range map[string]struct {
		join func() (*Group, error)
		want string
	}{
		"no device":    {func() (*Group, error) { return JoinGroup(taken, 0, 2, nil) }, "the device is nil"},
		"rank":         {func() (*Group, error) { return JoinGroup(taken, 2, 2, d) }, "rank 2 of 2 processes"},
		"no processes": {func() (*Group, error) { return JoinGroup(taken, 0, 0, d) }, "rank 0 of 0 processes"},
		"no path":      {func() (*Group, error) { return JoinGroup("", 0, 2, d) }, "the address is empty"},
		"no port":      {func() (*Group, error) { return JoinGroup("tcp://node7", 0, 2, d) }, `"node7" is not HOST:PORT`},
		"taken":        {func() (*Group, error) { return JoinGroup(taken, 0, 2, d) }, taken + " exists: it is another group's"},
		"strange":      {func() (*Group, error) { return JoinGroup(strange, 1, 2, d) }, "is not the file of a group"},
		"alone":        {func() (*Group, error) { return JoinGroup(filepath.Join(folder, "none"), 1, 2, d) }, "none did not come within 1ms\n  is the process of rank 0 running"},
	} {
		if _, err := c.join(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(taken); err != nil || len(text) > 0 {
		t.Errorf("the file of another group: %q, %v", text, err)
	}
	if _, err := JoinGroup(filepath.Join(folder, "no", "such", "folder"), 0, 2, d); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if g, err := JoinGroup(filepath.Join(folder, "one"), 0, 1, d); err != nil {
		t.Error(err)
	} else if err := g.Close(); err != nil {
		t.Error(err)
	}
}
