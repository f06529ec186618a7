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
	Info  *rocm.Info `json:"info,omitempty"`
	BLAS  string     `json:"blas,omitempty"`
	DNN   string     `json:"dnn,omitempty"`
	Fail  string     `json:"fail,omitempty"` // the device cannot be opened
	End   bool       `json:"end,omitempty"`
}

const measuring = "speeds" // the name of the measurements among the checks

// Work checks one device in this process and writes what it finds to w, a line of JSON for each finding. It leaves the
// checks out whose names are in skip, and begins none after the time given.
func Work(w io.Writer, device string, skip []string, within time.Duration) error {
	out := json.NewEncoder(w)
	var failed error // of writing: the parent is gone
	tell := func(e event) {
		if err := out.Encode(e); failed == nil {
			failed = err
		}
	}
	start := time.Now()
	dev, err := tensor.NewDevice(device)
	if err != nil {
		tell(event{Fail: err.Error()})
		return failed
	}
	checks, err := checksOf(dev, tell)
	if err != nil {
		tell(event{Fail: err.Error()})
		return failed
	}
	for _, c := range checks {
		switch {
		case slices.Contains(skip, c.Name):
			continue
		case time.Since(start) > within:
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

// checksOf are the checks of a device, the measurements after those of the driver.
func checksOf(dev *tensor.Device, tell func(event)) ([]devicetest.Check, error) {
	var checks []devicetest.Check
	if dev.IsCPU() {
		_, words, _ := strings.Cut(dev.Info(), "products with ")
		tell(event{BLAS: words})
	} else {
		d, err := rocm.Open(dev.Location())
		if err != nil {
			return nil, err
		}
		info := d.Info()
		tell(event{Info: &info})
		own := bindingChecks(d, dev)
		last := &own[len(own)-1] // the libraries are known then
		run := last.Run
		last.Run = func(t devicetest.T) {
			defer func() { tell(event{BLAS: productsText(d), DNN: libraryText(d.DNN())}) }()
			run(t)
		}
		for _, c := range own {
			checks = append(checks, devicetest.Check{Name: "driver: " + c.Name, Run: c.Run})
		}
	}
	checks = append(checks, devicetest.Check{Name: measuring, Run: func(t devicetest.T) {
		if err := measureSpeeds(dev, func(s Speed) { tell(event{Speed: &s}) }); err != nil {
			t.Error(err)
		}
	}})
	for _, c := range devicetest.Checks(dev) {
		checks = append(checks, devicetest.Check{Name: "operations: " + c.Name, Run: c.Run})
	}
	return checks, nil
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
