package mathlib

import "github.com/gorocm/gorocm/rocm/internal/driver"

// Probe loads each library. For each purpose AMD's comes before NVIDIA's.
func Probe() []driver.Probed {
	var list []driver.Probed
	for _, kind := range []*blasKind{rocblas, cublas} {
		p := driver.Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	for _, kind := range []*ltKind{hipblaslt, cublaslt} {
		p := driver.Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	for _, kind := range []*dnnKind{miopen, cudnn} {
		p := driver.Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	return list
}
