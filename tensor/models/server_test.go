package models_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// served is a server of a model, closed after the test, with all blocks free.
func served(t *testing.T, m *models.Llama, tok *tokenizers.Tokenizer, c models.ServerConfig) *models.Server {
	t.Helper()
	s, err := models.NewServer(m, tok, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if got := s.Stats(); got.Running+got.Waiting > 0 || got.FreeBlocks != s.Config().Blocks {
			t.Errorf("after Close: %+v", got)
		}
	})
	return s
}

// submitAll submits requests at once.
func submitAll(t *testing.T, s *models.Server, rs ...models.Request) []*models.Completion {
	t.Helper()
	all, err := s.SubmitAll(slices.Repeat([]context.Context{context.Background()}, len(rs)), rs)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func submit(t *testing.T, s *models.Server, r models.Request) *models.Completion {
	t.Helper()
	c, err := s.Submit(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alone is what a Generator makes of a request.
func alone(m *models.Llama, r models.Request) []int {
	g := models.NewGenerator(m.Decoder(), nil, r.Sampling)
	g.PromptTokens(r.Prompt)
	for (r.MaxTokens == 0 || len(g.Tokens()) < len(r.Prompt)+r.MaxTokens) && g.Next() {
	}
	return g.Tokens()[len(r.Prompt):]
}

var serverRequests = []models.Request{
	{Prompt: tinyIDs, MaxTokens: 9},
	{Prompt: []int{3}, MaxTokens: 20},
	{Prompt: []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 12, 13}, MaxTokens: 1},
	{Prompt: []int{30, 31}, Sampling: nn.Sampling{Temperature: 1, TopK: 7, Seed: 3}, MaxTokens: 12},
	{Prompt: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	{Prompt: []int{5, 5}, Sampling: nn.Sampling{RepeatPenalty: 1.3}, MaxTokens: 15},
	{Prompt: []int{22}, Sampling: nn.Sampling{Temperature: 0.7, TopP: 0.9, Seed: 8, PresencePenalty: 0.4}, MaxTokens: 18},
}

// TestServer: texts that are generated together are those that a Generator makes of each alone, with room for all, with
// so few blocks that texts are preempted, and with prompts in parts.
func TestServer(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		window := models.Llama2cConfig(&tiny)
		window.Window, window.Interleaved, window.EOS = 5, false, []int{0}
		windowed, err := models.NewLlama(window, nn.ParamsOf(tinyWeights(), tensor.F32, dev))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			model  *models.Llama
			config models.ServerConfig
			stats  [4]int
		}{
			{"room for all", tinyLlama(t, dev), models.ServerConfig{}, [4]int{22, 127, 97, 0}},
			{"few blocks", tinyLlama(t, dev),
				models.ServerConfig{Blocks: 16, BlockSize: 2, MaxBatchedTokens: 7, MaxSequences: 6}, [4]int{54, 152, 97, 8}},
			{"a window, two at a time", windowed,
				models.ServerConfig{BlockSize: 4, MaxSequences: 2, MaxBatchedTokens: 3}, [4]int{64, 127, 97, 0}},
		} {
			if dev.Emulated() && c.config.Blocks == 0 && !thorough.On() {
				continue
			}
			t.Run(dev.Location()+"/"+c.name, func(t *testing.T) {
				s := served(t, c.model, nil, c.config)
				var all sync.WaitGroup
				for i, done := range submitAll(t, s, serverRequests...) {
					r := serverRequests[i]
					want := alone(c.model, r)
					all.Go(func() {
						got, _, err := done.Collect()
						if err != nil || !slices.Equal(got, want) || done.Made() != len(want) {
							t.Errorf("prompt %v: %v, %v; alone %v", r.Prompt, got, err, want)
						}
						full := len(want) == r.MaxTokens || len(r.Prompt)+len(want) == s.Context()+1
						if reason := done.FinishReason(); full != (reason == models.FinishLength) {
							t.Errorf("prompt %v ended by %q with %d tokens", r.Prompt, reason, len(want))
						}
					})
				}
				all.Wait()
				got := s.Stats()
				if got := [4]int{got.Steps, got.Tokens, got.Generated, got.Preemptions}; got != c.stats {
					t.Errorf("steps, tokens, generated, preemptions are %v, want %v", got, c.stats)
				}
			})
		}
	}
}

// TestServerPacked: packed weights, and small floats, are served, too.
func TestServerPacked(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		half, err := models.NewLlama(models.Llama2cConfig(&tiny), nn.ParamsOf(tinyWeights(), tensor.F16, dev))
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]*models.Llama{"packed": tinyLlama(t, dev).Pack(quant.Q8_0), "half": half} {
			s := served(t, m, nil, models.ServerConfig{})
			for i, c := range submitAll(t, s, serverRequests[:3]...) {
				r := serverRequests[i]
				if got, _, err := c.Collect(); err != nil || !slices.Equal(got, alone(m, r)) {
					t.Errorf("%s on %v: %v, %v; alone %v", name, dev, got, err, alone(m, r))
				}
			}
		}
	}
}

// TestServerErrors: a request that fails or is cancelled has no part in the others.
func TestServerErrors(t *testing.T) {
	weights := tinyWeights()
	broken := weights[0].Tensor.Copy() // token 39 makes NaN of everything
	broken.Narrow(0, 39, 1).CopySet(tensor.Full(math.NaN(), 1, tiny.Dim))
	weights[0].Tensor = broken
	c := models.Llama2cConfig(&tiny)
	c.Tied = false
	m, err := models.NewLlama(c, nn.ParamsOf(append(weights, renamed(tinyWeights()[:1], "tok_embeddings", "output")...),
		tensor.F32, tensor.CPU()))
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, m, nil, models.ServerConfig{Blocks: 8, BlockSize: 8, MaxSequences: 3})
	good, bad := models.Request{Prompt: []int{4, 2}, MaxTokens: 20},
		models.Request{Prompt: []int{3, 39}, Sampling: nn.Sampling{Temperature: 1}, MaxTokens: 5}
	none := context.Background()
	soon := &endingContext{Context: none, left: 4} // ends before the fifth step
	list, err := s.SubmitAll([]context.Context{none, none, soon, none, &endingContext{Context: none}, none},
		[]models.Request{good, bad, {Prompt: []int{1}, IgnoreEOS: true}, bad, good, good})
	if err != nil {
		t.Fatal(err)
	}
	want := alone(m, good)
	for i, c := range list {
		ids, _, err := c.Collect()
		reason, n, kind := "", 0, error(nil)
		switch i {
		case 0, 5:
			reason, n = models.FinishLength, len(want)
		case 1, 3:
			kind = tensor.ErrShape // the logits have NaN
		case 2:
			n, kind = 4, context.Canceled
		case 4:
			kind = context.Canceled // before it began
		}
		if !errors.Is(err, kind) || c.FinishReason() != reason || len(ids) != n || kind == nil && !slices.Equal(ids, want) {
			t.Errorf("request %d: %v, %q, %v; alone %v", i, ids, c.FinishReason(), err, want)
		}
	}
}

// TestServerMemory: where a pass for all fails, the texts are read alone, and only those end that fail again.
func TestServerMemory(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	r := models.Request{Prompt: []int{5, 6, 7}, MaxTokens: 6}
	want := alone(m, r)
	other := 0
	for slices.Contains(want, other) || slices.Contains(r.Prompt, other) {
		other++
	}
	s := served(t, m, nil, models.ServerConfig{BlockSize: 2, MaxBatchedTokens: 8, MaxSequences: 4})
	s.FailAt(other)
	all := submitAll(t, s, r, models.Request{Prompt: []int{1, other}, MaxTokens: 3}, r, r)
	for i, c := range all {
		got, _, err := c.Collect()
		if i == 1 && (!errors.Is(err, tensor.ErrMemory) || len(got) > 0) {
			t.Errorf("the text that fails: %v, %v", got, err)
		}
		if i != 1 && (err != nil || !slices.Equal(got, want)) {
			t.Errorf("beside one that fails: %v, %v, want %v", got, err, want)
		}
	}
}

// TestServerStress: requests of many goroutines, some of which give up, and few blocks: nothing is lost.
func TestServerStress(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	s := served(t, m, nil, models.ServerConfig{Blocks: 18, BlockSize: 2, MaxSequences: 5, MaxBatchedTokens: 9})
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 12 {
				r := models.Request{MaxTokens: 1 + random.IntN(12), Sampling: nn.Sampling{Temperature: 1, TopP: 0.9, Seed: 1}}
				for range 1 + random.IntN(20) {
					r.Prompt = append(r.Prompt, random.IntN(tiny.Vocab))
				}
				ctx, cancel := context.WithCancel(context.Background())
				c, err := s.Submit(ctx, r)
				if err != nil {
					t.Error(err)
				}
				gives := random.IntN(3) == 0
				for c.Next() && !(gives && c.Made() > 3) {
				}
				cancel()
				switch {
				case !gives && (c.Err() != nil || c.Made() != r.MaxTokens || c.FinishReason() != models.FinishLength):
					t.Errorf("%d tokens of %d, %q, %v", c.Made(), r.MaxTokens, c.FinishReason(), c.Err())
				case gives && c.Made() > r.MaxTokens:
					t.Errorf("%d tokens of %d", c.Made(), r.MaxTokens)
				}
			}
		})
	}
	all.Wait()
}

// endingContext is done when it was asked for its error so often.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

func TestServerMistakes(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	for _, c := range []models.ServerConfig{{Blocks: -1}, {BlockSize: 3}, {MaxSequences: 5, MaxBatchedTokens: 4},
		{BlockSize: -4}, {MaxSequences: -1}} {
		if s, err := models.NewServer(m, nil, c); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%+v: %v, %v", c, s, err)
		}
	}
	s := served(t, m, nil, models.ServerConfig{Blocks: 3, BlockSize: 4})
	for _, c := range []struct {
		r    models.Request
		kind error
		says string
	}{
		{models.Request{}, tensor.ErrShape, "at least one token"},
		{models.Request{Prompt: make([]int, 13)}, tensor.ErrShape, "13 tokens, of at most 12"},
		{models.Request{Prompt: []int{40}}, tensor.ErrIndex, "no token 40"},
		{models.Request{Prompt: []int{-1}}, tensor.ErrIndex, "no token -1"},
		{models.Request{Prompt: []int{1}, MaxTokens: -1}, tensor.ErrShape, "not -1"},
		{models.Request{Prompt: []int{1}, Stop: []string{"x"}}, tensor.ErrShape, "no tokenizer"},
		{models.Request{Prompt: []int{1}, Sampling: nn.Sampling{TopP: 2}}, tensor.ErrShape, "TopP"},
	} {
		if _, err := s.Submit(context.Background(), c.r); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
	var none context.Context
	if _, err := s.Submit(none, models.Request{Prompt: []int{1}}); !errors.Is(err, tensor.ErrValue) {
		t.Error(err)
	}
	s.Close()
	if _, err := s.Submit(context.Background(), models.Request{Prompt: []int{1}}); err != models.ErrServerClosed {
		t.Error(err)
	}
	s.Close() // again
}

// TestServerStops: texts stop before a text of Stop, wherever tokens divide it, and nothing of it is shown before.
func TestServerStops(t *testing.T) {
	tok := tokenizers.Characters("abcdefghijklmnopqrstuvwxyz ,.é-ABCDEFGHI")
	c := models.Llama2cConfig(&tiny)
	c.Vocab = tok.Size()
	weights := tinyWeights()
	weights[0].Tensor = tensor.CPU().Randn(tensor.F32, tok.Size(), tiny.Dim)
	m, err := models.NewLlama(c, nn.ParamsOf(weights, tensor.F32, tensor.CPU()))
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, m, tok, models.ServerConfig{})
	r := models.Request{Prompt: tok.Encode("abc"), Sampling: nn.Sampling{Temperature: 1, Seed: 4}, MaxTokens: 20}
	_, whole, err := submit(t, s, r).Collect()
	if err != nil || len(whole) < 15 {
		t.Fatalf("%q, %v", whole, err)
	}
	runes := []rune(whole)
	for at := range len(runes) - 3 {
		stop := string(runes[at : at+3])
		r.Stop = []string{"no such text", stop, stop + "longer"}
		c := submit(t, s, r)
		ids, got, err := c.Collect()
		want, _, _ := strings.Cut(whole, stop)
		if got != want || err != nil || c.FinishReason() != models.FinishStop || len(ids) < 3 {
			t.Errorf("before %q comes %q, %v, want %q", stop, got, err, want)
		}
	}
	r.Stop = []string{whole + "more"} // all of the text is held back, and then shown
	if _, got, err := submit(t, s, r).Collect(); got != whole || err != nil {
		t.Errorf("%q, %v, want %q", got, err, whole)
	}
}

// TestServerCloses: Close waits for what was asked for.
func TestServerCloses(t *testing.T) {
	s, err := models.NewServer(tinyLlama(t, tensor.CPU()), nil, models.ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var list []*models.Completion
	for i := range 5 {
		list = append(list, submit(t, s, models.Request{Prompt: []int{i + 1}, MaxTokens: 4, IgnoreEOS: true}))
	}
	s.Close()
	for _, c := range list {
		if ids, _, err := c.Collect(); len(ids) != 4 || err != nil || c.Token() != -1 || c.Next() {
			t.Errorf("%v, %v", ids, err)
		}
	}
	if got := fmt.Sprintf("%+v", s.Stats()); !strings.Contains(got, "Generated:20") {
		t.Error(got)
	}
}

// TestServerShares: a text that begins as another one did reads only the rest, and none finds the blocks of another
// beginning, nor such that were used for something else since.
func TestServerShares(t *testing.T) {
	m := tinyLlama(t, tensor.CPU())
	s := served(t, m, nil, models.ServerConfig{Blocks: 8, BlockSize: 4, MaxSequences: 3})
	long := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	changed := slices.Clone(long)
	changed[1]++
	for _, c := range []struct {
		name         string
		prompts      [][]int
		read, shared int
	}{
		{"the first", [][]int{long}, 14, 0}, // 3 tokens are generated, of which 2 are read
		{"again", [][]int{long}, 6, 8},      // one of the prompt must be read
		{"with another end", [][]int{append(slices.Clone(long[:9]), 30, 31)}, 5, 8},
		{"with another begin", [][]int{changed}, 14, 0},
		{"two that begin alike, at once", [][]int{append(long[:8:8], 20), append(long[:8:8], 21)}, 6, 16},
		{"what fills the pool", [][]int{{20, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28}}, 30, 0},
		{"the first, whose blocks are gone", [][]int{long}, 14, 0},
	} {
		before := s.Stats()
		var list []models.Request
		for _, prompt := range c.prompts {
			list = append(list, models.Request{Prompt: prompt, MaxTokens: 3})
		}
		for i, done := range submitAll(t, s, list...) {
			if got, _, err := done.Collect(); err != nil || !slices.Equal(got, alone(m, list[i])) {
				t.Errorf("%s: %v, %v; alone %v", c.name, got, err, alone(m, list[i]))
			}
		}
		got := s.Stats()
		if read, shared := got.Tokens-before.Tokens, got.Shared-before.Shared; read != c.read || shared != c.shared {
			t.Errorf("%s: %d tokens were read and %d shared, want %d and %d", c.name, read, shared, c.read, c.shared)
		}
	}
}
