package rocm

import (
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// HIP loads code objects of generic targets, which have version 6 of the format, from 6.4 on. Its sources of October
// 2024, after 6.2, do not know any; the compiler of 6.4 makes them by default.
const genericMajor, genericMinor = 6, 4

// objectTargets are the targets whose code objects run on the device, the best first: its architecture, the same in any
// state of sramecc and xnack, and LLVM's generic targets.
func objectTargets(d *Device) []string {
	arch := d.info.Arch
	if d.info.Platform == CUDA {
		return []string{arch}
	}
	targets := []string{arch}
	base, features, _ := strings.Cut(arch, ":")
	for feature := range strings.SplitSeq(features, ":") {
		name := strings.TrimRight(feature, "+-")
		if feature != "" && name != "sramecc" && name != "xnack" { // such as wave64, of an emulated GPU
			return targets
		}
	}
	if base != arch {
		targets = append(targets, base)
	}
	if d.Emulated() || d.drv.Major > genericMajor || d.drv.Major == genericMajor && d.drv.Minor >= genericMinor {
		targets = append(targets, compile.GenericTargets(base)...)
	}
	return targets
}

// shippedObject returns the code object of a program that was built beforehand for the device, if there is one.
func shippedObject(d *Device, p Program) ([]byte, bool) {
	if p.Object == nil {
		return nil, false
	}
	for _, target := range objectTargets(d) {
		if image, ok := p.Object(target); ok {
			return image, true
		}
	}
	return nil, false
}

// withoutObject are the programs that have no such code object.
func withoutObject(d *Device, programs []Program) []Program {
	return slices.DeleteFunc(slices.Clone(programs), func(p Program) bool {
		_, ok := shippedObject(d, p)
		return ok
	})
}
