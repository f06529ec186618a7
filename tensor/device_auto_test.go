package tensor

import (
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func TestAutoSpec(t *testing.T) {
	emulated, amd := rocm.Info{Platform: rocm.Emulated}, rocm.Info{Platform: rocm.HIP, Index: 0}
	nvidia := rocm.Info{Platform: rocm.CUDA, Index: 1}
	for _, c := range []struct {
		list []rocm.Info
		want string
	}{
		{nil, "cpu"},
		{[]rocm.Info{emulated}, "cpu"},
		{[]rocm.Info{emulated, nvidia}, "cuda:1"},
		{[]rocm.Info{amd, nvidia}, "rocm:0"},
	} {
		if got := backend.AutoSpec(c.list); got != c.want {
			t.Errorf("%v: got %s, want %s", c.list, got, c.want)
		}
	}
	dev, err := NewDevice("auto")
	if err != nil || dev.Emulated() {
		t.Errorf("auto is %v, %v", dev, err)
	}
}
