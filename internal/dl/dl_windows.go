package dl

import "golang.org/x/sys/windows"

// Open loads a library.
func Open(path string) (handle uintptr, err error) {
	h, err := windows.LoadLibrary(path)
	return uintptr(h), err
}

// OpenGlobal is Open: on Windows libraries name those that they need.
func OpenGlobal(path string) (handle uintptr, err error) { return Open(path) }

// Symbol finds a function of a library.
func Symbol(handle uintptr, name string) (address uintptr, err error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

// Close lets go of a library.
func Close(handle uintptr) error { return windows.FreeLibrary(windows.Handle(handle)) }
