package library

// refused says why cells cannot import packages of the standard library that have no symbols in this program.
var refused = map[string]string{
	"plugin":       "plugins need cgo, without which this program is built",
	"runtime/cgo":  "it serves C code, and this program is built without cgo",
	"runtime/race": "it is the race detector's, which only programs that are built with -race have",
	"testing/synctest": "a goroutine of a cell that waits can also be interrupted, so that a bubble would never be idle: " +
		"write such tests as files of a package, which %test ./FOLDER runs",
	"time/tzdata": "its time zones are not in this program; time.LoadLocation finds those of the system, " +
		"or of the file that the environment variable ZONEINFO names",
}

// Refused reports whether a package is of the standard library, and cells cannot import it.
func Refused(pkg string) bool { return refused[pkg] != "" }
