package group

import (
	"errors"

	"golang.org/x/sys/windows"
)

// renaming reports whether a file could not be opened since it is being given its name.
func renaming(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
