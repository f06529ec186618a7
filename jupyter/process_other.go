//go:build !unix

package jupyter

import "os"

// processGroup is 0: processes have no groups here.
func processGroup() int { return 0 }

// gone reports whether there is no process of a number.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	p.Release()
	return false
}
