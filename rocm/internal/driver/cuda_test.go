package driver

import "testing"

// TestCUDAWithoutGPU: where all GPUs are hidden (CUDA_VISIBLE_DEVICES=-1), cuInit says that there is none, and all later
// calls but for the version that nothing was initialised.
func TestCUDAWithoutGPU(t *testing.T) {
	const notInitialised Code = 3
	drv := &Table{
		Platform:    CUDA,
		init:        func(uint32) Code { return codeNoDevice },
		version:     func(v *int32) Code { *v = 13000; return 0 },
		DeviceCount: func(*int32) Code { return notInitialised },
	}
	if err := drv.startCUDA(); err != nil {
		t.Fatal(err)
	}
	if n, err := drv.CountDevices(); n != 0 || err != nil {
		t.Errorf("%d GPUs, %v", n, err)
	}
}
