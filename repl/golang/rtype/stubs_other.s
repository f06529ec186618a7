//go:build !amd64 && !arm64

// This file lets the package declare functions without bodies.
