package selftest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// generations are the names of AMD's architectures, by the first characters of a target's name.
var generations = []struct{ prefix, name string }{
	{"gfx125", "CDNA 5"}, {"gfx12", "RDNA 4"}, {"gfx115", "RDNA 3.5"}, {"gfx11", "RDNA 3"}, {"gfx103", "RDNA 2"},
	{"gfx10", "RDNA"}, {"gfx950", "CDNA 4"}, {"gfx942", "CDNA 3"}, {"gfx90a", "CDNA 2"}, {"gfx908", "CDNA"},
	{"gfx906", "GCN 5.1"}, {"gfx90", "GCN 5"}, {"gfx8", "GCN 3"},
}

// generation is the name of an architecture, empty where it is not AMD's or not known.
func generation(arch string) string {
	for _, g := range generations {
		if strings.HasPrefix(arch, g.prefix) {
			return g.name
		}
	}
	return ""
}

// tellFacts tells what the GPU is, what its sensors say, and how long a first use waits for the compiler.
func tellFacts(t devicetest.T, d *rocm.Device, tell func(event)) {
	i := d.Info()
	units := fmt.Sprintf("%d compute units", i.ComputeUnits)
	if i.Multiprocessors != i.ComputeUnits {
		units += fmt.Sprintf(" in %d work group processors", i.Multiprocessors)
	}
	if i.Integrated {
		units += ", memory shared with the host"
	}
	tell(event{Fact: &Fact{"architecture", strings.TrimPrefix(fmt.Sprintf("%s, %s, waves of %d, %s",
		generation(i.Arch), i.Arch, i.Wave, units), ", ")}})
	if s, err := rocm.ReadSensors(i); err != nil {
		tell(event{Fact: &Fact{"sensors", beginning(strings.TrimPrefix(err.Error(), "rocm: "))}})
	} else {
		tell(event{Fact: &Fact{"sensors", s.String()}})
	}
	seconds, err := firstCompile(d)
	switch {
	case d.Emulated() && errors.Is(err, rocm.ErrNoLibrary):
		tell(event{Fact: &Fact{"first compilation", "not measured: no compiler, and the emulated GPU's kernels are built in"}})
	case err != nil:
		t.Error(err)
	default:
		tell(event{Speed: &Speed{Name: "first compilation of add_f32", Value: seconds, Unit: "s"}})
	}
}

// firstCompile is the time that the compiler takes for a kernel that no cache has.
func firstCompile(d *rocm.Device) (seconds float64, err error) {
	source, err := kernels.KernelSource("add_f32")
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp("", "gorocm-selftest-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	const name = "GOROCM_CACHE"
	before, had := os.LookupEnv(name)
	if err := os.Setenv(name, folder); err != nil {
		return 0, err
	}
	defer func() {
		if had {
			os.Setenv(name, before)
		} else {
			os.Unsetenv(name)
		}
	}()
	start := time.Now()
	_, err = d.Compile("add_f32.hip", source)
	return time.Since(start).Seconds(), err
}
