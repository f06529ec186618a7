package deps

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestThoroughPackages: .ci/run has thorough tests of each package that samples without them, and of no other.
func TestThoroughPackages(t *testing.T) {
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(script)) {
		if _, list, ok := strings.Cut(line, "thorough+=("); ok {
			list, _, _ = strings.Cut(list, ")")
			listed = append(listed, strings.Fields(list)...)
		}
	}
	var sampling []string
	for _, file := range allGoFiles(t) {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		folder := "./" + path.Dir(file)
		if folder != "./internal/thorough" && folder != "./internal/deps" && !slices.Contains(sampling, folder) &&
			(bytes.Contains(text, []byte("thorough.On()")) || bytes.Contains(text, []byte("thorough.Sample("))) {
			sampling = append(sampling, folder)
		}
	}
	if len(sampling) < 10 {
		t.Fatalf("only %d packages sample", len(sampling))
	}
	for _, p := range sampling {
		if !slices.Contains(listed, p) {
			t.Errorf("%s samples what it tries: name it in the step of .ci/run with GOROCM_TEST=thorough", p)
		}
	}
	for _, p := range listed {
		if !slices.Contains(sampling, p) {
			t.Errorf("%s tries everything without GOROCM_TEST=thorough: .ci/run need not name it", p)
		}
	}
}
