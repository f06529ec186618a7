package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor/selftest"
)

// TestSelftest runs the command without time for checks: the processes, the report and the files are what is tested
// here.
func TestSelftest(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "reports", "mine.json")
	r := gorocm(t, home, "", "selftest", "--time", "1ns", "--json", file, "cpu")
	if r.status != 0 || !strings.HasPrefix(r.stdout, "gorocm "+version+" selftest, ") ||
		!strings.Contains(r.stdout, "There was no time for all of it") ||
		!strings.Contains(r.stdout, "\nTo paste:\ngorocm "+version+" | cpu | ") {
		t.Errorf("%+v", r)
	}
	report := readReport(t, file)
	if report.Version != version || len(report.Devices) != 1 || report.Devices[0].Name != "cpu" ||
		len(report.Devices[0].Checks) < 25 {
		t.Errorf("%+v", report)
	}
	if r := gorocm(t, home, "", "selftest", "--time", "1ns", "--json", "", "nonsense:7"); r.status != failed ||
		!strings.Contains(r.stdout, "NOT USABLE: ") {
		t.Errorf("a device that there is not: %+v", r)
	}
}

// TestSelftestParts runs the parts of the emulated GPUs' self-test that have processes of their own, but hardly a check.
func TestSelftestParts(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "report.json")
	t.Setenv("GOROCM_EMULATE", "1")
	r := gorocm(t, home, "", "selftest", "--time", "1ns", "--json", file, "rocm:0")
	if r.status != 0 {
		t.Fatalf("%+v", r)
	}
	report := readReport(t, file)
	d := report.Devices[0]
	states := map[string]string{}
	for _, c := range d.Checks {
		states[c.Name] = c.State
	}
	for _, name := range []string{"fault: a kernel stores to an address that is no memory",
		"fault: another process uses the GPU after it"} {
		if states[name] != selftest.Passed {
			t.Errorf("%s: %q", name, states[name])
		}
	}
	if len(d.Facts) == 0 || !strings.Contains(r.stdout, "a fault: the next call returns an error: ") {
		t.Errorf("facts %+v of\n%s", d.Facts, r.stdout)
	}
}

func readReport(t *testing.T, file string) (report selftest.Report) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report
}
