package finetune

import (
	"errors"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Turn makes an item of a training of a conversation whose last message is the reply that the model is to learn: its
// tokens [n], as t writes the messages before, with the reply and the token end, which ends it, but for the last; and
// the tokens that follow each, of which those before the reply are Ignored. Both are I64 on the host, for train.Func;
// train.Padded fills up a batch with Values of 0 and Ignored. A conversation of several replies is an item for each of
// them. The error is about messages that end with none of the assistant's, a token that is not one, or that of
// t.Prompt.
func Turn(t *models.ChatTemplate, tok *tokenizers.Tokenizer, end string, messages ...models.Message) (
	item []*tensor.Tensor, err error,
) {
	last := len(messages) - 1
	if last < 0 || messages[last].Role != "assistant" {
		return nil, errors.New("finetune: the last message of a turn is the reply: want one of the role assistant")
	}
	id, ok := tok.ID(end)
	if !ok {
		return nil, errors.New("finetune: the tokenizer has no token " + end)
	}
	prompt, err := t.Prompt(messages[:last], nil, nil)
	if err != nil {
		return nil, err
	}
	all := tok.EncodePrompt(prompt)
	before := len(all)
	all = append(append(all, tok.EncodePlain(messages[last].Content)...), id)
	ids, targets := make([]int64, len(all)-1), make([]int64, len(all)-1)
	for i := range ids {
		if ids[i], targets[i] = int64(all[i]), int64(all[i+1]); i+1 < before {
			targets[i] = Ignored
		}
	}
	cpu := tensor.CPU()
	return []*tensor.Tensor{cpu.FromSlice(ids, len(ids)), cpu.FromSlice(targets, len(ids))}, nil
}
