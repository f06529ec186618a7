package kernelspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// interpreter is the program that reports the prefix of a Python environment.
const interpreter = "python"

// systemUserData is the folder of the user's own kernels where no variable of Jupyter's names it.
func systemUserData() (string, error) {
	base := os.Getenv("AppData")
	if base == "" {
		return "", errors.New("kernelspec: %AppData% is not set, so Jupyter's folder is not known: name it with --prefix")
	}
	return filepath.Join(base, "jupyter"), nil
}

// systemData are the folders of kernels for all users.
func systemData() []string {
	if base := os.Getenv("ProgramData"); base != "" {
		return []string{filepath.Join(base, "jupyter")}
	}
	return nil
}

// executable reports whether a file is a program: its name says so.
func executable(info fs.FileInfo) bool {
	return !info.IsDir() && strings.EqualFold(filepath.Ext(info.Name()), ".exe")
}
