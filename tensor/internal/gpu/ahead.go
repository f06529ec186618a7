package gpu

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// ahead compiles the kernels that programs begin with and that have no code objects in the background.
type ahead struct {
	compilations *rocm.Ahead // nil where kernels need no compiler
	expected     sync.Map    // kernels.DType to true: the types of training steps that come first
}

// start compiles them, unless GOROCM_AHEAD=0.
func (a *ahead) start(d *rocm.Device) {
	if compilesSingly(d) && os.Getenv("GOROCM_AHEAD") != "0" {
		a.compilations = rocm.CompileAhead(d, programsOf(kernels.Common()))
	}
}

// expect has the kernels of a training step compiled before others when one of them is asked for.
func (a *ahead) expect(kernel string) {
	if a.compilations == nil {
		return
	}
	for _, t := range []kernels.DType{kernels.BF16, kernels.F16, kernels.F32} {
		step := kernels.TrainingStep(t)
		if !slices.Contains(step, kernel) || slices.Contains(kernels.FirstPages, kernel) {
			continue
		}
		if _, expected := a.expected.LoadOrStore(t, true); !expected {
			a.compilations.Prefer(programsOf(slices.DeleteFunc(step, func(k string) bool { return k == kernel })))
		}
		return
	}
}

// compilesSingly reports whether a device loads or compiles kernels when they are first used, one by one: a GPU for
// which there are no code objects of families. Tests have the emulated gfx1100 do so.
var compilesSingly = func(d *rocm.Device) bool {
	arch, _, _ := strings.Cut(d.Info().Arch, ":")
	return !kernels.HasObjects(arch)
}

func programsOf(names []string) (list []rocm.Program) {
	for _, kernel := range names {
		list = append(list, programOf(kernel))
	}
	return list
}

// programOf is a program of one kernel, which compiles faster than its family, or has a code object for several GPUs.
func programOf(kernel string) rocm.Program {
	return rocm.Program{Name: kernel + ".hip", Source: func() (string, error) { return kernels.KernelSource(kernel) },
		Object: func(target string) ([]byte, bool) { return kernels.FirstObject(kernel, target) }}
}
