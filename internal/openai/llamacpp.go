package openai

import (
	"encoding/json"

	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaCpp are parameters of llama.cpp's server, under its names, with what they mean there.
type llamaCpp struct {
	NPredict      *int            `json:"n_predict"` // max_tokens; -1 is as many as there is room for
	RepeatPenalty *float64        `json:"repeat_penalty"`
	RepeatLastN   *int            `json:"repeat_last_n"` // 64 without; 0 is none, -1 all
	TypicalP      *float64        `json:"typical_p"`
	Mirostat      int             `json:"mirostat"` // 0 or 2
	MirostatTau   *float64        `json:"mirostat_tau"`
	MirostatEta   *float64        `json:"mirostat_eta"`
	JSONSchema    json.RawMessage `json:"json_schema"`
	CachePrompt   *bool           `json:"cache_prompt"` // prompts are always cached, which changes no answer
}

// theirNames are parameters of llama.cpp's server and of Ollama that are not supported, and what to use in their place.
var theirNames = map[string]string{
	"n_probs": "logprobs, of completions a number", "max_new_tokens": "max_tokens", "num_predict": "max_tokens",
	"stop_sequences": "stop", "penalize_nl": "nothing: line ends are penalised as all tokens", "options": "its fields beside the others",
	"penalty_last_n": "repeat_last_n", "penalty_repeat": "repeat_penalty", "penalty_freq": "frequency_penalty",
	"penalty_present": "presence_penalty", "typ_p": "typical_p", "do_sample": "temperature 0 for the likeliest token",
	"format": "response_format", "system": "a message of the role system", "ctx_size": "gorocm serve's own limits",
	"dry_multiplier": "repeat_penalty", "xtc_probability": "min_p", "samplers": "top_k, top_p, min_p and typical_p, in that order",
	"dynatemp_range": "temperature", "n_keep": "a shorter prompt: texts are never shifted", "image_data": "image_url in messages",
}

// translate sets what the parameters of llama.cpp stand for.
func (q *request) translate(s *nn.Sampling, context int) error {
	if n := q.NPredict; n != nil {
		if q.MaxTokens != nil || q.MaxCompletionTokens != nil {
			return badParam("n_predict", "want one of n_predict and max_tokens")
		}
		if *n != -1 {
			q.MaxTokens = n
		} else {
			q.whole = true
		}
	}
	s.RepeatLast = context // repetition_penalty is vLLM's, of the whole text
	if p := q.RepeatPenalty; p != nil {
		if q.RepetitionPenalty != 1 {
			return badParam("repeat_penalty", "want one of repeat_penalty and repetition_penalty")
		}
		if err := between("repeat_penalty", *p, 1e-3, 1e3); err != nil {
			return err
		}
		s.RepeatPenalty, s.RepeatLast = *p, 64
	}
	if n := q.RepeatLastN; n != nil {
		switch {
		case *n < -1:
			return badParam("repeat_last_n", "want repeat_last_n of at least -1, not %d", *n)
		case *n == -1:
			s.RepeatLast = context
		case *n == 0:
			s.RepeatPenalty = 1
		default:
			s.RepeatLast = *n
		}
	}
	s.Typical = value(q.TypicalP, 0)
	if err := between("typical_p", s.Typical, 0, 1); err != nil {
		return err
	}
	switch tau := value(q.MirostatTau, 5); {
	case q.Mirostat != 0 && q.Mirostat != 2:
		return badParam("mirostat", "mirostat of %d is not supported: want 2, or 0 for none", q.Mirostat)
	case q.Mirostat == 2 && !(tau > 0):
		return badParam("mirostat_tau", "want mirostat_tau above 0, not %v", tau)
	case q.Mirostat == 2:
		s.Mirostat, s.MirostatRate = tau, value(q.MirostatEta, 0.1)
		return between("mirostat_eta", s.MirostatRate, 1e-6, 1)
	}
	return nil
}
