//go:build !unix

package term

// stopProcessGroup does nothing: there is no job control here.
func stopProcessGroup() {}
