package dl

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Open loads a library. What it needs is looked for beside it. A name alone is looked for beside the program and in the
// system's folder, not in the current one, from where others could have it run their code.
func Open(path string) (handle uintptr, err error) {
	where := uintptr(windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if filepath.IsAbs(path) {
		where |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	h, err := windows.LoadLibraryEx(path, 0, where)
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
