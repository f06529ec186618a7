package main

// noGPU says why no AMD GPU was opened.
func (d *doctor) noGPU() {
	d.advise(`On Windows gorocm does not load the GPU libraries of AMD and NVIDIA, whose names above are Linux's: Device("rocm") is an emulated GPU, with the same results at lower speed. Device("cpu") is faster for large work; WSL reaches GPUs.`)
}
