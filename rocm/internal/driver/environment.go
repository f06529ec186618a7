package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// EnvBool reads a boolean environment variable. A text that is not a boolean means true.
func EnvBool(name string) bool {
	s := os.Getenv(name)
	on, err := strconv.ParseBool(s)
	return s != "" && (on || err != nil)
}

// pathList reads an environment variable that lists folders.
func pathList(variable string) []string {
	return slices.DeleteFunc(filepath.SplitList(os.Getenv(variable)), func(s string) bool { return s == "" })
}
