package linked

import (
	"reflect"
	_ "unsafe" // for go:linkname
)

// The methods of types, as package reflect lets others reach them (its file badlinkname.go).
var typeMethods = map[string]pointer{
	"reflect.(*rtype).Align":           at(rtypeAlign),
	"reflect.(*rtype).AssignableTo":    at(rtypeAssignableTo),
	"reflect.(*rtype).Bits":            at(rtypeBits),
	"reflect.(*rtype).ChanDir":         at(rtypeChanDir),
	"reflect.(*rtype).Comparable":      at(rtypeComparable),
	"reflect.(*rtype).ConvertibleTo":   at(rtypeConvertibleTo),
	"reflect.(*rtype).Elem":            at(rtypeElem),
	"reflect.(*rtype).Field":           at(rtypeField),
	"reflect.(*rtype).FieldAlign":      at(rtypeFieldAlign),
	"reflect.(*rtype).FieldByIndex":    at(rtypeFieldByIndex),
	"reflect.(*rtype).FieldByName":     at(rtypeFieldByName),
	"reflect.(*rtype).FieldByNameFunc": at(rtypeFieldByNameFunc),
	"reflect.(*rtype).Implements":      at(rtypeImplements),
	"reflect.(*rtype).In":              at(rtypeIn),
	"reflect.(*rtype).IsVariadic":      at(rtypeIsVariadic),
	"reflect.(*rtype).Key":             at(rtypeKey),
	"reflect.(*rtype).Kind":            at(rtypeKind),
	"reflect.(*rtype).Len":             at(rtypeLen),
	"reflect.(*rtype).Method":          at(rtypeMethod),
	"reflect.(*rtype).MethodByName":    at(rtypeMethodByName),
	"reflect.(*rtype).Name":            at(rtypeName),
	"reflect.(*rtype).NumField":        at(rtypeNumField),
	"reflect.(*rtype).NumIn":           at(rtypeNumIn),
	"reflect.(*rtype).NumMethod":       at(rtypeNumMethod),
	"reflect.(*rtype).NumOut":          at(rtypeNumOut),
	"reflect.(*rtype).Out":             at(rtypeOut),
	"reflect.(*rtype).PkgPath":         at(rtypePkgPath),
	"reflect.(*rtype).Size":            at(rtypeSize),
	"reflect.(*rtype).String":          at(rtypeString),
	"reflect.(*rtype).ptrTo":           at(rtypePtrTo),
}

//go:linkname rtypeAlign reflect.(*rtype).Align
func rtypeAlign(pointer) int

//go:linkname rtypeAssignableTo reflect.(*rtype).AssignableTo
func rtypeAssignableTo(pointer, reflect.Type) bool

//go:linkname rtypeBits reflect.(*rtype).Bits
func rtypeBits(pointer) int

//go:linkname rtypeChanDir reflect.(*rtype).ChanDir
func rtypeChanDir(pointer) reflect.ChanDir

//go:linkname rtypeComparable reflect.(*rtype).Comparable
func rtypeComparable(pointer) bool

//go:linkname rtypeConvertibleTo reflect.(*rtype).ConvertibleTo
func rtypeConvertibleTo(pointer, reflect.Type) bool

//go:linkname rtypeElem reflect.(*rtype).Elem
func rtypeElem(pointer) reflect.Type

//go:linkname rtypeField reflect.(*rtype).Field
func rtypeField(pointer, int) reflect.StructField

//go:linkname rtypeFieldAlign reflect.(*rtype).FieldAlign
func rtypeFieldAlign(pointer) int

//go:linkname rtypeFieldByIndex reflect.(*rtype).FieldByIndex
func rtypeFieldByIndex(pointer, []int) reflect.StructField

//go:linkname rtypeFieldByName reflect.(*rtype).FieldByName
func rtypeFieldByName(pointer, string) (reflect.StructField, bool)

//go:linkname rtypeFieldByNameFunc reflect.(*rtype).FieldByNameFunc
func rtypeFieldByNameFunc(pointer, func(string) bool) (reflect.StructField, bool)

//go:linkname rtypeImplements reflect.(*rtype).Implements
func rtypeImplements(pointer, reflect.Type) bool

//go:linkname rtypeIn reflect.(*rtype).In
func rtypeIn(pointer, int) reflect.Type

//go:linkname rtypeIsVariadic reflect.(*rtype).IsVariadic
func rtypeIsVariadic(pointer) bool

//go:linkname rtypeKey reflect.(*rtype).Key
func rtypeKey(pointer) reflect.Type

//go:linkname rtypeKind reflect.(*rtype).Kind
func rtypeKind(pointer) reflect.Kind

//go:linkname rtypeLen reflect.(*rtype).Len
func rtypeLen(pointer) int

//go:linkname rtypeMethod reflect.(*rtype).Method
func rtypeMethod(pointer, int) reflect.Method

//go:linkname rtypeMethodByName reflect.(*rtype).MethodByName
func rtypeMethodByName(pointer, string) (reflect.Method, bool)

//go:linkname rtypeName reflect.(*rtype).Name
func rtypeName(pointer) string

//go:linkname rtypeNumField reflect.(*rtype).NumField
func rtypeNumField(pointer) int

//go:linkname rtypeNumIn reflect.(*rtype).NumIn
func rtypeNumIn(pointer) int

//go:linkname rtypeNumMethod reflect.(*rtype).NumMethod
func rtypeNumMethod(pointer) int

//go:linkname rtypeNumOut reflect.(*rtype).NumOut
func rtypeNumOut(pointer) int

//go:linkname rtypeOut reflect.(*rtype).Out
func rtypeOut(pointer, int) reflect.Type

//go:linkname rtypePkgPath reflect.(*rtype).PkgPath
func rtypePkgPath(pointer) string

//go:linkname rtypeSize reflect.(*rtype).Size
func rtypeSize(pointer) uintptr

//go:linkname rtypeString reflect.(*rtype).String
func rtypeString(pointer) string

//go:linkname rtypePtrTo reflect.(*rtype).ptrTo
func rtypePtrTo(pointer) pointer
