//go:build !windows

package kernelspec

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// interpreter is the program that reports the prefix of a Python environment.
const interpreter = "python3"

// systemUserData is the folder of the user's own kernels where no variable of Jupyter's names it.
func systemUserData() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("kernelspec: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// systemData are the folders of kernels for all users.
func systemData() []string { return []string{"/usr/local/share/jupyter", "/usr/share/jupyter"} }

// executable reports whether a file is a program.
func executable(info fs.FileInfo) bool { return !info.IsDir() && info.Mode()&0o111 != 0 }
