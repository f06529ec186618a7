package devicetest

import (
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// OnGPUs runs f as a subtest for each kind of GPU, with its devices of packages tensor and rocm. A kind that the
// machine has neither as hardware nor emulated is skipped.
func OnGPUs(t *testing.T, f func(t *testing.T, dev *tensor.Device, d *rocm.Device)) {
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil {
				t.Skip(err)
			}
			d, err := rocm.Open(dev.Location())
			if err != nil {
				t.Fatal(err)
			}
			f(t, dev, d)
		})
	}
}
