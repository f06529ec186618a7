//go:build !windows

package folders

import (
	"errors"
	"os"
	"path/filepath"
)

// The variables that users set to move the folders, for messages.
const (
	ConfigVariable = "$XDG_CONFIG_HOME"
	StateVariable  = "$XDG_STATE_HOME"
	HomeVariable   = "$HOME"
)

// Config is the folder of configurations: $XDG_CONFIG_HOME, or ~/.config.
func Config() (string, error) { return folder("XDG_CONFIG_HOME", ".config") }

// State is the folder of what is to be kept, such as a history: $XDG_STATE_HOME, or ~/.local/state.
func State() (string, error) { return folder("XDG_STATE_HOME", ".local/state") }

func folder(variable, inHome string) (string, error) {
	if base := os.Getenv(variable); filepath.IsAbs(base) {
		return base, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("neither $" + variable + " nor " + HomeVariable + " is set")
	}
	return filepath.Join(home, inHome), nil
}
