// Package statespace has the layers of Mamba, which keep a state of a text in the place of its keys and values.
//
//	config.go  the sizes, and what the layers share
//	state.go   the states of texts
//	scan.go    how states follow one another
//	mamba.go   Mamba 1: each channel has states that decay by themselves
//	mamba2.go  Mamba 2: the states of a head decay together
//	delta.go   the gated delta rule of Qwen3-Next: states are corrected by what they give
//	short.go   the short convolutions of LFM2, which keep rows alone
package statespace
