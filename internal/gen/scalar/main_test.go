package main

import (
	"os"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestCurrent: kernels/scalar.h is what the functions give.
func TestCurrent(t *testing.T) {
	thorough.Slow(t)
	want, err := translate("../../../tensor/internal/special/scalar")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../kernels/scalar.h")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("kernels/scalar.h is not current: run go generate ./tensor/internal/special/scalar ./kernels")
	}
}
