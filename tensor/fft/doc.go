// Package fft has Fourier transforms and what is built from them: short-time transforms, convolutions, windows and mel
// filters.
//
//	X := fft.FFT(x)                                       // along the last dim, as complex numbers
//	image := fft.IFFT(fft.FFT(picture, -2, -1), -2, -1)   // in two dims, and back
//	Y := fft.RFFT(x)                                      // of real numbers: n/2 + 1 numbers, at half the cost
//	frames := fft.STFT(sound, fft.Frames{Size: 512, Hop: 160, Window: fft.Hann(512, true, tensor.F32, dev)})
//	z := fft.Convolve(x, kernel, fft.Same)
//
// A transform is y[k] = Σ_j x[j]·exp(-2πi·j·k/n), the inverse one Σ_k y[k]·exp(2πi·j·k/n)/n; Form has other factors,
// lengths to which dims are cut or padded, and transforms of several dims. Lengths are arbitrary: those with prime
// factors of at most 13 take passes of the Cooley-Tukey algorithm, others Bluestein's.
//
// # Types
//
// F32 gives C64, F64 gives C128. F16, BF16 and F8E4M3 are computed as F32; integers become tensor.DefaultDType. The
// error of a result is some units in the last place of the root mean square of the elements, growing with the logarithm
// of the length.
//
// # Where it runs
//
// Functions compute on the device of their tensors: on a GPU with hipFFT or cuFFT, or with gorocm's kernels where there
// is no library, or for what it refuses. All have gradients. Mistakes panic with a *tensor.Error, as the methods of
// package tensor do.
package fft
