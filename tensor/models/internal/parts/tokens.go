package parts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// CheckTokens panics with ErrIndex for numbers that are not tokens.
func CheckTokens(ids []int, vocab int) {
	for _, id := range ids {
		if id < 0 || id >= vocab {
			panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("there is no token %d among %d", id, vocab)})
		}
	}
}

// Sliding is the name of layers whose tokens see a window.
const Sliding = "sliding_attention"

// EveryLayer returns the names of layers of which some have a window.
func EveryLayer(layers int, windowed func(layer int) bool) []string {
	kinds := make([]string, max(0, min(layers, 1<<16)))
	for i := range kinds {
		if kinds[i] = "full_attention"; windowed(i) {
			kinds[i] = Sliding
		}
	}
	return kinds
}

// Unit returns rows of length 1.
func Unit(x *tensor.Tensor) *tensor.Tensor {
	return x.Div(x.Sqr().SumKeepDim(-1).Sqrt().Maximum(1e-12))
}

// EndsOf are the tokens that end a text: those of config.json, and those that generation_config.json adds, if there is
// one.
func EndsOf(folder string, ends []int) ([]int, error) {
	var j struct {
		EOS TokenIDs `json:"eos_token_id"`
	}
	err := ReadJSON(filepath.Join(folder, "generation_config.json"), &j)
	if errors.Is(err, fs.ErrNotExist) {
		return ends, nil
	}
	for _, id := range j.EOS {
		if !slices.Contains(ends, id) {
			ends = append(ends, id)
		}
	}
	return ends, err
}

// TokenIDs is a token, or a list of them.
type TokenIDs []int

func (ids *TokenIDs) UnmarshalJSON(data []byte) error {
	var one *int
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			*ids = TokenIDs{*one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]int)(ids))
}

// Is is b, or what it is by default.
func Is(b *bool, otherwise bool) bool {
	if b == nil {
		return otherwise
	}
	return *b
}
