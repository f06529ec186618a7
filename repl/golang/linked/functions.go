package linked

import (
	_ "math/big" // has to be there
	"reflect"
	_ "unsafe" // for go:linkname
)

// The functions that have one implementation for all types.
var functions = map[string]pointer{
	"reflect.unsafe_New":        at(reflectUnsafeNew),
	"reflect.unsafe_NewArray":   at(reflectUnsafeNewarray),
	"reflect.typedmemmove":      at(reflectTypedmemmove),
	"reflect.typedslicecopy":    at(reflectTypedslicecopy),
	"reflect.mapassign":         at(reflectMapassign),
	"reflect.mapaccess":         at(reflectMapaccess),
	"reflect.mapiterinit":       at(reflectMapiterinit),
	"reflect.mapiternext":       at(reflectMapiternext),
	"reflect.mapiterkey":        at(reflectMapiterkey),
	"reflect.mapiterelem":       at(reflectMapiterelem),
	"reflect.maplen":            at(reflectMaplen),
	"reflect.makemap":           at(reflectMakemap),
	"reflect.ifaceE2I":          at(reflectIfaceE2I),
	"reflect.ifaceIndir":        at(reflectIfaceIndir),
	"reflect.resolveTypeOff":    at(reflectResolveTypeOff),
	"reflect.rtypeOff":          at(reflectRtypeOff),
	"reflect.resolveNameOff":    at(reflectResolveNameOff),
	"reflect.typelinks":         at(reflectTypelinks),
	"reflect.toType":            at(reflectToType),
	"reflect.chanlen":           at(reflectChanlen),
	"runtime.mapassign_faststr": at(runtimeMapassignFaststr),
	"runtime.mapiterinit":       at(runtimeMapiterinit),
	"math/big.addVV":            at(bigAddVV),
	"math/big.subVV":            at(bigSubVV),
	"math/big.addVW":            at(bigAddVW),
	"math/big.subVW":            at(bigSubVW),
	"math/big.shlVU":            at(bigShlVU),
	"math/big.mulAddVWW":        at(bigMulAddVWW),
	"math/big.addMulVVW":        at(bigAddMulVVW),
}

//go:linkname reflectUnsafeNew reflect.unsafe_New
func reflectUnsafeNew(typ pointer) pointer

//go:linkname reflectUnsafeNewarray reflect.unsafe_NewArray
func reflectUnsafeNewarray(typ pointer, n int) pointer

//go:linkname reflectTypedmemmove reflect.typedmemmove
func reflectTypedmemmove(typ, to, from pointer)

//go:linkname reflectTypedslicecopy reflect.typedslicecopy
func reflectTypedslicecopy(elem pointer, to, from []byte) int

//go:linkname reflectMapassign reflect.mapassign
func reflectMapassign(typ, m, key, value pointer)

//go:linkname reflectMapaccess reflect.mapaccess
func reflectMapaccess(typ, m, key pointer) pointer

//go:linkname reflectMapiterinit reflect.mapiterinit
func reflectMapiterinit(typ, m, it pointer)

//go:linkname reflectMapiternext reflect.mapiternext
func reflectMapiternext(it pointer)

//go:linkname reflectMapiterkey reflect.mapiterkey
func reflectMapiterkey(it pointer) pointer

//go:linkname reflectMapiterelem reflect.mapiterelem
func reflectMapiterelem(it pointer) pointer

//go:linkname reflectMaplen reflect.maplen
func reflectMaplen(m pointer) int

//go:linkname reflectMakemap reflect.makemap
func reflectMakemap(typ pointer, n int) pointer

//go:linkname reflectIfaceE2I reflect.ifaceE2I
func reflectIfaceE2I(typ pointer, from any, to pointer)

//go:linkname reflectIfaceIndir reflect.ifaceIndir
func reflectIfaceIndir(typ pointer) bool

//go:linkname reflectResolveTypeOff reflect.resolveTypeOff
func reflectResolveTypeOff(typ pointer, offset int32) pointer

//go:linkname reflectRtypeOff reflect.rtypeOff
func reflectRtypeOff(section pointer, offset int32) pointer

//go:linkname reflectResolveNameOff reflect.resolveNameOff
func reflectResolveNameOff(in pointer, offset int32) pointer

//go:linkname reflectTypelinks reflect.typelinks
func reflectTypelinks() ([]pointer, [][]int32)

//go:linkname reflectToType reflect.toType
func reflectToType(typ pointer) reflect.Type

//go:linkname reflectChanlen reflect.chanlen
func reflectChanlen(c pointer) int

//go:linkname runtimeMapassignFaststr runtime.mapassign_faststr
func runtimeMapassignFaststr(typ, m pointer, key string) pointer

//go:linkname runtimeMapiterinit runtime.mapiterinit
func runtimeMapiterinit(typ, m, it pointer)

//go:linkname bigAddVV math/big.addVV
func bigAddVV(z, x, y []uint) uint

//go:linkname bigSubVV math/big.subVV
func bigSubVV(z, x, y []uint) uint

//go:linkname bigAddVW math/big.addVW
func bigAddVW(z, x []uint, y uint) uint

//go:linkname bigSubVW math/big.subVW
func bigSubVW(z, x []uint, y uint) uint

//go:linkname bigShlVU math/big.shlVU
func bigShlVU(z, x []uint, s uint) uint

//go:linkname bigMulAddVWW math/big.mulAddVWW
func bigMulAddVWW(z, x []uint, y, r uint) uint

//go:linkname bigAddMulVVW math/big.addMulVVW
func bigAddMulVVW(z, x []uint, y uint) uint
