package rocm

import (
	"slices"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// Templates returns the kernel templates of HIP source that the source declares no instance of, in their order, with
// the names of their parameters: saxpy<T, N>. CompileAll compiles none of these; Compile does, with arguments in place
// of the parameters.
func Templates(source string) []string {
	explicit, plain := compile.Instances(source)
	var list []string
	for _, d := range compile.Declarations(plain) {
		instance := func(in compile.Instance) bool { return in.Template == d.Name }
		if name := compile.TemplateName(plain, d); d.Template && !slices.ContainsFunc(explicit, instance) &&
			!slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
