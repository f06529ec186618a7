package driver

import (
	"fmt"
	"slices"
	"strings"
)

// VendorKind is what differs between two libraries of one purpose, AMD's and NVIDIA's.
type VendorKind struct {
	Name     string
	Platform Platform
	Purpose  string
	Statuses map[Code]string
	NoMemory []Code
	Find     func() (*Library, error) // the file, once
	// fails for a GPU that the library has no code for; nil where its calls fail by themselves
	Supports func(lib *Library, arch string) error
}

// VendorLibrary is a loaded library of a VendorKind.
type VendorLibrary struct {
	Kind    *VendorKind
	File    *Library
	Version string
	Lacks   string // the calls that it lacks
}

// Probed is what came of loading a library.
type Probed struct {
	Kind    *VendorKind
	Library *VendorLibrary // nil where there is none
	Err     error
}

// Vendor returns l: types that embed a VendorLibrary have it as a method.
func (l *VendorLibrary) Vendor() *VendorLibrary { return l }

// StatusError is the error of a call that returned a status.
func (l *VendorLibrary) StatusError(call string, status Code) error {
	name := l.Kind.Statuses[status]
	if name == "" {
		name = l.Kind.Statuses[status/1000*1000] // cuDNN 9: thousands are the kinds, the rest the details
	}
	if name == "" {
		name = "status"
	}
	e := &Error{Op: call, Code: int(status), Name: name, Kind: ErrUnsupported, Detail: l.Label()}
	if slices.Contains(l.Kind.NoMemory, status) {
		e.Kind = ErrOutOfMemory
	}
	return e
}

func (l *VendorLibrary) Label() string {
	return fmt.Sprintf("%s %s, %s", l.Kind.Name, l.Version, l.File.Path)
}

// Lacking lists the C names of the calls that are nil.
func Lacking[Table any](platform Platform, calls map[string]Call) string {
	var list []string
	for field, call := range calls {
		if call == nil {
			list = append(list, CName[Table](field, platform.Column()))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TextVersion asks for the version as text, as AMD's libraries have it: numbers, then the commit, which distributions
// leave out behind the last dot.
func TextVersion(text func(buffer *byte, size uintptr) Code) string {
	buffer := make([]byte, 256)
	if text(&buffer[0], uintptr(len(buffer)-1)) != 0 {
		return ""
	}
	return strings.TrimRight(GoString(&buffer[0]), ".")
}

// PropertyVersion queries major, minor and patch number, as NVIDIA's libraries have it.
func PropertyVersion(number func(property int32, value *int32) Code) string {
	var parts []string
	for property := range int32(3) {
		var v int32
		if number(property, &v) == 0 {
			parts = append(parts, fmt.Sprint(v))
		}
	}
	return strings.Join(parts, ".")
}
