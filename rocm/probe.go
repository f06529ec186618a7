package rocm

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
	"github.com/gorocm/gorocm/rocm/internal/group"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// Library is what Probe found out about one library or tool.
type Library struct {
	Name    string   // HIP runtime
	Purpose string   // what it is needed for
	Path    string   // where it was found, empty if it was not
	Version string   // what it says about itself
	Tried   []string // the names tried, up to the one that loaded
	Problem string   // what the loader said, empty if all is well
}

// Probe loads each library and says what came of it, for a report on the machine. rocSOLVER, a large file, it finds
// without loading it.
func Probe() []Library {
	var list []Library
	add := func(name, purpose string, lib *driver.Library, version string, err error) {
		l := Library{Name: name, Purpose: purpose, Version: version}
		if lib != nil {
			l.Path, l.Tried = lib.Path, lib.Tried
		}
		if err != nil {
			l.Problem = err.Error()
			var e *driver.Error
			if errors.As(err, &e) {
				l.Tried = e.Tried
			}
		}
		list = append(list, l)
	}
	driverEntry := func(name, purpose string, drv *driver.Table, err error) {
		if err != nil {
			add(name, purpose, nil, "", err)
			return
		}
		n, err := drv.CountDevices()
		add(name, purpose, drv.Library, fmt.Sprintf("%s, %d devices", drv.Runtime, n), err)
	}
	rtcEntry := func(name, purpose string, r *compile.RTC, err error) {
		if err != nil {
			add(name, purpose, nil, "", err)
			return
		}
		add(name, purpose, r.Library, fmt.Sprintf("%d.%d", r.Major, r.Minor), nil)
	}
	hip, err := driver.LoadHIP()
	driverEntry("HIP runtime", "AMD GPUs", hip, err)
	hiprtc, err := compile.LoadHIPRTC()
	rtcEntry("hiprtc", "compiles kernels for AMD GPUs", hiprtc, err)
	cuda, err := driver.LoadCUDA()
	driverEntry("CUDA driver", "NVIDIA GPUs", cuda, err)
	nvrtc, err := compile.LoadNVRTC()
	rtcEntry("NVRTC", "compiles kernels for NVIDIA GPUs", nvrtc, err)
	for _, p := range append(mathlib.Probe(), group.Probe()...) {
		if p.Err != nil {
			add(p.Kind.Name, p.Kind.Purpose, nil, "", p.Err)
		} else {
			add(p.Kind.Name, p.Kind.Purpose, p.Library.File, stateOf(p.Library), nil)
		}
	}
	if c, err := compile.FindClang(); err != nil {
		add("clang", "compiles your own kernels for the emulated GPU", nil, "", err)
	} else {
		add("clang", "compiles your own kernels for the emulated GPU", &driver.Library{Path: c.Path}, c.Text, nil)
	}
	name, runtime := driver.EmulatedName()
	return append(list, Library{Name: name, Purpose: "stands in for an AMD GPU", Path: "built in", Version: runtime})
}

// stateOf is the version of a library, and what it lacks on this machine.
func stateOf(l *driver.VendorLibrary) string {
	text := l.Version
	if l.Lacks != "" {
		text += ", without " + l.Lacks
	}
	for _, i := range Devices() {
		if driver.Platform(i.Platform) != l.Kind.Platform || l.Kind.Supports == nil {
			continue
		}
		var e *driver.Error
		if errors.As(l.Kind.Supports(l.File, i.Arch), &e) {
			text += fmt.Sprintf(", not for %s: %s", i.Device(), e.Text)
		}
	}
	return text
}
