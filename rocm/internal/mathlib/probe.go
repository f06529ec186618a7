package mathlib

import "github.com/gorocm/gorocm/rocm/internal/driver"

// Probe loads each library, except rocSOLVER, which it finds. For each purpose AMD's comes before NVIDIA's.
func Probe() []driver.Probed {
	var list []driver.Probed
	for _, kind := range []*blasKind{rocblas, cublas} {
		l, err := kind.load()
		list = append(list, probed(&kind.VendorKind, l, err))
	}
	for _, kind := range []*ltKind{hipblaslt, cublaslt} {
		l, err := kind.load()
		list = append(list, probed(&kind.VendorKind, l, err))
	}
	for _, kind := range []*fftKind{hipfft, cufft} {
		l, err := kind.load()
		list = append(list, probed(&kind.VendorKind, l, err))
	}
	for _, kind := range []*sparseKind{hipsparse, cusparse} {
		l, err := kind.load()
		list = append(list, probed(&kind.VendorKind, l, err))
	}
	for _, kind := range []*dnnKind{miopen, cudnn} {
		l, err := kind.load()
		list = append(list, probed(&kind.VendorKind, l, err))
	}
	l, err := cusolver.load()
	return append(list, probeRocSOLVER(), probed(&cusolver.VendorKind, l, err))
}

// probed is what loading a library gave. l holds nil beside an error.
func probed(kind *driver.VendorKind, l interface{ Vendor() *driver.VendorLibrary }, err error) driver.Probed {
	if err != nil {
		return driver.Probed{Kind: kind, Err: err}
	}
	return driver.Probed{Kind: kind, Library: l.Vendor()}
}
