package main

// noGPU says why no AMD GPU was opened.
func (d *doctor) noGPU() {
	d.advise(`There is no AMD GPU that HIP knows here: Device("rocm") is an emulated one, with the same results at lower speed. If there is one, install AMD's graphics driver, which has amdhip64_7.dll or amdhip64_6.dll, and for kernels of your own the HIP SDK, which has hiprtc and clang; gorocm was not run with them yet, so that reports are welcome. Device("cpu") is faster for large work.`)
}
