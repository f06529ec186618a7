// The package has functions without a body, for go:linkname.
