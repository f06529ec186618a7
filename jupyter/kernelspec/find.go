package kernelspec

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Installed is a kernelspec of gorocm that Jupyter may find.
type Installed struct {
	Dir     string   // the folder of kernel.json
	Argv    []string // what Jupyter starts
	OK      bool
	Problem string // why Jupyter cannot start it, and what to do; empty when OK
}

// Find lists the gorocm kernelspecs in the folders that Jupyter searches, in its order: the first one is used.
func Find() []Installed {
	var found []Installed
	for _, root := range searchPath() {
		dir := filepath.Join(root, "kernels", Name)
		text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
		if os.IsNotExist(err) {
			continue
		}
		in := Installed{Dir: dir}
		var s spec
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		in.Argv = s.Argv
		if err != nil {
			in.Problem = fmt.Sprintf("kernel.json cannot be read: %v; install again", err)
		} else {
			in.Problem = problem(s)
		}
		in.OK = in.Problem == ""
		found = append(found, in)
	}
	return found
}

// problem describes why a kernelspec does not work.
func problem(s spec) string {
	if len(s.Argv) == 0 {
		return "kernel.json names no command; install again"
	}
	program := s.Argv[0]
	if !filepath.IsAbs(program) {
		return fmt.Sprintf("the command %q is not an absolute path, so it depends on Jupyter's PATH; install again",
			program)
	}
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return fmt.Sprintf("%s no longer exists; install the kernel again with the current gorocm", program)
	case !executable(info):
		return fmt.Sprintf("%s is not an executable file; install again", program)
	case !slices.Contains(s.Argv, connectionFile):
		return "kernel.json does not pass the connection file; install again"
	case s.InterruptMode != "message":
		return fmt.Sprintf("interrupt_mode is %q, so stopping a cell depends on a signal; install again",
			s.InterruptMode)
	}
	return ""
}
