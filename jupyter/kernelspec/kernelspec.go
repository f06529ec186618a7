// Package kernelspec writes, removes and checks the kernel.json folders through which Jupyter starts the kernel.
package kernelspec

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the kernel's name: jupyter console --kernel gorocm.
const Name = "gorocm"

//go:generate go run ./logo
//go:embed logo-32x32.png logo-64x64.png logo-svg.svg
var logos embed.FS

// Options say where the kernel is installed. At most one of User, SysPrefix and Prefix is set; none means User.
type Options struct {
	// User installs for this user, in Jupyter's data folder.
	User bool
	// SysPrefix installs in the Python environment that is active ($VIRTUAL_ENV or $CONDA_PREFIX), or else in that of
	// the python3 on the path.
	SysPrefix bool
	// Prefix installs in PREFIX/share/jupyter.
	Prefix string
	// Command starts the kernel. Its first element is an absolute path; the connection file is appended to it.
	Command []string
	// Server starts the language server, which is registered with jupyter-lsp; nil registers none.
	Server []string
}

// spec is kernel.json.
type spec struct {
	Argv          []string       `json:"argv"`
	DisplayName   string         `json:"display_name"`
	Language      string         `json:"language"`
	InterruptMode string         `json:"interrupt_mode"`
	Protocol      string         `json:"kernel_protocol_version"`
	Metadata      map[string]any `json:"metadata"`
}

// protocol is the version that the kernel speaks: clients may wait for its iopub_welcome.
const protocol = "5.5"

// connectionFile is the placeholder that Jupyter replaces by the path of the connection file.
const connectionFile = "{connection_file}"

// Install writes the kernelspec, replacing an older one, and returns its folder. It registers the language server,
// too.
func Install(o Options) (dir string, err error) {
	if len(o.Command) == 0 || !filepath.IsAbs(o.Command[0]) {
		return "", fmt.Errorf("kernelspec: the command %q must begin with an absolute path: Jupyter may start it from any folder with any PATH", o.Command)
	}
	root, err := o.root()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, "kernels", Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("kernelspec: %w", err)
	}
	text, err := json.MarshalIndent(spec{
		Argv:          append(append([]string{}, o.Command...), connectionFile),
		DisplayName:   "Go (gorocm)",
		Language:      "go",
		InterruptMode: "message",
		Protocol:      protocol,
		Metadata:      map[string]any{"debugger": true, "supported_encryption": []string{"curve"}},
	}, "", "  ")
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"kernel.json": append(text, '\n')}
	entries, err := logos.ReadDir(".")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if files[e.Name()], err = logos.ReadFile(e.Name()); err != nil {
			return "", err
		}
	}
	for name, data := range files {
		if err := replace(filepath.Join(dir, name), data); err != nil {
			return "", fmt.Errorf("kernelspec: %w", err)
		}
	}
	if len(o.Server) > 0 {
		if err := installServer(o); err != nil {
			return "", fmt.Errorf("kernelspec: %w", err)
		}
	}
	return dir, nil
}

// replace writes a file atomically, because Jupyter may read it at any time.
func replace(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Uninstall removes the kernelspec that Install with the same options has written, and returns its folder. It is an
// error if it does not exist.
func Uninstall(o Options) (dir string, err error) {
	root, err := o.root()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, "kernels", Name)
	if _, err := os.Stat(filepath.Join(dir, "kernel.json")); errors.Is(err, fs.ErrNotExist) {
		return dir, fmt.Errorf("kernelspec: no kernel is installed in %s", dir)
	}
	if err := errors.Join(os.RemoveAll(dir), uninstallServer(o)); err != nil {
		return dir, fmt.Errorf("kernelspec: %w", err)
	}
	return dir, nil
}
