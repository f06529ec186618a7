package rocm

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// hostAdvice says what stands in the place of calls of HIP's runtime. KERNEL is the name of one.
var hostAdvice = []struct {
	names  []string // parts of names
	advice string
}{
	{[]string{"Malloc", "Memcpy", "Memset", "Free"},
		"memory is a tensor: dev := Device(\"rocm\"), then dev.Zeros(tensor.F32, n) or tensor.Of(1, 2, 3).To(\"rocm\"); " +
			"a kernel takes it for a pointer, and showing it copies it back"},
	{[]string{"<<<", "LaunchKernel"},
		"KERNEL<<<grid, block>>>(arguments) is KERNEL.LaunchGrid([3]int{grid, 1, 1}, [3]int{block, 1, 1}, 0, arguments), " +
			"or KERNEL.Launch(n, arguments) with a thread for each of n elements"},
	{[]string{"Synchronize"}, "showing a tensor waits for its kernels; Synchronize of the device does, too"},
	{[]string{"Event"}, "events are rocm.NewEvent; %profile before a launch shows the times of its kernels"},
	{[]string{"Stream"}, "streams are NewStream of a device"},
	{[]string{"DeviceProp", "DeviceAttribute", "SetDevice", "DeviceCount"},
		"devices are Device(\"rocm:0\"), …, and rocm.Devices() describes them"},
}

// explainHost returns the error for a source that does not compile because it has a host part, or nil where it has
// none.
func explainHost(file, source string, kernels []compile.Declaration) error {
	uses := compile.HostPart(source)
	if len(uses) == 0 {
		return nil
	}
	const most = 6
	var names []string
	for i, u := range uses {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(uses)-most))
			break
		}
		names = append(names, u.String())
	}
	names[0] = strings.TrimSuffix(names[0], ")") + " of the source)"
	lines := []string{"keep the kernels and what they use, delete the rest, and write it in Go, in a cell of its own:"}
	for _, a := range hostAdvice {
		if slices.ContainsFunc(uses, func(u compile.HostUse) bool {
			return slices.ContainsFunc(a.names, func(n string) bool { return strings.Contains(u.What, n) })
		}) {
			lines = append(lines, strings.ReplaceAll(a.advice, "KERNEL", kernels[0].Name))
		}
	}
	return &Error{Op: "compile " + file, Kind: ErrUnsupported, Detail: strings.Join(lines, "\n"),
		Text: "the source has a part for the host, which is Go here: " + strings.Join(names, ", ")}
}

// explainOverloads returns the error for a source that did not compile and has two kernels of a name, or nil.
func explainOverloads(file, source string, kernels []compile.Declaration) error {
	lines := map[string]int{}
	for _, d := range kernels {
		line := compile.LineAt(source, min(d.At, len(source)))
		if first := lines[d.Name]; first > 0 && !d.Template {
			return &Error{Op: "compile " + file, Kind: ErrUnsupported,
				Text: fmt.Sprintf("the source has two kernels %s (lines %d and %d of the source): kernels cannot be overloaded, because "+
					"they are launched by their names", d.Name, first, line),
				Detail: fmt.Sprintf("call one of them %s2, or make both instances of a template: "+
					"template <class T> __global__ void %[1]s(T *x)", d.Name)}
		}
		lines[d.Name] = line
	}
	return nil
}

// warnedHost has the sources that warnHost has warned about.
var warnedHost sync.Map

// warnHost warns once about a main that compiles, and that nothing calls.
func warnHost(file, source string) {
	if _, said := warnedHost.LoadOrStore(strings.TrimSpace(source), true); said {
		return
	}
	for _, u := range compile.HostPart(source) {
		if u.What == "main" {
			printWarning(fmt.Sprintf("%s, line %d of the source: warning: main is not run: the host is Go here, and kernels are "+
				"launched by it", file, u.Line))
		}
	}
}

// refuseTextures returns the error for a kernel with textures, or nil. A source whose kernels take one compiles on some
// GPUs, and there would be nothing to pass.
func refuseTextures(file, source string, kernels []compile.Declaration, compiled bool) error {
	uses := compile.Textures(source)
	if compiled && !slices.ContainsFunc(kernels, func(d compile.Declaration) bool {
		return slices.ContainsFunc(d.Params, func(p compile.Param) bool {
			return strings.Contains(p.Type, "TextureObject") || strings.Contains(p.Type, "SurfaceObject")
		})
	}) || len(uses) == 0 {
		return nil
	}
	var names []string
	for _, u := range uses {
		names = append(names, u.String())
	}
	return &Error{Op: "compile " + file, Kind: ErrUnsupported,
		Text: "gorocm has no textures and surfaces: the source uses " + strings.Join(names, ", "),
		Detail: "read the memory through a pointer: tex2D<float>(image, x, y) is image[y * width + x] of a const float " +
			"*image, with x and y kept within the image"}
}
