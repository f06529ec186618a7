package models_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// A small GPT that learns one line, and writes it.
func Example() {
	dev := tensor.CPU() // or tensor.NewDevice("rocm")
	dev.SetSeed(1)
	const line = "to be or not to be\n"
	tok := tokenizers.Characters(line)
	ids := dev.New(tok.Encode(line))

	params := nn.NewParams(tensor.F32, dev)
	gpt, err := models.NewGPT(models.GPTConfig{Vocab: tok.Size(), Context: 32, Dim: 32, Layers: 1, Heads: 4}, params)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := nn.DefaultAdamW()
	config.LR = 0.01
	opt := nn.NewAdamW(params.Vars(), config)
	n := ids.ElemCount() - 1
	for range 60 {
		logits := gpt.Forward(ids.Narrow(0, 0, n).Unsqueeze(0)) // [1 n vocab]
		nn.BackwardStep(opt, nn.CrossEntropy(logits.Squeeze(0), ids.Narrow(0, 1, n)))
	}

	writer := models.NewGenerator(gpt.Decoder(), tok, nn.Sampling{}) // the likeliest character each time
	writer.Prompt("to be or")
	for writer.Next() && writer.Text() != "\n" {
		fmt.Print(writer.Text())
	}
	// Output: not to be
}
