package models

import (
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
)

// LlamaConfig are the sizes of a decoder of the Llama family, and in Variant what others have that Llama has not.
type LlamaConfig = config.LlamaConfig

// Variant is what decoders have that Llama has not: those of Gemma, Phi, OLMo, Granite, SmolLM, GLM, StableLM,
// StarCoder, GPT-NeoX, Cohere, gpt-oss, DeepSeek, GPT-2, Falcon, Llama 4, Mamba and others. Its zero value is Llama.
type Variant = config.Variant

// RopeScaling is Llama 3.1's scaling of the rotary embedding to a longer context: low frequencies are divided by
// Factor, high ones stay. A Factor of 0 is none.
type RopeScaling = config.RopeScaling

// Mixture describes feed-forward parts of many experts, of which each token goes to a few: the ones to which a router
// gives the largest probabilities.
type Mixture = config.Mixture

// Latent describes multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", 2024): the keys and values of a token are
// products of one short row, which is all that caches have of it, with the part of the keys that is rotated.
type Latent = config.Latent

// StateSpace are the sizes of layers that keep a state of the text, as Mamba's, in the place of keys and values. Those
// of LlamaConfig are Dim, Layers and Vocab then; Context is a limit alone.
type StateSpace = statespace.Config

// LayerParts says what a layer of a decoder has: attention and a feed-forward part, a state and a feed-forward part, or
// one of them alone.
type LayerParts = config.LayerParts

// The parts of a layer.
const (
	WithAttention   = config.WithAttention
	WithState       = config.WithState // of LlamaConfig.StateSpace
	WithFeedForward = config.WithFeedForward
)
