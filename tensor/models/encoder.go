package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/encoder"
)

// Encoder is a model that reads texts as a whole: BERT and its followers. Embed makes a vector of a text, by which
// texts of like meaning are found (NewIndex); Logits classifies, where the model was trained to.
type Encoder = encoder.Encoder

// EncoderConfig are the sizes of an Encoder.
type EncoderConfig = encoder.Config

// Pooling is how the vector of a text comes from those of its tokens, as sentence-transformers has it.
type Pooling = encoder.Pooling

// OpenEncoder reads an encoder from a folder of Hugging Face onto a device, to compute in F32: config.json,
// tokenizer.json and the weights, and for sentence embeddings modules.json and what it names. Its model_type is one of
// bert (and so MiniLM, E5, BGE, GTE), roberta, xlm-roberta, camembert, distilbert, modernbert and nomic_bert. Without
// modules.json vectors are means, as sentence-transformers does it.
//
// The error names what is not supported. It is a *nn.ParamsError when weights are missing, or when there are others.
func OpenEncoder(path string, dev *tensor.Device) (*Encoder, error) { return encoder.Open(path, dev) }

// IsEncoder reports whether a folder has an encoder that OpenEncoder knows, by its config.json.
func IsEncoder(path string) bool { return encoder.Is(path) }

// OpenEncoderAs is OpenEncoder for a model that computes in dtype. Vectors are F32.
func OpenEncoderAs(path string, dtype tensor.DType, dev *tensor.Device) (*Encoder, error) {
	return encoder.OpenAs(path, dtype, dev)
}
