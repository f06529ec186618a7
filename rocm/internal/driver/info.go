package driver

// Platform says what executes kernels.
type Platform string

// The platforms.
const (
	HIP      Platform = "HIP"      // an AMD GPU
	CUDA     Platform = "CUDA"     // an NVIDIA GPU
	Emulated Platform = "emulated" // the gfx1100 in Go
)

// Info describes a device. See rocm.Info.
type Info struct {
	Index           int
	Name            string
	Arch            string
	Platform        Platform
	Wave            int
	ComputeUnits    int
	Multiprocessors int
	TotalMemory     int64
	Integrated      bool
	Runtime         string
	Library         string
	Note            string
}
