package driver

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// The numbers of hipDeviceAttribute_t, the same since ROCm 5.2.
const (
	hipDeviceAttributeIntegrated          = 16
	hipDeviceAttributeMultiprocessorCount = 63
	hipDeviceAttributeWarpSize            = 87
)

// The offsets of gcnArchName in the two layouts of hipDeviceProp_t. Both structs are smaller than propertiesSize.
const (
	archOffsetR0600 = 1160
	archOffsetR0000 = 396
	propertiesSize  = 8192
)

var LoadHIP = sync.OnceValues(openHIP)

// openHIP loads and initialises the HIP runtime. It is not an error that there is no GPU: CountDevices then returns 0.
func openHIP() (*Table, error) {
	lib, err := searchHIP().Load()
	if err != nil {
		return nil, err
	}
	drv := &Table{Platform: HIP, Library: lib, ExtraEnd: 3}
	if err := Bind(drv, "hip", lib); err != nil {
		return nil, err
	}
	var v int32
	if c := drv.version(&v); c != 0 {
		return nil, drv.Fail("version", c, "")
	}
	drv.Runtime = hipVersion(v)
	drv.Major, drv.Minor = v/10_000_000, v/100_000%100
	if c := drv.init(0); c != 0 && c != codeNoDevice && c != CodeInvalidDevice {
		return nil, drv.Fail("init", c, "")
	}
	return drv, nil
}

// CountDevices counts the GPUs. HIP reports their absence as an error, with one of two codes, CUDA when it is
// initialised: after that its other calls say that it is not.
func (drv *Table) CountDevices() (int, error) {
	if drv.none {
		return 0, nil
	}
	var n int32
	switch c := drv.DeviceCount(&n); {
	case c == codeNoDevice || c == CodeInvalidDevice:
		return 0, nil
	case c != 0:
		return 0, drv.Fail("DeviceCount", c, "")
	}
	return int(n), nil
}

// HIPInfo describes GPU i.
func HIPInfo(drv *Table, i int) (Info, error) {
	info, err := drv.commonInfo(i, hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeWarpSize,
		hipDeviceAttributeIntegrated)
	if err != nil {
		return info, err
	}
	get, offset, field := drv.PropertiesR0600, archOffsetR0600, "PropertiesR0600"
	if get == nil {
		get, offset, field = drv.properties, archOffsetR0000, "properties"
	}
	if get == nil {
		return info, &Error{Op: drv.Library.Path, Text: "has no hipGetDeviceProperties", Kind: ErrNoLibrary}
	}
	p := make([]byte, propertiesSize)
	if c := get(&p[0], int32(i)); c != 0 {
		return info, drv.Fail(field, c, "")
	}
	if info.Arch = archName(p, offset); info.Arch == "" {
		return info, &Error{Op: drv.CName(field), Text: "the properties have no architecture name (gfx…)",
			Kind: ErrUnsupported}
	}
	info.ComputeUnits = computeUnits(info.Arch, info.Multiprocessors)
	if info.Name == "" {
		info.Name = info.Arch
	}
	return info, nil
}

// archName reads gcnArchName at its offset, or finds it after the device's name, where a later layout may have it.
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

// commonInfo queries what HIP and CUDA have the same calls for.
func (drv *Table) commonInfo(i int, units, wave, integrated int32) (Info, error) {
	info := Info{Index: i, Platform: drv.Platform, Runtime: drv.Runtime, Library: drv.Library.Path}
	var name [256]byte
	if c := drv.DeviceName(&name[0], int32(len(name)), int32(i)); c != 0 {
		return info, drv.Fail("DeviceName", c, "")
	}
	info.Name = GoString(&name[0])
	var total uintptr
	if c := drv.TotalMem(&total, int32(i)); c != 0 {
		return info, drv.Fail("TotalMem", c, "")
	}
	info.TotalMemory = int64(total)
	for _, a := range []struct {
		number int32
		to     *int
	}{{units, &info.Multiprocessors}, {wave, &info.Wave}} {
		var v int32
		if c := drv.DeviceAttribute(&v, a.number, int32(i)); c != 0 {
			return info, drv.Fail("DeviceAttribute", c, "")
		}
		*a.to = int(v)
	}
	info.ComputeUnits = info.Multiprocessors
	var v int32
	info.Integrated = drv.DeviceAttribute(&v, integrated, int32(i)) == 0 && v != 0 // a driver may not say
	return info, nil
}

// computeUnits is how many compute units a GPU has. From gfx10 on, HIP counts work group processors, which are two
// compute units each, unless GPU_ENABLE_WGP_MODE switches that off (rocdevice.cpp and rocsettings.cpp of ROCm's clr).
func computeUnits(arch string, multiprocessors int) int {
	base, _, _ := strings.Cut(arch, ":")
	if digits := strings.TrimPrefix(base, "gfx"); len(digits) < 4 { // gfx90a; gfx1100
		return multiprocessors
	}
	if text, set := os.LookupEnv("GPU_ENABLE_WGP_MODE"); set {
		if on, err := strconv.ParseBool(text); err == nil && !on {
			return multiprocessors
		}
	}
	return 2 * multiprocessors
}

// NoGPUNote says why there is no AMD GPU, as far as that can be found out.
func NoGPUNote(loadErr error) string {
	if loadErr != nil {
		line, _, _ := strings.Cut(strings.TrimPrefix(loadErr.Error(), "rocm: "), "\n")
		return "no AMD GPU found: " + line
	}
	if runtime.GOOS == "windows" {
		return "no AMD GPU found: the HIP runtime lists none (is HIP_VISIBLE_DEVICES set, or the GPU unsupported?)"
	}
	kfd, err := os.OpenFile("/dev/kfd", os.O_RDWR, 0)
	switch {
	case err == nil:
		kfd.Close()
		return "no AMD GPU found: the HIP runtime lists none, though /dev/kfd is there (is HIP_VISIBLE_DEVICES " +
			"set, or the GPU unsupported?)"
	case os.IsPermission(err):
		return "no AMD GPU found: /dev/kfd may not be opened by this user (join the groups render and video)"
	}
	return "no AMD GPU found: the HIP runtime lists none, and the kernel driver amdgpu is not loaded (no /dev/kfd)"
}

// Describe describes n GPUs with HIPInfo or CUDAInfo.
func Describe(drv *Table, n int, info func(*Table, int) (Info, error)) ([]Info, error) {
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
