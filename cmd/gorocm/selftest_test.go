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
	output := filepath.Join(home, "reports", "mine")
	r := gorocm(t, home, "", "selftest", "--time", "1ns", "--output", output, "cpu")
	if r.status != 0 || !strings.HasPrefix(r.stdout, "gorocm "+version+" selftest, ") ||
		!strings.Contains(r.stdout, "There was no time for all of it") {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(output + ".txt")
	if err != nil || !strings.HasPrefix(r.stdout, string(text)) {
		t.Errorf("%v: the file has\n%s", err, text)
	}
	data, err := os.ReadFile(output + ".json")
	var report selftest.Report
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil || report.Version != version || len(report.Devices) != 1 || report.Devices[0].Name != "cpu" ||
		len(report.Devices[0].Checks) < 25 {
		t.Errorf("%v: %+v", err, report)
	}
	if r := gorocm(t, home, "", "selftest", "--time", "1ns", "--output", "", "nonsense:7"); r.status != failed ||
		!strings.Contains(r.stdout, "NOT USABLE: ") {
		t.Errorf("a device that there is not: %+v", r)
	}
}
