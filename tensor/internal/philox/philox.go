// Package philox computes the words of Philox4x32-10 for many counters at a time, with vector instructions where the
// processor has them. kernels.PhiloxAt is the definition.
package philox

import "github.com/gorocm/gorocm/kernels"

//go:generate go run -C ../../../internal/gen/simd ./philox -out ../../../tensor/internal/philox/gen_amd64.s -stubs ../../../tensor/internal/philox/gen_amd64.go -pkg philox

// Words sets out to the words of counters from counter on, four of each, with a third word of the counters. The length
// of out is a multiple of 4.
func Words(out []uint32, seed, counter uint64, third uint32) {
	done := wordsFast(out, seed, counter, third)
	counter += uint64(done)
	for i := 4 * done; i < len(out); i += 4 {
		*(*[4]uint32)(out[i:]) = kernels.PhiloxAt(seed, counter, third)
		counter++
	}
}
