package mathlib

import "github.com/gorocm/gorocm/rocm/internal/driver"

// Probed is what came of loading a library.
type Probed struct {
	Kind    *driver.VendorKind
	Library *driver.VendorLibrary // nil where there is none
	Err     error
}

// Probe loads each library. For each purpose AMD's comes before NVIDIA's.
func Probe() []Probed {
	var list []Probed
	for _, kind := range []*blasKind{rocblas, cublas} {
		p := Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	for _, kind := range []*ltKind{hipblaslt, cublaslt} {
		p := Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	for _, kind := range []*dnnKind{miopen, cudnn} {
		p := Probed{Kind: &kind.VendorKind}
		if l, err := kind.load(); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	return list
}
