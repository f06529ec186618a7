package kernelspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// serverFile is the file that registers the language server with jupyter-lsp, in Jupyter's configuration.
const serverFile = "gorocm-lsp.json"

// installServer registers the language server with jupyter-lsp, which JupyterLab uses when it is installed.
func installServer(o Options) error {
	dir, err := o.serverDir()
	if err != nil {
		return err
	}
	spec := map[string]any{
		"argv":         o.Server,
		"display_name": "gorocm",
		"languages":    []string{"go"},
		"mime_types":   []string{"text/x-go"},
		"version":      2, // of jupyter-lsp's specs
	}
	text, err := json.MarshalIndent(map[string]any{"LanguageServerManager": map[string]any{
		"language_servers": map[string]any{Name: spec}}}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return replace(filepath.Join(dir, serverFile), append(text, '\n'))
}

// uninstallServer removes what installServer has written.
func uninstallServer(o Options) error {
	dir, err := o.serverDir()
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, serverFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// serverDir is the folder of Jupyter's configuration that the options select, as in jupyter_core.
func (o Options) serverDir() (string, error) {
	const folder = "jupyter_server_config.d"
	switch {
	case o.Prefix != "":
		prefix, err := filepath.Abs(o.Prefix)
		return filepath.Join(prefix, "etc", "jupyter", folder), err
	case o.SysPrefix:
		prefix, err := sysPrefix()
		return filepath.Join(prefix, "etc", "jupyter", folder), err
	}
	if dir := os.Getenv("JUPYTER_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, folder), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("kernelspec: %w", err)
	}
	return filepath.Join(home, ".jupyter", folder), nil
}
