package kernelspec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// root is the Jupyter data folder that the options select.
func (o Options) root() (string, error) {
	chosen := 0
	for _, is := range []bool{o.User, o.SysPrefix, o.Prefix != ""} {
		if is {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return "", errors.New("kernelspec: choose one of user, sys-prefix and prefix")
	case o.Prefix != "":
		prefix, err := filepath.Abs(o.Prefix)
		return filepath.Join(prefix, "share", "jupyter"), err
	case o.SysPrefix:
		prefix, err := sysPrefix()
		return filepath.Join(prefix, "share", "jupyter"), err
	}
	return userData()
}

// userData is the folder of the user's own kernels, determined as in jupyter_core.
func userData() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	return systemUserData()
}

func sysPrefix() (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	out, err := exec.Command(interpreter, "-c", "import sys; print(sys.prefix)").Output()
	if err != nil {
		return "", fmt.Errorf("kernelspec: no Python environment is active, and %s does not report its prefix (%w): name the folder with --prefix instead", interpreter, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// searchPath lists the data folders in which Jupyter looks for kernels, first match first.
func searchPath() []string {
	var dirs []string
	add := func(d string) {
		for _, have := range dirs {
			if have == d {
				return
			}
		}
		dirs = append(dirs, d)
	}
	for _, d := range filepath.SplitList(os.Getenv("JUPYTER_PATH")) {
		add(d)
	}
	if d, err := userData(); err == nil {
		add(d)
	}
	if d, err := sysPrefix(); err == nil {
		add(filepath.Join(d, "share", "jupyter"))
	}
	for _, d := range systemData() {
		add(d)
	}
	return dirs
}
