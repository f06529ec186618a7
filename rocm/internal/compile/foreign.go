package compile

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// CompiledKernel is a kernel of a code object, with what its metadata and its symbol say of its parameters.
type CompiledKernel struct {
	Symbol string // _Z5saxpyIfEvfPKT_PS0_j
	Name   string // as C++ writes it, without parameters: saxpy<float>
	Params []Param
	// Offsets are where the arguments lie in the memory of arguments, in bytes.
	Offsets []int
	// Problem says why the kernel cannot be launched with arguments from here, empty where it can.
	Problem string
}

// Base is the name without the arguments of a template.
func (k *CompiledKernel) Base() string {
	base, err := demangle.ToString(k.Symbol, demangle.NoParams, demangle.NoTemplateParams)
	if err != nil {
		return k.Symbol
	}
	return base
}

// DescribeObject lists the kernels of an AMD code object, and the names of its variables.
func DescribeObject(object []byte) (kernels []CompiledKernel, variables []string, err error) {
	infos, _, err := emulator.Inspect(object)
	if err != nil {
		return nil, nil, &driver.Error{Text: strings.TrimPrefix(err.Error(), "emulator: load: "),
			Kind: driver.ErrUnsupported}
	}
	for _, info := range infos {
		kernels = append(kernels, describeCompiled(info))
	}
	if f, err := elf.NewFile(bytes.NewReader(object)); err == nil {
		symbols, _ := f.DynamicSymbols()
		for _, s := range symbols {
			ofCompiler := strings.HasSuffix(s.Name, ".kd") || strings.HasPrefix(s.Name, "__hip_cuid_")
			if elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Section != elf.SHN_UNDEF && !ofCompiler {
				variables = append(variables, s.Name)
			}
		}
	}
	slices.Sort(variables)
	return kernels, variables, nil
}

func describeCompiled(info emulator.KernelInfo) CompiledKernel {
	k := NamedKernel(info.Name)
	typed := k.Params
	k.Params, k.Offsets = nil, nil
	for i, a := range info.Args {
		p := Param{Name: a.Name, Lanes: 1, Size: a.Size}
		switch a.Kind {
		case "global_buffer":
			p.Pointer, p.Type, p.Elem = true, "void", "void"
		case "by_value":
			p.Type = fmt.Sprintf("%d bytes", a.Size)
		case "image", "sampler":
			k.Problem = fmt.Sprintf("parameter %d is a texture (%s), which gorocm does not have", i+1, a.Kind)
		default:
			k.Problem = fmt.Sprintf("parameter %d is of the kind %s, which cannot be passed", i+1, a.Kind)
		}
		if len(typed) == len(info.Args) && typed[i].matches(p) {
			p = typed[i].Sized(p.Size)
			p.Name = a.Name
		}
		k.Params, k.Offsets = append(k.Params, p), append(k.Offsets, a.Offset)
	}
	return k
}

// matches reports whether the type of a parameter agrees with what the metadata says of it.
func (p Param) matches(meta Param) bool {
	return p.Pointer == meta.Pointer && p.HasSize(meta.Size)
}

// Sized is the parameter with the size of its argument. A type that no Go number can be converted to is known by its
// size alone.
func (p Param) Sized(size int) Param {
	p.Size = size
	if e := p.Elem; !p.Pointer && (e == "f16" || e == "bf16" || e == "f8e4m3" || e == "void") {
		p.Elem = ""
	}
	return p
}

// UnknownParam is a parameter of which only the size is known.
func UnknownParam(size int) Param {
	return Param{Type: fmt.Sprintf("%d bytes", size), Lanes: 1, Size: size, Anything: true}
}

// HasSize reports whether an argument of the parameter can have so many bytes.
func (p Param) HasSize(size int) bool {
	if p.Pointer {
		return size == 8
	}
	return p.Elem == "" || p.Lanes*elemSize(p.Elem) == size
}

// elemSize is the size of a type of C in bytes, by its name for tensors.
func elemSize(elem string) int {
	switch elem {
	case "bool", "i8", "u8", "f8e4m3":
		return 1
	case "i16", "u16", "f16", "bf16":
		return 2
	case "i64", "u64", "f64":
		return 8
	}
	return 4
}

// NamedKernel is what the symbol of a kernel says: its name, and the types of its parameters if it is one of C++.
func NamedKernel(symbol string) CompiledKernel {
	k := CompiledKernel{Symbol: symbol, Name: symbol}
	tree, err := demangle.ToAST(symbol)
	if err != nil {
		return k
	}
	if name, err := demangle.ToString(symbol, demangle.NoParams); err == nil {
		k.Name = name
	}
	typed, ok := tree.(*demangle.Typed)
	if !ok {
		return k
	}
	function, ok := typed.Type.(*demangle.FunctionType)
	if !ok {
		return k
	}
	for _, a := range function.Args {
		k.Params = append(k.Params, paramOfType(demangle.ASTToString(a)))
	}
	if len(k.Params) == 1 && k.Params[0].Type == "void" && !k.Params[0].Pointer {
		k.Params = nil
	}
	return k
}

// plainType matches a type without arguments of a template, and pointers to one.
var plainType = regexp.MustCompile(`^[\w ]+( const)?( ?\*(const)?)?$`)

// paramOfType is a parameter of a type that is written as in "float const*".
func paramOfType(text string) Param {
	text = strings.TrimSuffix(strings.ReplaceAll(text, " restrict", ""), " __restrict")
	if !plainType.MatchString(text) {
		base, pointer := strings.CutSuffix(text, "*")
		return Param{Type: base, Lanes: 1, Pointer: pointer}
	}
	tokens, _ := cTokens(text)
	return readParam(tokens, nil)
}
