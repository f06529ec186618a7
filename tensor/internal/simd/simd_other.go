//go:build !amd64

package simd

func levels() []Functions { return nil }

func fastest() Functions { return Functions{Name: "Go"} }
