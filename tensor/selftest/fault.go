package selftest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

const (
	faulting = "fault: a kernel stores to an address that is no memory"
	working  = "fault: another process uses the GPU after it"
)

// noMemory is an address that no allocation has.
const noMemory = 0x10000

// checkFault does what no program may: on most GPUs, the driver ends the process.
func checkFault(t devicetest.T, d *rocm.Device, tell func(event)) {
	noticed, err := storeNowhere(d)
	if err != nil {
		t.Fatal(err)
	}
	if noticed == nil {
		t.Fatal("no call returned an error: a program would not notice")
	}
	tell(event{Fact: &Fact{"a fault",
		"the next call returns an error: " + beginning(noticed.Error()) + "; " + afterFault(d)}})
}

// storeNowhere launches a kernel that stores where there is no memory, and returns the error by which the driver says
// so.
func storeNowhere(d *rocm.Device) (noticed, err error) {
	const symbol = "fill_b32"
	family, _ := kernels.FamilyOf(symbol)
	m, err := d.Load(rocm.Program{Name: family, Source: func() (string, error) { return kernels.Source(family) },
		Object: func(arch string) ([]byte, bool) { return kernels.Object(family, arch) }})
	if err != nil {
		return nil, err
	}
	fill, err := m.Function(symbol)
	if err != nil {
		return nil, err
	}
	layout := kernels.Layout1{Rank: 1, Flags: kernels.FlagContiguous}
	layout.Dims[0] = 256
	args := rocm.NewArgs().U64(noMemory).Struct(&layout).U64(256).U64(7)
	return errors.Join(d.Launch(fill, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, args), d.Synchronize()), nil
}

// afterFault says whether the process can go on with the GPU.
func afterFault(d *rocm.Device) string {
	name := d.Info().Device()
	lost := "the process keeps the GPU"
	if rocm.Lost(d) != nil {
		lost = "the GPU is lost to the process"
	}
	again, err := rocm.Open(name)
	if err != nil {
		return lost + ", which cannot open it again: " + beginning(err.Error())
	}
	if c := runCheck("memory", func(t devicetest.T) { checkMemory(t, again) }); c.State != Passed {
		return lost + ", which then fails: " + beginning(c.Findings[0])
	}
	return lost + ", and it works when it is opened again"
}

// beginning is the first line of a text, of bounded length.
func beginning(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// checkAfter does a little of everything on a GPU.
func checkAfter(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	checkMemory(t, d)
	if got := dev.Ones(tensor.F32, 1000).Sum().Float64s()[0]; got != 1000 {
		t.Errorf("the sum of 1000 ones is %v", got)
	}
}

// fault has a process make a fault, and another one use the GPU after it.
func (o *Options) fault(ctx context.Context, d *Device) {
	var done []string
	running, words := o.process(ctx, d, Job{Device: d.Name, Part: PartFault, Within: time.Minute}, &done)
	switch {
	case running == faulting: // the driver has ended it: that is how HIP reports a fault
		d.Checks = append(d.Checks, Check{Name: faulting, State: Passed, Cases: 1, Findings: []string{words}})
		d.Facts = append(d.Facts, Fact{"a fault", words})
	case words != "":
		d.Checks = append(d.Checks, Check{Name: faulting, State: Died, Cases: 1, Failures: 1,
			Findings: []string{words}})
	}
	after := Job{Device: d.Name, Part: PartAfter, Within: time.Minute}
	if running, words = o.process(ctx, d, after, &done); words != "" {
		d.Checks = append(d.Checks, Check{Name: working, State: Died, Cases: 1, Failures: 1,
			Findings: []string{fmt.Sprintf("in %q: %s", running, words)}})
	}
}
