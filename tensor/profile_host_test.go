package tensor_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/tensor"
)

// TestHostWork: what operations of the host say of their memory and arithmetic in a profile.
func TestHostWork(t *testing.T) {
	cpu := tensor.CPU()
	x, y := cpu.Ones(tensor.F32, 40, 30), cpu.Ones(tensor.F32, 30, 50)
	row, large := cpu.Ones(tensor.F32, 1, 30), cpu.Ones(tensor.F32, 1<<20)
	image, weight := cpu.Ones(tensor.F32, 2, 3, 10, 10), cpu.Ones(tensor.F32, 8, 3, 3, 3)
	ids, mask := tensor.Of(3, 1, 1).ToDType(tensor.I64), x.Gt(0)
	for _, test := range []struct {
		name string
		run  func() *tensor.Tensor
		want timeline.Work
	}{
		{"matmul_f32", func() *tensor.Tensor { return x.MatMul(y) },
			timeline.Work{Bytes: 4 * (40*30 + 30*50 + 40*50), Flops: 2 * 40 * 30 * 50}},
		{"conv2d_f32", func() *tensor.Tensor { return image.Conv2d(weight, 0, 1, 1, 1) },
			timeline.Work{Bytes: 4 * (2*3*10*10 + 8*3*3*3 + 2*8*8*8), Flops: 2 * 2 * 8 * 8 * 8 * 27}},
		{"add_f32", func() *tensor.Tensor { return x.Add(row) }, timeline.Work{Bytes: 4 * (2*40*30 + 30)}},
		{"gt_f32", func() *tensor.Tensor { return x.Gt(x) }, timeline.Work{Bytes: 9 * 40 * 30}},
		{"sum_f32", func() *tensor.Tensor { return x.Sum(1) }, timeline.Work{Bytes: 4 * (40*30 + 40)}},
		{"cast_f32", func() *tensor.Tensor { return x.ToDType(tensor.F64) }, timeline.Work{Bytes: 12 * 40 * 30}},
		{"copy_f32", func() *tensor.Tensor { return x.T().Contiguous() }, timeline.Work{Bytes: 8 * 40 * 30}},
		{"index_select_f32", func() *tensor.Tensor { return x.IndexSelect(ids, 0) }, timeline.Work{Bytes: 8*3*30 + 8*3}},
		{"masked_u8", func() *tensor.Tensor { return x.MaskedSelect(mask) }, timeline.Work{}},
		{"fused chain", func() *tensor.Tensor { return large.Mul(large).Exp().Sub(2) },
			timeline.Work{Steps: 3, Bytes: 8<<20 + 4}},
		{"fused chain", func() *tensor.Tensor { return large.Reshape(1<<10, 1<<10).Sqr().Exp().Sum(1) },
			timeline.Work{Steps: 2, Bytes: 4<<20 + 4<<10}},
	} {
		timeline.Start()
		test.run()
		cpu.Synchronize()
		spans, _ := timeline.Stop()
		found := false
		for _, s := range spans {
			found = found || s.Name == test.name && s.Work == test.want
		}
		if !found {
			t.Errorf("%s %+v is not in %+v", test.name, test.want, spans)
		}
	}
}
