package rocm

import (
	"bytes"
	"os"
	"strings"
	"sync"
)

// hipAttributes are the numbers of hipDeviceAttribute_t, the same from 5.2 on.
const (
	hipAttributeMultiprocessorCount = 63
	hipAttributeWarpSize            = 87
)

// Where gcnArchName is in the two layouts of hipDeviceProp_t; both structs are smaller than propertiesSize.
const (
	archOffsetR0600 = 1160
	archOffsetR0000 = 396
	propertiesSize  = 8192
)

var loadHIP = sync.OnceValues(openHIP)

// openHIP loads and initialises the HIP runtime. A runtime that finds no GPU is fine here: count then says 0.
func openHIP() (*driver, error) {
	lib, err := hipSpec().load()
	if err != nil {
		return nil, err
	}
	drv := &driver{platform: HIP, lib: lib, extraEnd: 3}
	if err := bind(drv, "hip", lib); err != nil {
		return nil, err
	}
	var v int32
	if c := drv.version(&v); c != 0 {
		return nil, drv.fail("version", c, "")
	}
	drv.runtime = hipVersionText(v)
	drv.major, drv.minor = v/10_000_000, v/100_000%100
	if c := drv.init(0); c != 0 && c != codeNoDevice && c != codeInvalidDevice {
		return nil, drv.fail("init", c, "")
	}
	return drv, nil
}

// devices counts the GPUs. HIP calls their absence an error, of two kinds.
func (drv *driver) devices() (int, error) {
	var n int32
	switch c := drv.count(&n); {
	case c == codeNoDevice || c == codeInvalidDevice:
		return 0, nil
	case c != 0:
		return 0, drv.fail("count", c, "")
	}
	return int(n), nil
}

// hipInfo describes GPU i.
func hipInfo(drv *driver, i int) (Info, error) {
	info, err := drv.commonInfo(i, hipAttributeMultiprocessorCount, hipAttributeWarpSize)
	if err != nil {
		return info, err
	}
	get, offset, field := drv.propertiesR0600, archOffsetR0600, "propertiesR0600"
	if get == nil {
		get, offset, field = drv.properties, archOffsetR0000, "properties"
	}
	if get == nil {
		return info, &Error{Op: drv.lib.path, Text: "has no hipGetDeviceProperties", Kind: ErrNoLibrary}
	}
	p := make([]byte, propertiesSize)
	if c := get(&p[0], int32(i)); c != 0 {
		return info, drv.fail(field, c, "")
	}
	if info.Arch = archName(p, offset); info.Arch == "" {
		return info, &Error{Op: drv.callName(field), Text: "the properties have no architecture name (gfx…)", Kind: ErrUnsupported}
	}
	if info.Name == "" {
		info.Name = info.Arch
	}
	return info, nil
}

// archName reads gcnArchName at its offset, or wherever a later layout has moved it behind the device's name.
func archName(p []byte, offset int) string {
	at := func(o int) string {
		text, _, _ := bytes.Cut(p[o:], []byte{0})
		return string(text)
	}
	if s := at(offset); strings.HasPrefix(s, "gfx") {
		return s
	}
	const nameSize = 256
	if i := bytes.Index(p[nameSize:], []byte("gfx")); i >= 0 {
		return at(nameSize + i)
	}
	return ""
}

// commonInfo asks for what HIP and CUDA tell in the same way.
func (drv *driver) commonInfo(i int, units, wave int32) (Info, error) {
	info := Info{Index: i, Platform: drv.platform, Runtime: drv.runtime, Library: drv.lib.path}
	var name [256]byte
	if c := drv.name(&name[0], int32(len(name)), int32(i)); c != 0 {
		return info, drv.fail("name", c, "")
	}
	info.Name = goString(&name[0])
	var total uintptr
	if c := drv.total(&total, int32(i)); c != 0 {
		return info, drv.fail("total", c, "")
	}
	info.TotalMemory = int64(total)
	for _, a := range []struct {
		number int32
		to     *int
	}{{units, &info.ComputeUnits}, {wave, &info.Wave}} {
		var v int32
		if c := drv.attribute(&v, a.number, int32(i)); c != 0 {
			return info, drv.fail("attribute", c, "")
		}
		*a.to = int(v)
	}
	return info, nil
}

// noGPUNote says why there is no AMD GPU, as far as the machine tells.
func noGPUNote(loadErr error) string {
	if loadErr != nil {
		return "no AMD GPU found: " + strings.TrimPrefix(firstLine(loadErr), "rocm: ")
	}
	kfd, err := os.OpenFile("/dev/kfd", os.O_RDWR, 0)
	switch {
	case err == nil:
		kfd.Close()
		return "no AMD GPU found: the HIP runtime lists none, though /dev/kfd is there (is HIP_VISIBLE_DEVICES set, or the GPU unsupported?)"
	case os.IsPermission(err):
		return "no AMD GPU found: /dev/kfd may not be opened by this user (join the groups render and video)"
	}
	return "no AMD GPU found: the HIP runtime lists none, and the kernel driver amdgpu is not loaded (no /dev/kfd)"
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
