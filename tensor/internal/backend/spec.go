package backend

import (
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/rocm"
)

// ParseSpec splits the name of a device, such as rocm:1, into its kind and its number. Of another text, the note says
// what names are.
func ParseSpec(spec string) (kind string, index int, note string) {
	const names = "devices are auto, cpu, rocm, rocm:1, cuda, cuda:1"
	kind, number, numbered := strings.Cut(strings.ToLower(strings.TrimSpace(spec)), ":")
	switch kind {
	case "cpu", "rocm", "cuda":
	case "hip", "amd":
		return "", 0, "did you mean rocm?"
	case "nvidia", "nv":
		return "", 0, "did you mean cuda?"
	case "gpu":
		return "", 0, "did you mean auto? It is the GPU that is there, or else the CPU"
	default:
		return "", 0, names
	}
	if !numbered {
		return kind, 0, ""
	}
	index, err := strconv.Atoi(number)
	if err != nil || index < 0 || kind == "cpu" && index > 0 {
		return "", 0, names
	}
	return kind, index, ""
}

// AutoSpec is the name of the first of the devices that is not emulated, or else of the CPU.
func AutoSpec(list []rocm.Info) string {
	for _, d := range list {
		if d.Platform != rocm.Emulated {
			return d.Device()
		}
	}
	return "cpu"
}
