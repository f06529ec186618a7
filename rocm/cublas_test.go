package rocm

import (
	"testing"
)

// TestCUDAProducts multiplies small whole numbers with cuBLAS, in every form.
func TestCUDAProducts(t *testing.T) {
	d := cudaDevice(t)
	info := d.BLAS()
	if info.Name == "" {
		t.Skipf("no cuBLAS: %s", info.Problem)
	}
	t.Logf("%s %s, %s", info.Name, info.Version, info.Path)
	for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
		for _, c := range gemmCases {
			if !c.product(t, d, elem) {
				t.Errorf("%s %+v: the library was not used: %+v", elem, c, d.BLAS())
			}
		}
	}
	if info := d.BLAS(); len(info.Refused) != 0 || info.Version == "" {
		t.Errorf("BLAS() = %+v", info)
	}
}
