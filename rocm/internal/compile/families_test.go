package compile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// TestHIPRTCFamilies compiles kernels with AMD's own run-time compiler, which needs no GPU: all of them, or with
// GOROCM_TEST_TURN a part. Each file and architecture has a process, since hiprtc compiles one source at a time, and
// ends its process for some faults.
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
	for _, path := range files {
		file := strings.TrimSuffix(filepath.Base(path), ".hip")
		for j, arch := range strings.Split(archs, ",") {
			var families []string
			for _, family := range kernels.FamiliesOf(file) {
				if thorough.Turn(slices.Index(kernels.Families(), family)+2*j, 18) {
					families = append(families, family)
				}
			}
			if len(families) == 0 {
				continue
			}
			t.Run(file+"/"+arch, func(t *testing.T) {
				t.Parallel()
				t.Log(childtest.Run(t, "TestHIPRTCFamiliesChild", "GOROCM_TEST_ARCH="+arch,
					"GOROCM_TEST_FAMILIES="+strings.Join(families, ",")))
			})
		}
	}
}

func TestHIPRTCFamiliesChild(t *testing.T) {
	childtest.Only(t)
	arch, families := os.Getenv("GOROCM_TEST_ARCH"), strings.Split(os.Getenv("GOROCM_TEST_FAMILIES"), ",")
	r, err := LoadHIPRTC()
	if err != nil {
		t.Fatal(err)
	}
	options, err := r.Options(arch)
	if err != nil {
		t.Fatal(err)
	}
	began, count := time.Now(), 0
	for _, family := range families {
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
	if count == 0 {
		t.Errorf("%v have no kernels", families)
	}
	t.Logf("%d kernels for %s by hiprtc %d.%d in %.1f s", count, arch, r.Major, r.Minor, time.Since(began).Seconds())
}
