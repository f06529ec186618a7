// Package selftest checks every device of a machine and times it, and reports what came of it, as text for people and
// as JSON: what someone with a GPU that gorocm's authors do not have can send them.
//
// A driver can end or hang the process that uses it. So each device is checked by a process of its own (Work), which
// tells what it does as it goes along; Run starts these processes, names the check in which one died, and goes on with
// those after it. A further process of each GPU makes a fault on purpose, and one measures gorocm's kernels where
// libraries have worked.
package selftest

import (
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// Report is the result of a self-test: facts about the machine, and the outcome of each check.
type Report struct {
	Version     string            `json:"gorocm"`
	Time        time.Time         `json:"time"`
	Seconds     float64           `json:"seconds"`
	Machine     Machine           `json:"machine"`
	Environment map[string]string `json:"environment"` // variables that change what gorocm or ROCm do
	Libraries   []Library         `json:"libraries"`
	Devices     []*Device         `json:"devices"`
}

// Machine describes the computer. It contains no user names, host names or home-directory paths.
type Machine struct {
	System string `json:"system"` // Debian GNU/Linux 13, linux 6.12.1, amd64
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`  // that gorocm may use
	Memory int64  `json:"memory"` // in bytes, 0 if it is not known
	ROCm   string `json:"rocm"`   // version of the installation, empty if there is none
	AMDGPU string `json:"amdgpu"` // the kernel driver: its version, "loaded", or empty
	NVIDIA string `json:"nvidia"` // the same of NVIDIA's
	Go     string `json:"go"`
}

// Library is a library or program that gorocm looked for.
type Library struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Device is the part of a report about one device.
type Device struct {
	Name    string    `json:"name"`           // rocm:0, cuda:0, cpu
	Info    rocm.Info `json:"info"`           // empty for the CPU
	BLAS    string    `json:"blas"`           // what multiplies matrices
	DNN     string    `json:"dnn"`            // what convolves; empty on the host
	Card    *Card     `json:"card,omitempty"` // the data sheet, if gorocm has it
	Facts   []Fact    `json:"facts,omitempty"`
	Checks  []Check   `json:"checks"`
	Speeds  []Speed   `json:"speeds"`
	Problem string    `json:"problem,omitempty"` // why it could not be opened
	Seconds float64   `json:"seconds"`
}

// Fact is something that was found out about a device.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// The states of a Check.
const (
	Passed  = "passed"
	Failed  = "failed"
	Skipped = "skipped" // it does not apply, for the reason in Findings
	Died    = "died"    // the process ended or hung in it; Findings has its last words
	NotRun  = "not run" // time was over
)

// Check is a group of related cases.
type Check struct {
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Cases    int      `json:"cases"`              // that were run
	Failures int      `json:"failures,omitempty"` // of them
	Findings []string `json:"findings,omitempty"` // the first failures
	Seconds  float64  `json:"seconds"`
}

// Speed is a measurement: the best of several.
type Speed struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`         // GB/s, GFLOP/s, µs or s
	Of    string  `json:"of,omitempty"` // the rate of data sheets that it is a share of
	// the same by gorocm's own kernels, in a process without libraries; 0 where Value is theirs
	Own float64 `json:"own,omitempty"`
	// the data sheet's rate, and the shares of it that are expected; 0 where there is no data sheet
	Peak float64 `json:"peak,omitempty"`
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`

	library bool // a library may have done it
}

// OK reports whether every check of every device passed or did not apply.
func (r *Report) OK() bool {
	for _, d := range r.Devices {
		if d.Problem != "" {
			return false
		}
		for _, c := range d.Checks {
			if c.State == Failed || c.State == Died {
				return false
			}
		}
	}
	return true
}
