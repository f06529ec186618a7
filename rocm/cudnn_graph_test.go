package rocm

import (
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// graphWays looks which of the stand-in's ways convolutions took: the first that may be used, or the fastest.
func graphWays(t *testing.T, d *Device) {
	t.Helper()
	const inexact, best, second, fallback = 0, 5, 6, 7
	var way func() int32
	standIn(t, "libcudnn.so.9", "fakecudnn_way", &way)
	for _, elem := range []string{"f32", "f64", "f16"} {
		want := int32(best)
		switch _, fewer := os.LookupEnv("GOROCM_TF32"); {
		case elem == "f64":
			want = fallback
		case fewer:
			want = inexact
		case os.Getenv("GOROCM_DNN") == "find":
			want = second
		}
		for _, c := range convCases {
			c.Elem = elem
			done := convolves(t, d, c)
			if got := way(); !done || got != want {
				t.Errorf("%s: way %d, want %d: %+v", c.text(), got, want, d.DNN())
			}
		}
	}
}

// TestGraphFaults has a library that fails in convolutions as graphs.
func TestGraphFaults(t *testing.T) {
	thorough.Slow(t)
	env := unset(buildFakeCuDNN(t), "GOROCM_TF32")
	childtest.Run(t, "TestGraphFaultsChild", env...)
	childtest.Run(t, "TestGraphFaultsChild", append(env, "GOROCM_DNN=find")...)
}

// TestGraphFaultsChild makes every call fail in turn: the older calls compute the convolution, DNN says why, and nothing is left behind.
func TestGraphFaultsChild(t *testing.T) {
	childtest.Only(t)
	var inject func(name string, code, times int32)
	var way, live func() int32
	standIn(t, "libcudnn.so.9", "fakecudnn_inject", &inject)
	standIn(t, "libcudnn.so.9", "fakecudnn_way", &way)
	standIn(t, "libcudnn.so.9", "fakednn_live", &live)
	const always = -1
	for _, fault := range []struct {
		call  string // with the kind of the descriptor
		times int32
		used  bool // graphs compute all the same
	}{
		{"cudnnBackendCreateDescriptor", 1, false},
		{"cudnnBackendCreateDescriptor 1", 1, false},
		{"cudnnBackendCreateDescriptor 2", always, false},
		{"cudnnBackendCreateDescriptor 3", always, false},
		{"cudnnBackendCreateDescriptor 4", always, false},
		{"cudnnBackendCreateDescriptor 5", always, false},
		{"cudnnBackendCreateDescriptor 10", 1, false},
		{"cudnnBackendCreateDescriptor 15", 1, false},
		{"cudnnBackendCreateDescriptor 16", always, false},
		{"cudnnBackendSetAttribute", 1, false},
		{"cudnnBackendSetAttribute 1", 1, false},
		{"cudnnBackendSetAttribute 4", always, false},
		{"cudnnBackendSetAttribute 5", always, false},
		{"cudnnBackendSetAttribute 10", 1, false},
		{"cudnnBackendSetAttribute 15", 1, false},
		{"cudnnBackendSetAttribute 16", always, false},
		{"cudnnBackendFinalize", 1, false},
		{"cudnnBackendFinalize 1", 1, false},
		{"cudnnBackendFinalize 4", 1, true}, // what is proposed when all else fails
		{"cudnnBackendFinalize 4", always, false},
		{"cudnnBackendFinalize 5", 2, true}, // the next proposal
		{"cudnnBackendFinalize 5", always, false},
		{"cudnnBackendFinalize 10", 1, false},
		{"cudnnBackendFinalize 15", 1, false},
		{"cudnnBackendFinalize 16", always, false},
		{"cudnnBackendGetAttribute 2", always, false},
		{"cudnnBackendGetAttribute 3", always, false},
		{"cudnnBackendGetAttribute 4", always, false},
		{"cudnnBackendGetAttribute 5", always, false}, // after a proposal that cannot be had anyway
		{"cudnnBackendExecute", always, false},
	} {
		f := newFake(1 << 24)
		f.real, f.platform = true, CUDA
		d := f.device(t, 0)
		c := convCases[1]
		c.Elem = "f16"
		inject(fault.call, 3000, fault.times)
		_ = way()
		if !convolves(t, d, c) {
			t.Errorf("%s: the library was not used", fault.call)
		}
		if got := way(); (got >= 0) != fault.used {
			t.Errorf("%s: the last graph was computed in way %d", fault.call, got)
		}
		call, _, _ := strings.Cut(fault.call, " ")
		if fault.call == "cudnnBackendGetAttribute 5" {
			call = "cudnnBackendFinalize" // the first failure is what is said
		}
		said := d.DNN().Refused["f16 convolution, forward, as a graph"]
		if fault.used != (said == "") || !fault.used && !strings.Contains(said, call+": CUDNN_STATUS_NOT_SUPPORTED (3000)") {
			t.Errorf("%s: Refused is %q", fault.call, d.DNN().Refused)
		}
		inject("", 0, 0)
		if !convolves(t, d, c) {
			t.Errorf("after %s: the library was not used", fault.call)
		}
		forgetPlans(d)
		if live() != 1 {
			t.Errorf("%s: %d objects are left, want the handle", fault.call, live())
		}
		if d.dnn.Close(libraryHost{d}) != nil {
			t.Errorf("after %s: the handle cannot be destroyed", fault.call)
		}
	}
}
