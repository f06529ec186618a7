package rocm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/kernels"
)

// TestHIPRTCFamilies compiles all kernels with AMD's own run-time compiler, which needs no GPU: in a process for each architecture, since hiprtc
// ends its process for some. Whole files are fewer compilations than families.
func TestHIPRTCFamilies(t *testing.T) {
	archs := os.Getenv("GOROCM_TEST_HIPRTC")
	if archs == "" {
		t.Skip("takes minutes: set GOROCM_TEST_HIPRTC to architectures, as in gfx906,gfx90a,gfx1030")
	}
	if _, err := loadHIPRTC(); err != nil {
		t.Skip(err)
	}
	for _, arch := range strings.Split(archs, ",") {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			t.Log(child(t, "TestHIPRTCFamiliesChild", "GOROCM_TEST_ARCH="+arch))
		})
	}
}

func TestHIPRTCFamiliesChild(t *testing.T) {
	inChild(t)
	arch := os.Getenv("GOROCM_TEST_ARCH")
	r, err := loadHIPRTC()
	if err != nil {
		t.Fatal(err)
	}
	options, err := r.options(arch)
	if err != nil {
		t.Fatal(err)
	}
	began, count := time.Now(), 0
	paths, err := filepath.Glob("../kernels/*.hip")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, path := range paths {
		file := strings.TrimSuffix(filepath.Base(path), ".hip")
		source, err := kernels.Source(file)
		if err != nil {
			t.Fatal(err)
		}
		image, err := r.compile(file+".hip", source, options)
		if err != nil {
			t.Errorf("%s: %.2000v", file, err)
			continue
		}
		for _, symbol := range kernels.Symbols(file) {
			if !strings.Contains(string(image), symbol+".kd") {
				t.Errorf("%s has no %s", file, symbol)
			}
			count++
		}
	}
	t.Logf("%d kernels for %s by hiprtc %d.%d in %.0f s", count, arch, r.major, r.minor, time.Since(began).Seconds())
}
