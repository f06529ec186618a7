package tensor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestGroup shares tensors between two emulated GPUs, in a process of its own.
func TestGroup(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestGroupChild$", "-test.v")
	cmd.Env = append(os.Environ(), "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_DEVICES=2",
		"GOROCM_EMULATED_MEMORY=67108864", "GOROCM_TEST_GROUP=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestGroupChild") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestGroupChild(t *testing.T) {
	if os.Getenv("GOROCM_TEST_GROUP") == "" {
		t.Skip("run by TestGroup, in a child process")
	}
	if _, err := NewGroup(CPU()); !errors.Is(err, ErrDevice) {
		t.Errorf("the CPU as a member: %v", err)
	}
	a, err1 := NewDevice("rocm:0")
	b, err2 := NewDevice("rocm:1")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if _, err := NewGroup(a, a); !errors.Is(err, ErrDevice) {
		t.Errorf("a member twice: %v", err)
	}
	g, err := NewGroup(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if info := g.Library(); info.Name != "" || info.Problem == "" {
		t.Errorf("Library() = %+v", info)
	}
	for _, dt := range []DType{F32, F64, F16, BF16, U8, U32, I32, I64} {
		x := Arange(0, 12, dt, a).Reshape([]int{3, 4})
		y := Arange(5, 17, dt, b).Reshape([]int{4, 3}).T() // not dense
		want := Arange(0, 12, F64, CPU()).Reshape([]int{3, 4}).Add(Arange(5, 17, F64, CPU()).Reshape([]int{4, 3}).T())
		for i, sum := range g.AllReduce(x, y) {
			if got := fmt.Sprint(sum.Dims(), sum.DType(), sum.Float64s()); got != fmt.Sprint(want.Dims(), dt,
				want.Float64s()) || sum.dev != g.devices[i] {
				t.Errorf("sum on member %d: %s on %v, want %v", i, got, sum.dev, want.Float64s())
			}
		}
		for i, all := range g.AllGather(x, y) {
			want := append(x.Float64s(), y.Float64s()...)
			if got := fmt.Sprint(all.Dims(), all.Float64s()); got != fmt.Sprint([]int{6, 4}, want) {
				t.Errorf("gathered on member %d: %s, want %v", i, got, want)
			}
		}
		for i, copied := range g.Broadcast(y) {
			if got := fmt.Sprint(copied.Dims(), copied.DType(), copied.Float64s()); got != fmt.Sprint(y.Dims(), dt,
				y.Float64s()) || copied.dev != g.devices[i] {
				t.Errorf("copy on member %d: %s on %v", i, got, copied.dev)
			}
		}
	}
	x, y := Ones([]int{2}, F32, a), Ones([]int{2}, F32, b)
	for name, c := range map[string]struct {
		kind error
		run  func()
	}{
		"one tensor":   {ErrShape, func() { g.AllReduce(x) }},
		"nil":          {ErrShape, func() { g.AllReduce(x, nil) }},
		"shapes":       {ErrShape, func() { g.AllReduce(x, y.Reshape([]int{1, 2})) }},
		"scalars":      {ErrShape, func() { g.AllGather(x.Sum(), y.Sum()) }},
		"dtypes":       {ErrDType, func() { g.AllReduce(x, y.ToDType(F64)) }},
		"i16":          {ErrDType, func() { g.AllReduce(x.ToDType(I16), y.ToDType(I16)) }},
		"order":        {ErrDevice, func() { g.AllReduce(y, x) }},
		"not a member": {ErrDevice, func() { g.Broadcast(x.ToDevice(CPU())) }},
		"nil copied":   {ErrShape, func() { g.Broadcast(nil) }},
		"nil gathered": {ErrShape, func() { g.AllGather(nil, y) }},
	} {
		if _, err := Try(func() *Tensor { c.run(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewGroup(a, nil); !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "device 1 is nil") {
		t.Errorf("a member that is nil: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestJoinGroup shares tensors between two processes, each with an emulated GPU.
func TestJoinGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job")
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestJoinGroupChild$", "-test.v")
			cmd.Env = append(os.Environ(), "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_MEMORY=67108864",
				"GOROCM_TEST_GROUP="+path, fmt.Sprint("RANK=", rank))
			if out, err := cmd.CombinedOutput(); err != nil ||
				!strings.Contains(string(out), "--- PASS: TestJoinGroupChild") {
				t.Errorf("rank %d: %v\n%s", rank, err, out)
			}
		})
	}
	both.Wait()
}

func TestJoinGroupChild(t *testing.T) {
	path, rank := os.Getenv("GOROCM_TEST_GROUP"), 0
	if path == "" {
		t.Skip("run by TestJoinGroup, in a child process")
	}
	if _, err := fmt.Sscan(os.Getenv("RANK"), &rank); err != nil {
		t.Fatal(err)
	}
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := JoinGroup(path, rank, 2, CPU()); !errors.Is(err, ErrDevice) {
		t.Errorf("the CPU as a member: %v", err)
	}
	if _, err := JoinGroup(path, 2, 2, dev); !errors.Is(err, ErrDevice) ||
		!strings.Contains(err.Error(), "rank 2 of 2") {
		t.Errorf("a rank that does not exist: %v", err)
	}
	g, err := JoinGroup(path, rank, 2, dev)
	if err != nil {
		t.Fatal(err)
	}
	if g.Rank() != rank || g.Size() != 2 || len(g.Devices()) != 1 {
		t.Errorf("rank %d of %d, on %v", g.Rank(), g.Size(), g.Devices())
	}
	of := func(rank int) *Tensor { return Arange(float64(rank), float64(6+rank), F32, dev).Reshape([]int{3, 2}) }
	for what, c := range map[string][2]*Tensor{
		"sum":    {g.AllReduce(of(rank).T())[0], of(0).Add(of(1)).T()},
		"gather": {g.AllGather(of(rank))[0], Cat([]*Tensor{of(0), of(1)}, 0)},
		"copy":   {g.Broadcast(of(rank))[0], of(0)},
	} {
		if got, want := fmt.Sprint(c[0].Dims(), c[0].Float64s()),
			fmt.Sprint(c[1].Dims(), c[1].Float64s()); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
