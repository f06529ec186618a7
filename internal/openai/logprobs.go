package openai

import (
	"github.com/gorocm/gorocm/tensor/models"
)

// logProbs collects the probabilities of tokens, as the API for texts or for chats has them.
type logProbs struct {
	chat  bool
	piece func(id int) string // the text of a token
	all   []models.TokenLogProb
	texts []string // that came with each
	at    int      // characters before the next
}

// add adds the token that a completion has returned last.
func (l *logProbs) add(c *models.Completion) {
	if l == nil || c.Token() < 0 {
		return
	}
	l.all, l.texts = append(l.all, c.LogProb()), append(l.texts, c.Text())
}

// take returns what was added since the last call, nil for none.
func (l *logProbs) take() any {
	if l == nil {
		return nil
	}
	all, texts := l.all, l.texts
	l.all, l.texts = nil, nil
	if l.chat {
		content := []any{}
		for _, p := range all {
			one := l.one(p.Token, p.LogProb)
			top := []any{}
			for _, t := range p.Top {
				top = append(top, l.one(t.Token, t.LogProb))
			}
			one["top_logprobs"] = top
			content = append(content, one)
		}
		return map[string]any{"content": content, "refusal": nil}
	}
	tokens, probs, tops, offsets := []string{}, []float64{}, []any{}, []int{}
	for i, p := range all {
		top := map[string]float64{}
		for _, t := range p.Top {
			top[l.piece(t.Token)] = t.LogProb
		}
		top[l.piece(p.Token)] = p.LogProb
		tokens, probs, tops = append(tokens, l.piece(p.Token)), append(probs, p.LogProb), append(tops, top)
		offsets = append(offsets, l.at)
		l.at += len([]rune(texts[i]))
	}
	return map[string]any{"tokens": tokens, "token_logprobs": probs, "top_logprobs": tops, "text_offset": offsets}
}

// one is a token of a chat.
func (l *logProbs) one(id int, p float64) map[string]any {
	text := l.piece(id)
	bytes := []int{}
	for i := range len(text) {
		bytes = append(bytes, int(text[i]))
	}
	return map[string]any{"token": text, "logprob": p, "bytes": bytes}
}
