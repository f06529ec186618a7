// Package mathlib computes products of matrices, Fourier transforms, convolutions, pools and layers with the libraries
// of GPUs' makers: AMD's and NVIDIA's behind one interface for each purpose.
//
//	                  AMD            NVIDIA
//	BLAS     blas.go      rocblas.go     cublas.go      products of matrices; gemv.go has those by one row or column
//	BLASLt   blaslt.go    hipblaslt.go   cublaslt.go    products of f8e4m3; blaslt_plan.go describes them
//	FFT      fft.go       hipfft.go      cufft.go       Fourier transforms
//	Sparse   sparse.go    hipsparse.go   cusparse.go    products with sparse matrices
//	DNN      dnn.go       miopen.go      cudnn.go       conv.go, pooling.go, layers.go: convolutions, pools, layers
//	                                     cudnn_graph.go, cudnn_graph_plan.go: convolutions as graphs of one operation
//
//	handle.go      Device, which is what a library needs of a GPU; a library's handle, and what it failed to do
//	plan_cache.go  descriptors and algorithms, kept for each shape of work
//	products.go    Gemm and Matrix, as the libraries see them
//	probe.go       which libraries there are
//
// # Two interfaces of cuDNN
//
// Convolutions go to cuDNN's graphs first: only they have fast algorithms for operands as they lie. The older calls,
// cudnnConvolutionForward and its like, are needed beside them for operands that are not on multiples of 16 bytes,
// which some algorithms of graphs access at wrong addresses, and for shapes that graphs refuse. They are also the calls
// that MIOpen's were made after: what conv.go does with them on an NVIDIA GPU is what it does on an AMD GPU. Pools and
// layers use the older calls alone.
//
// # Invariants
//
// A library computes what gorocm's kernels compute: the same bits each time, no algorithm that loses bits of f32 unless
// GOROCM_TF32 is set, NaN where there is one. Work that it would compute otherwise is refused.
//
// Work that a library does not take is not an error: the methods return false, and Info says why. A kind of work that a
// library has failed in is not tried again, unless memory was short.
//
// A handle is for one thread at a time: its mutex is held during calls, and each call is made where the device is
// current (Device.Call).
//
// While a capture records the calling thread, nothing is allocated or loaded but what the graph may keep (Device.Keep).
//
// The enumerations have their vendors' names and values. A pointer that is passed as a uintptr is of memory that does
// not move during the call.
package mathlib
