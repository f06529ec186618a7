// Package dl loads shared libraries on Linux, macOS and Windows: by purego, and on Windows, where purego loads none, by
// the system's own calls. It also knows what libraries of Linux are called on Windows (names.go). On other systems no
// library can be loaded, which Open says.
package dl
