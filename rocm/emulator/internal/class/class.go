// Package class says what kind of instruction a name of AMD's assembler is: which unit executes it, and what it does to
// memory.
package class

import "strings"

// Class is a kind of instruction, by the unit of the GPU that executes it.
type Class uint8

// The classes of instructions.
const (
	VALU    Class = iota // arithmetic of lanes
	SALU                 // arithmetic of a wave
	SMEM                 // loads of a wave
	VMEM                 // global and generic memory
	LDS                  // shared memory, and what moves data between lanes through it
	Scratch              // private memory
	Branch
	Other // barriers, ends, messages
	Classes
)

// String returns the class as AMD calls it.
func (c Class) String() string {
	return [...]string{"VALU", "SALU", "SMEM", "VMEM", "LDS", "scratch", "branch", "other", "?"}[min(c, Classes)]
}

// Effect is what an instruction does to memory.
type Effect uint8

// The effects. Atomic operations modify.
const (
	None Effect = iota
	Loads
	Stores
	Modifies
)

// Of derives from its name what an instruction is.
func Of(name string) (Class, Effect) {
	has := func(part string) bool { return strings.Contains(name, part) }
	class := Other
	switch {
	case strings.HasPrefix(name, "v_"):
		return VALU, None
	case strings.HasPrefix(name, "s_load"), strings.HasPrefix(name, "s_buffer_load"):
		return SMEM, Loads
	case strings.HasPrefix(name, "s_branch"), strings.HasPrefix(name, "s_cbranch"), strings.HasPrefix(name, "s_setpc"),
		strings.HasPrefix(name, "s_swappc"), strings.HasPrefix(name, "s_call"):
		return Branch, None
	case strings.HasPrefix(name, "ds_"):
		class = LDS
	case strings.HasPrefix(name, "global_"), strings.HasPrefix(name, "flat_"), strings.HasPrefix(name, "buffer_"):
		class = VMEM
	case strings.HasPrefix(name, "scratch_"):
		class = Scratch
	default:
		if strings.HasPrefix(name, "s_") && !others[name] {
			return SALU, None
		}
		return Other, None
	}
	switch {
	case has("permute"), has("swizzle"):
		return class, None
	case has("_load"):
		return class, Loads
	case has("_store") && !has("storexchg"):
		return class, Stores
	}
	return class, Modifies
}

// others are the scalar instructions that compute nothing.
var others = map[string]bool{}

// SetOther says that a scalar instruction computes nothing.
func SetOther(name string) { others[name] = true }
