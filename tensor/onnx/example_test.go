package onnx_test

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/onnx"
)

// tiny is a model of a layer and a softmax, as base64.
const tiny = "CAgSC29ubnguaGVscGVyOqwBChoKAXgKAXcKAWISAWgaBmxpbmVhciIER2VtbQoYCgFoEgFwGgdzb2Z0bWF4IgdTb2Z0bWF4EgR0aW55" +
	"KiMIAggDEAFCAXdKGAAAgD8AAIC/AAAAPwAAgD4AAABAAAAAvyoVCAMQAUIBYkoMAAAAAAAAgD8AAAAAWhgKAXgSEwoRCAESDQoHEgViYXRjaAoC" +
	"CAJiGAoBcBITChEIARINCgcSBWJhdGNoCgIIA0IECgAQEQ=="

func ExampleRead() {
	m, err := onnx.Read(base64.NewDecoder(base64.StdEncoding, strings.NewReader(tiny)), tensor.CPU())
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Inputs(), m.Outputs())
	fmt.Println(m.Forward(tensor.New([][]float32{{1, 0}, {0, 1}})).RoundTo(3))
	// Output:
	// [x f32 [batch, 2]] [p f32 [batch, 3]]
	// [[0.5060, 0.1860, 0.3070],
	//  [0.0580, 0.9140, 0.0280]]
	// Tensor[[2, 3], f32]
}
