package compile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// TestHIPRTCFamilies compiles all kernels with AMD's own run-time compiler, which needs no GPU. Each file has a process, since hiprtc compiles one
// source at a time, and ends its process for some faults. Files with most kernels, which take longest, are first.
func TestHIPRTCFamilies(t *testing.T) {
	archs := os.Getenv("GOROCM_TEST_HIPRTC")
	if archs == "" {
		t.Skip("takes minutes: set GOROCM_TEST_HIPRTC to architectures, as in gfx906,gfx90a,gfx1030")
	}
	if _, err := LoadHIPRTC(); err != nil {
		t.Skip(err)
	}
	files, err := filepath.Glob("../../../kernels/*.hip")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for i, path := range files {
		files[i] = strings.TrimSuffix(filepath.Base(path), ".hip")
	}
	slices.SortFunc(files, func(a, b string) int { return len(kernels.Symbols(b)) - len(kernels.Symbols(a)) })
	for _, file := range files {
		for arch := range strings.SplitSeq(archs, ",") {
			t.Run(file+"/"+arch, func(t *testing.T) {
				t.Parallel()
				t.Log(childtest.Run(t, "TestHIPRTCFamiliesChild", "GOROCM_TEST_ARCH="+arch, "GOROCM_TEST_FILE="+file))
			})
		}
	}
}

func TestHIPRTCFamiliesChild(t *testing.T) {
	childtest.Only(t)
	arch, file := os.Getenv("GOROCM_TEST_ARCH"), os.Getenv("GOROCM_TEST_FILE")
	r, err := LoadHIPRTC()
	if err != nil {
		t.Fatal(err)
	}
	options, err := r.Options(arch)
	if err != nil {
		t.Fatal(err)
	}
	began, count := time.Now(), 0
	for _, family := range kernels.Families() {
		if family != file && !strings.HasPrefix(family, file+"_") {
			continue
		}
		source, err := kernels.Source(family)
		if err != nil {
			t.Fatal(err)
		}
		image, err := r.Compile(family+".hip", source, options)
		if err != nil {
			t.Errorf("%s: %.2000v", family, err)
			continue
		}
		for _, symbol := range kernels.Symbols(family) {
			if !strings.Contains(string(image), symbol+".kd") {
				t.Errorf("%s has no %s", family, symbol)
			}
			count++
		}
	}
	if want := len(kernels.Symbols(file)); count != want {
		t.Errorf("%d kernels were compiled, and %s has %d", count, file, want)
	}
	t.Logf("%d kernels for %s by hiprtc %d.%d in %.1f s", count, arch, r.Major, r.Minor, time.Since(began).Seconds())
}
