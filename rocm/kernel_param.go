package rocm

import (
	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// Param is a parameter of a kernel: as its source declares it or, of a kernel of LoadModule, as its module does.
type Param struct {
	Name    string // empty when the source leaves it out
	Type    string // without const, restrict and the *: float, unsigned long long, MyStruct
	Elem    string // the type as tensors name it: f32, u64; "bool"; "void"; empty for types that are not known here
	Lanes   int    // 4 for float4, else 1
	Pointer bool
	Const   bool // a pointer to what the kernel does not change
	Size    int  // bytes of the argument, of a kernel of LoadModule; 0 of one that was compiled here

	Anything bool // it may be a pointer or not: of a module for NVIDIA GPUs
}

// String returns the parameter as C declares it.
func (p Param) String() string { return compile.Param(p).String() }

// paramsOf are the parameters that a source declares.
func paramsOf(list []compile.Param) []Param {
	var params []Param
	for _, p := range list {
		params = append(params, Param(p))
	}
	return params
}
