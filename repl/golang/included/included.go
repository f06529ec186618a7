// Package included has the modules that were compiled into this program beside gorocm: none in gorocm as it is
// installed. A program of package compiled fills it before main runs. Every included
// package imports it, so it imports little.
package included

import (
	"maps"
	"reflect"
	"strings"
)

// Symbols maps "import path/package name" to name to value, as yaegi's Use takes it.
var Symbols = map[string]map[string]reflect.Value{}

// Add adds names of a package.
func Add(pkg string, names map[string]reflect.Value) {
	if Symbols[pkg] == nil {
		Symbols[pkg] = map[string]reflect.Value{}
	}
	maps.Copy(Symbols[pkg], names)
}

// Instances are the instances of generic types that compiled code has, by their keys (package typekey).
var Instances = map[string]reflect.Type{}

// Instance is an instance of a generic type of a package, which pointer points to, and its methods that are not
// exported.
func Instance(pkg string, pointer any, methods map[string]reflect.Value) func(key string) {
	return func(key string) {
		Instances[key] = reflect.TypeOf(pointer).Elem()
		for name, f := range methods {
			Add(pkg, map[string]reflect.Value{key + "." + name: f})
		}
	}
}

// Archive is a zip file with the types and the documentation of the packages, in the form of library's; nil without
// any.
var Archive []byte

// Key says what the program was made of, empty without included modules.
var Key string

// Refused are included packages with generic functions or types that cells cannot use.
var Refused map[string]bool

// Versions are the versions of the included modules.
var Versions map[string]string

// VersionOf is the version of the module that has an included package, "" for any other package.
func VersionOf(path string) string {
	for p := path; ; {
		if v := Versions[p]; v != "" {
			return v
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return ""
		}
		p = p[:i]
	}
}
