// Package ndimage filters, transforms and measures images of any number of dims, under the names of scipy.ndimage.
//
//	ndimage.GaussianFilter(x, []float64{2}, ndimage.GaussianOptions{})
//	ndimage.MedianFilter(x, []int{3}, ndimage.Border{})
//	ndimage.BinaryOpening(x.Gt(0.5), ndimage.Binary{})
//	labels, n := ndimage.Label(x.Gt(0.5), nil)
//	ndimage.Measure(x, labels, n).Mean
//	ndimage.Rotate(x, 30, ndimage.RotateOptions{})
//
// Every dim of an image counts: sizes of 1 and widths of 0 leave a dim alone, such as that of a batch or of channels.
// Filters, morphology and transforms are tensor operations on the device of the image, with gradients, in its type:
// F16, BF16 and F8E4M3 are computed as F32 and rounded, integers and Bool in F64 with results of DefaultDType; ranks,
// maxima and minima keep the type. Labels, measurements and distances are computed on the host. Mistakes panic with a
// *tensor.Error, as the methods of package tensor do.
//
// # Files
//
//	border.go     what images are beyond their borders; windows
//	linear.go     Correlate, Convolve, UniformFilter, Sobel and others
//	gaussian.go   GaussianFilter and what is made of it
//	rank.go       MedianFilter, PercentileFilter, RankFilter, MaximumFilter, MinimumFilter
//	rank_host.go  ranks on the host
//	lines.go      sums and recursions along a dim, on the host
//	grey.go       grey morphology
//	binary.go     binary morphology
//	label.go      Label, FindObjects
//	measure.go    Measure
//	distance.go   DistanceTransform
//	spline.go     splines through images; gather.go: their sums on the host
//	transform.go  MapCoordinates, AffineTransform, Shift, Zoom, Rotate
package ndimage
