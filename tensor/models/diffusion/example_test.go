package diffusion_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
)

func ExampleOpen() {
	p, err := diffusion.Open("testdata/sd15", tensor.CPU()) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Options.Steps, p.Options.Negative = 3, "a dog"
	fmt.Println(p.Picture("a photo of a horse"))
	// Output:
	// picture, 32 × 32 pixels: a photo of a horse, 3 steps, seed 0, not a dog
}
