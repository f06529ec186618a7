package folders

import (
	"errors"
	"os"
)

// The variables that users set to move the folders, for messages.
const (
	ConfigVariable = "%AppData%"
	StateVariable  = "%LocalAppData%"
	HomeVariable   = "%UserProfile%"
)

// Config is the folder of configurations.
func Config() (string, error) { return folder("AppData", ConfigVariable) }

// State is the folder of what is to be kept, such as a history. It is not copied between the machines of a domain.
func State() (string, error) { return folder("LocalAppData", StateVariable) }

func folder(variable, shown string) (string, error) {
	if base := os.Getenv(variable); base != "" {
		return base, nil
	}
	return "", errors.New(shown + " is not set")
}
