// Package finetune has language models that are trained: Llama, Mistral, Qwen 2 and Qwen 3, new ones and those in
// folders of Hugging Face, whole or by adapters.
//
//	base, err := finetune.Read("Llama-3.2-1B-Instruct", tensor.BF16, dev)
//	lora := nn.NewLoRA(nn.DefaultLoRA("q_proj", "v_proj"), tensor.F32, dev)
//	m, err := finetune.New(base.Config, base.Params.Adapt(lora))
//	// train.Fit with m.Loss and lora.Params(); then
//	err = lora.Save("my-lora")
//	chat, err := models.Open("Llama-3.2-1B-Instruct", dev, models.Adapter{Path: "my-lora"})
//
// The decoders of package models are made to generate: their weights are copied, and products that share an input are
// one. Those here compute a batch of texts at once, [batch tokens], and record gradients.
//
//	model.go   the model
//	folder.go  folders of Hugging Face, read and written
//	turns.go   conversations as tokens and targets
package finetune
