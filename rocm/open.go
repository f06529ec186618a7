package rocm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Open returns a device: "rocm" or "rocm:1" for an AMD GPU, "cuda" or "cuda:0" for an NVIDIA GPU. Without an AMD GPU
// "rocm" is the emulated gfx1100 (see Info), unless GOROCM_REQUIRE_GPU is set. The same device gives the same *Device
// each time, unless it is lost (see Lost): then Open opens it again, or fails with ErrLost where the driver refuses.
func Open(spec string) (*Device, error) {
	platform, index, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	registry.Lock()
	defer registry.Unlock()
	key := fmt.Sprintf("%s:%d", platform, index)
	if d := registry.devices[key]; d != nil {
		if Lost(d) != nil {
			return reopen(d, key)
		}
		return d, nil
	}
	d, err := open(platform, index)
	if err != nil {
		return nil, err
	}
	if registry.devices == nil {
		registry.devices = map[string]*Device{}
	}
	registry.devices[key] = d
	return d, nil
}

func parseSpec(spec string) (platform string, index int, err error) {
	platform, number, numbered := strings.Cut(spec, ":")
	if numbered {
		if index, err = strconv.Atoi(number); err != nil || index < 0 {
			return "", 0, invalid("open "+strconv.Quote(spec), "the device number must be 0 or more")
		}
	}
	if platform != "rocm" && platform != "cuda" {
		return "", 0, invalid("open "+strconv.Quote(spec), `want "rocm", "rocm:1", "cuda" or "cuda:1"`)
	}
	return platform, index, nil
}

func open(platform string, index int) (*Device, error) {
	op := fmt.Sprintf("open %s:%d", platform, index)
	var drv *driver.Table
	var infos []Info
	var err error
	if platform == "cuda" {
		drv, infos, err = cudaDevices()
		if err == nil && len(infos) == 0 {
			return nil, &Error{Op: op, Text: "no NVIDIA GPU found", Detail: drv.Runtime + " lists none",
				Kind: ErrNoDevice}
		}
	} else {
		drv, infos, err = rocmDevices()
	}
	if err != nil {
		return nil, err
	}
	if index >= len(infos) {
		e := &Error{Op: op, Text: fmt.Sprintf("no such device: the last one is %v", infos[len(infos)-1].Device()),
			Kind: ErrNoDevice}
		if infos[0].Platform == Emulated {
			if len(infos) == 1 {
				e.Text = "no such device: the emulated rocm:0 is the only one"
			}
			e.Detail = infos[0].Note + fmt.Sprintf("\nGOROCM_EMULATED_DEVICES=%d emulates more", index+1)
		}
		return nil, e
	}
	if infos[index].Platform == Emulated && index > 0 {
		checks, err := checksFromEnvironment()
		if err != nil {
			return nil, err
		}
		if drv, err = driver.NewEmulator(emulator.Config{Arch: driver.EmulatedGPU(infos[index].Arch),
			Memory: uint64(infos[index].TotalMemory), Checks: checks.emulator()}); err != nil {
			return nil, public(err)
		}
	}
	return newDevice(drv, infos[index])
}

// rocmDevices finds the AMD GPUs, or the emulated devices where there are none.
func rocmDevices() (*driver.Table, []Info, error) {
	require, emulate := driver.EnvBool("GOROCM_REQUIRE_GPU"), driver.EnvBool("GOROCM_EMULATE")
	if emulate && require {
		return nil, nil, invalid("open rocm", "GOROCM_REQUIRE_GPU and GOROCM_EMULATE are both set: unset one")
	}
	if emulate {
		return emulatedDevices("GOROCM_EMULATE is set")
	}
	drv, err := driver.LoadHIP()
	if err == nil {
		n, countErr := drv.CountDevices()
		if countErr != nil {
			return nil, nil, public(countErr)
		}
		if n > 0 {
			infos, err := driver.Describe(drv, n, driver.HIPInfo)
			return drv, infosOf(infos), public(err)
		}
	}
	note := driver.NoGPUNote(err)
	if require {
		e := &Error{Op: "open rocm", Text: note,
			Detail: "GOROCM_REQUIRE_GPU is set; without it rocm:0 is an emulated gfx1100", Kind: ErrNoDevice}
		if err != nil {
			e.Detail += "\n" + err.Error()
		}
		return nil, nil, e
	}
	return emulatedDevices(note)
}

// emulatedDevices are the emulated devices. note says why they are used.
func emulatedDevices(note string) (*driver.Table, []Info, error) {
	checks, err := checksFromEnvironment()
	if err != nil {
		return nil, nil, err
	}
	drv, infos, err := driver.EmulatedDevices(note, checks.emulator())
	return drv, infosOf(infos), public(err)
}

func cudaDevices() (*driver.Table, []Info, error) {
	drv, err := driver.LoadCUDA()
	if err != nil {
		return nil, nil, public(err)
	}
	n, err := drv.CountDevices()
	if err != nil {
		return nil, nil, public(err)
	}
	infos, err := driver.Describe(drv, n, driver.CUDAInfo)
	return drv, infosOf(infos), public(err)
}
