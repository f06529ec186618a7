//go:build !amd64

package simd

type level struct{ plain, stream Functions }

func levels() []level { return nil }

func fastest() (plain, stream Functions) { return Functions{Name: "Go"}, Functions{} }
