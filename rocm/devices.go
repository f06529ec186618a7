package rocm

import (
	"fmt"
	"strings"
)

// Devices lists what Open can open: the AMD GPUs or the emulated one in their place, then the NVIDIA GPUs.
func Devices() []Info {
	var list []Info
	if _, infos, err := rocmDevices(); err == nil {
		list = append(list, infos...)
	}
	if _, infos, err := cudaDevices(); err == nil {
		list = append(list, infos...)
	}
	return list
}

// Default is the label of the device that "rocm" opens, for banners: "rocm:0 AMD Radeon RX 7900 XTX (gfx1100)",
// "rocm:0 emulated gfx1100 (no AMD GPU found)", or the reason why there is none.
func Default() string {
	_, infos, err := rocmDevices()
	if err != nil {
		return firstLine(err)
	}
	return infos[0].Label()
}

// Label is a line about the device for people.
func (i Info) Label() string {
	if i.Platform == Emulated {
		why, _, _ := strings.Cut(i.Note, ":")
		return fmt.Sprintf("%s emulated %s (%s)", i.Device(), i.Arch, why)
	}
	return fmt.Sprintf("%s %s (%s)", i.Device(), i.Name, i.Arch)
}
