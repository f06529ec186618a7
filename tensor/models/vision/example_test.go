package vision_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

func ExampleOpen() {
	dev := tensor.CPU()
	m, err := vision.Open("testdata/vit", dev) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	image, err := formats.ReadImage("testdata/wide.png", dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Classify(image) {
		fmt.Printf("%s: %.3f\n", c.Label, c.Score)
	}
	// Output:
	// dog: 0.654
	// a thing, of any kind: 0.186
	// cat: 0.160
}

func ExampleOpenCLIP() {
	dev := tensor.CPU()
	clip, err := vision.OpenCLIP("testdata/clip", dev) // a small one of random weights
	if err != nil {
		fmt.Println(err)
		return
	}
	image, err := formats.ReadImage("testdata/wide.png", dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(clip.Images(image).Dims(), clip.Texts("a cat", "a dog").Dims())
	for _, c := range clip.Classify(image, "a photo of a cat", "a photo of a dog") {
		fmt.Printf("%s: %.3f\n", c.Label, c.Score)
	}
	// Output:
	// [1 12] [2 12]
	// a photo of a cat: 0.511
	// a photo of a dog: 0.489
}
