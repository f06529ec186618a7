package selftest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// event is a line that a working process writes: one of its fields is set.
type event struct {
	Begin string     `json:"begin,omitempty"` // a check begins
	Check *Check     `json:"check,omitempty"` // it ended
	Speed *Speed     `json:"speed,omitempty"`
	Fact  *Fact      `json:"fact,omitempty"`
	Info  *rocm.Info `json:"info,omitempty"`
	BLAS  string     `json:"blas,omitempty"`
	DNN   string     `json:"dnn,omitempty"`
	Fail  string     `json:"fail,omitempty"` // the device cannot be opened
	End   bool       `json:"end,omitempty"`

	Library bool `json:"library,omitempty"` // the speed is one of what a library does
}

const measuring = "speeds" // the name of the measurements among the checks

// Work does a job in this process and writes what it finds to w, a line of JSON for each finding.
func Work(w io.Writer, job Job) error {
	out := json.NewEncoder(w)
	var failed error // of writing: the parent is gone
	tell := func(e event) {
		if err := out.Encode(e); failed == nil {
			failed = err
		}
	}
	start := time.Now()
	dev, err := tensor.NewDevice(job.Device)
	if err != nil {
		tell(event{Fail: err.Error()})
		return failed
	}
	checks, err := checksOf(dev, job.Part, tell)
	if err != nil {
		tell(event{Fail: err.Error()})
		return failed
	}
	for _, c := range checks {
		switch {
		case slices.Contains(job.Skip, c.Name):
			continue
		case time.Since(start) > job.Within:
			tell(event{Check: &Check{Name: c.Name, State: NotRun}})
			continue
		}
		tell(event{Begin: c.Name})
		done := runCheck(c.Name, c.Run)
		tell(event{Check: &done})
	}
	tell(event{End: true})
	return failed
}

// checksOf are the checks of a part: of all of it, the measurements come after the driver's checks.
func checksOf(dev *tensor.Device, part string, tell func(event)) ([]devicetest.Check, error) {
	measure := func(how speeds) func(devicetest.T) {
		return func(t devicetest.T) {
			how.dev, how.tell = dev, tell
			if err := how.run(); err != nil {
				t.Error(err)
			}
		}
	}
	all := []devicetest.Check{{Name: measuring, Run: measure(speeds{})}}
	if dev.IsCPU() {
		_, words, _ := strings.Cut(dev.Info(), "products with ")
		tell(event{BLAS: words})
	} else {
		d, err := rocm.Open(dev.Location())
		if err != nil {
			return nil, err
		}
		switch part {
		case PartOwn:
			return []devicetest.Check{{Name: "speeds of gorocm's kernels", Run: measure(speeds{ownOnly: true})}}, nil
		case PartFault:
			return []devicetest.Check{{Name: faulting, Run: func(t devicetest.T) { checkFault(t, d, tell) }}}, nil
		case PartAfter:
			return []devicetest.Check{{Name: working, Run: func(t devicetest.T) { checkAfter(t, d, dev) }}}, nil
		}
		info := d.Info()
		tell(event{Info: &info})
		all = []devicetest.Check{{Name: measuring, Run: measure(speeds{gpu: d})}}
		all = append(driverChecks(d, dev, tell), all...)
	}
	for _, c := range devicetest.Checks(dev) {
		all = append(all, devicetest.Check{Name: "operations: " + c.Name, Run: c.Run})
	}
	return all, nil
}

// driverChecks are those of package rocm, and facts about the GPU.
func driverChecks(d *rocm.Device, dev *tensor.Device, tell func(event)) []devicetest.Check {
	checks := bindingChecks(d, dev)
	last := &checks[len(checks)-1] // the libraries are known then
	run := last.Run
	last.Run = func(t devicetest.T) {
		defer func() { tell(event{BLAS: productsText(d), DNN: libraryText(d.DNN())}) }()
		run(t)
	}
	checks = append(checks,
		devicetest.Check{Name: "matrix cores", Run: func(t devicetest.T) { checkMatrix(t, d, tell) }},
		devicetest.Check{Name: "facts", Run: func(t devicetest.T) { tellFacts(t, d, tell) }})
	for i := range checks {
		checks[i].Name = "driver: " + checks[i].Name
	}
	return checks
}

// productsText says in a line what multiplies matrices, dense and sparse, and what transforms.
func productsText(d *rocm.Device) string {
	text := libraryText(d.BLAS())
	if lt := d.BLASLt(); lt.Name != "" {
		text += "; those of f8e4m3 by " + libraryText(lt)
	}
	return text + "; Fourier transforms by " + libraryText(rocm.FFTLibrary(d)) +
		"; products with sparse matrices by " + libraryText(rocm.SparseLibrary(d))
}

// libraryText says in a line what does a part of the work.
func libraryText(i rocm.LibraryInfo) string {
	if i.Name == "" {
		problem, _, _ := strings.Cut(i.Problem, "\n")
		return "gorocm's kernels (" + problem + ")"
	}
	text := fmt.Sprintf("%s %s, %s", i.Name, i.Version, i.Path)
	var refused []string
	for kind := range i.Refused {
		refused = append(refused, kind)
	}
	if slices.Sort(refused); len(refused) > 0 {
		text += "; not for " + strings.Join(refused, ", ")
	}
	return text
}
