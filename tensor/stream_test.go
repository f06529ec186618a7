package tensor

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestStreams(t *testing.T) {
	if _, err := CPU().NewStream(); !errors.Is(err, ErrDevice) ||
		!strings.Contains(err.Error(), "the CPU has no streams") {
		t.Errorf("CPU: %v", err)
	}
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Skipf("no device: %v", err)
	}
	stream, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stream.Location(), "rocm:0 (stream ") || !stream.IsROCm() {
		t.Errorf("the stream is %s", stream.Location())
	}
	x := dev.Arange(F32, 100)
	if _, err := Try(func() *Tensor { return x.ToDevice(stream).Add(x) }); !errors.Is(err, ErrDevice) ||
		!strings.Contains(fmt.Sprintf("%+v", err), "b.ToDevice(a.Device())") {
		t.Errorf("tensors of two streams: %+v", err)
	}
	var wg sync.WaitGroup
	for i, d := range []*Device{dev, stream, dev, stream} {
		wg.Go(func() {
			y := x.ToDevice(d)
			for range 5 {
				y = y.Mul(2).Sub(x.ToDevice(d))
			}
			if got := y.ToDevice(stream).Sub(x.ToDevice(stream)).Abs().Sum().Float64s()[0]; got != 0 {
				t.Errorf("goroutine %d: off by %v", i, got)
			}
		})
	}
	wg.Wait()
}
