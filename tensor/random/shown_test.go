package random_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

func TestGeneratorShown(t *testing.T) {
	g := random.New(7)
	g.Uniform(0, 1, []int{3}, tensor.F32, tensor.CPU())
	if got := fmt.Sprint(g, "; ", random.Default(tensor.CPU())); got != "random.Generator: seed 7; random.Generator: that of cpu" {
		t.Error(got)
	}
}
