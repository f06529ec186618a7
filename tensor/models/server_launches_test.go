package models_test

import (
	"maps"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// serverLaunches are the kernels that read and choose a token for each of three texts: two layers.
var serverLaunches = map[string]int{
	"index_select_u32_b32":  3, // rows of the embedding, of cosines and of sines
	"rms_norm_f32":          1,
	"add_rms_norm_f32":      4,
	"matvec_4_f32":          9, // four for each layer, and the logits
	"rope_f32":              2, // queries and keys, in place
	"paged_append_b32":      2,
	"paged_attention_2_f32": 2,
	"silu_mul_f32":          2,
	"penalize":              1,
	"sort_tiles_f32":        1, // the likeliest tokens
	"choose":                1,
}

// TestServerLaunches counts the launches of a step for several texts, which do not depend on how many there are.
func TestServerLaunches(t *testing.T) {
	t.Setenv("GOROCM_FUSE", "0") // which chains become kernels would depend on when those are compiled
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skip(err)
	}
	device := b.(*gpu.Backend)
	if device.Device().Info().Platform != rocm.Emulated {
		t.Skip("counts what the emulated GPU launches")
	}
	dev := access.NewDevice("rocm", "rocm:0 (server)", b).(*tensor.Device)
	s := served(t, tinyLlama(t, dev), nil, models.ServerConfig{})
	var mu sync.Mutex
	var names []string
	device.OnLaunch = func(kernel string) {
		mu.Lock()
		defer mu.Unlock()
		names = append(names, kernel)
	}
	r := models.Request{Prompt: []int{1, 2}, MaxTokens: 2,
		Sampling: nn.Sampling{Temperature: 1, TopK: 3, FrequencyPenalty: 0.1}}
	for _, c := range submitAll(t, s, r, r, r) {
		if _, _, err := c.Collect(); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	mu.Lock() // what was put off is launched by whoever uses the device next, maybe meanwhile
	defer mu.Unlock()
	got, steps := map[string]int{}, 0
	for _, name := range names {
		if steps == 1 && name != "copy without a kernel" { // the first step reads the prompts
			got[name]++
		}
		if name == "choose" {
			steps++
		}
	}
	if !maps.Equal(got, serverLaunches) {
		t.Errorf("launches %v, want %v", got, serverLaunches)
	}
}
