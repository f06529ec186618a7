package tokenizers_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// A tokenizer of single characters, as small models have it; ReadJSON, FromGGUF and ReadLlama2c read those of others.
func ExampleCharacters() {
	tok := tokenizers.Characters("hello, world")
	ids := tok.Encode("hold")
	fmt.Println(tok.Size(), len(ids), tok.Decode(ids))
	// Output: 9 4 hold
}
