package rocm

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Open returns a device: "rocm" or "rocm:1" for an AMD GPU, "cuda" or "cuda:0" for an NVIDIA GPU. Without an AMD GPU "rocm" is the
// emulated gfx1100 (see Info), unless GOROCM_REQUIRE_GPU is set. The same device gives the same *Device each time.
func Open(spec string) (*Device, error) {
	platform, index, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	registry.Lock()
	defer registry.Unlock()
	key := fmt.Sprintf("%s:%d", platform, index)
	if d := registry.devices[key]; d != nil {
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
	var drv *driver
	var infos []Info
	var err error
	if platform == "cuda" {
		drv, infos, err = cudaDevices()
		if err == nil && len(infos) == 0 {
			return nil, &Error{Op: op, Text: "no NVIDIA GPU found", Detail: drv.runtime + " lists none", Kind: ErrNoDevice}
		}
	} else {
		drv, infos, err = rocmDevices()
	}
	if err != nil {
		return nil, err
	}
	if index >= len(infos) {
		e := &Error{Op: op, Text: fmt.Sprintf("no such device: the last one is %v", infos[len(infos)-1].Device()), Kind: ErrNoDevice}
		if infos[0].Platform == Emulated {
			if len(infos) == 1 {
				e.Text = "no such device: the emulated rocm:0 is the only one"
			}
			e.Detail = infos[0].Note + fmt.Sprintf("\nGOROCM_EMULATED_DEVICES=%d emulates more", index+1)
		}
		return nil, e
	}
	if infos[index].Platform == Emulated && index > 0 {
		if drv, err = newEmulator(uint64(infos[index].TotalMemory)); err != nil {
			return nil, err
		}
	}
	return newDevice(drv, infos[index])
}

// rocmDevices finds the AMD GPUs, or the emulated one in their place.
func rocmDevices() (*driver, []Info, error) {
	require, emulate := flag("GOROCM_REQUIRE_GPU"), flag("GOROCM_EMULATE")
	if emulate && require {
		return nil, nil, invalid("open rocm", "GOROCM_REQUIRE_GPU and GOROCM_EMULATE are both set: unset one")
	}
	if emulate {
		return emulatedDevices("GOROCM_EMULATE is set")
	}
	drv, err := loadHIP()
	if err == nil {
		n, countErr := drv.devices()
		if countErr != nil {
			return nil, nil, countErr
		}
		if n > 0 {
			infos, err := describe(drv, n, hipInfo)
			return drv, infos, err
		}
	}
	note := noGPUNote(err)
	if require {
		e := &Error{Op: "open rocm", Text: note, Detail: "GOROCM_REQUIRE_GPU is set; without it rocm:0 is an emulated gfx1100", Kind: ErrNoDevice}
		if err != nil {
			e.Detail += "\n" + err.Error()
		}
		return nil, nil, e
	}
	return emulatedDevices(note)
}

func cudaDevices() (*driver, []Info, error) {
	drv, err := loadCUDA()
	if err != nil {
		return nil, nil, err
	}
	n, err := drv.devices()
	if err != nil {
		return nil, nil, err
	}
	infos, err := describe(drv, n, cudaInfo)
	return drv, infos, err
}

func describe(drv *driver, n int, info func(*driver, int) (Info, error)) ([]Info, error) {
	var infos []Info
	for i := range n {
		one, err := info(drv, i)
		if err != nil {
			return nil, err
		}
		infos = append(infos, one)
	}
	return infos, nil
}

// flag reads an environment variable that is on or off.
func flag(name string) bool {
	s := os.Getenv(name)
	on, err := strconv.ParseBool(s)
	return s != "" && (on || err != nil)
}
