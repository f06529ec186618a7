//go:build amd64 || arm64

package team

// pause tells the core that the goroutine polls.
func pause()
