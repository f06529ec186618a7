//go:build darwin || linux

package dl

import "github.com/ebitengine/purego"

// Open loads a library, whose names other libraries do not see.
func Open(path string) (handle uintptr, err error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// OpenGlobal loads a library, whose names libraries see that are loaded later.
func OpenGlobal(path string) (handle uintptr, err error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

// Symbol finds a function of a library.
func Symbol(handle uintptr, name string) (address uintptr, err error) {
	return purego.Dlsym(handle, name)
}

// Close lets go of a library.
func Close(handle uintptr) error { return purego.Dlclose(handle) }
