package tensor_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// cacheTrace is what a cache must say after each of the tensors that a case appends: keys are the numbers of appended
// tensors, "after0" is a state, and the numbers below it are how many elements come next.
type cacheTrace struct {
	AfterEach    [][]float64                       `json:"after_each"`
	SeqLen       int                               `json:"seq_len"`
	SeqLenAfter  map[string]int                    `json:"seq_len_after"`
	OffsetAfter  map[string]int                    `json:"offset_after"`
	Positions    map[string]map[string][]int       `json:"positions"`
	Masks        map[string]map[string][][]float64 `json:"attn_mask"`
	ResetAndSame bool                              `json:"reset_then_same"`
}

func checkCache(c conformanceCase, dev *tensor.Device) {
	var traces []cacheTrace
	need(json.Unmarshal(c.Expect, &traces))
	want := traces[0]
	a := arguments(c.Args)
	var parts []*tensor.Tensor
	for _, list := range c.Args["append"].([]any) {
		n := len(list.([]any))
		values := make([]float64, n)
		for i, v := range list.([]any) {
			values[i] = v.(float64)
		}
		parts = append(parts, dev.FromSlice(values, n).ToDType(a.dtype()))
	}
	if c.Args["kind"] == "RotatingCache" {
		rotatingTrace(nn.NewRotatingCache(a.int("dim"), a.int("max_seq_len")), parts, want, dev)
		return
	}
	cache := nn.NewCache(a.int("dim"), a.int("max_seq_len"))
	for range 2 {
		for i, x := range parts {
			same(fmt.Sprint("after ", i), cache.Append(x).Float64s(), want.AfterEach[i])
		}
		same("length", cache.Len(), want.SeqLen)
		cache.Reset()
	}
}

func rotatingTrace(cache *nn.RotatingCache, parts []*tensor.Tensor, want cacheTrace, dev *tensor.Device) {
	lookAhead := func(state string) {
		for n, positions := range want.Positions[state] {
			count, err := strconv.Atoi(n)
			need(err)
			if count > 0 || len(positions) > 0 {
				same(state+", positions of "+n, cache.Positions(count), positions)
			}
		}
		for n, mask := range want.Masks[state] {
			count, err := strconv.Atoi(n)
			need(err)
			got := cache.AttnMask(count, dev)
			if mask == nil || got == nil {
				same(state+", no mask for "+n, got == nil, mask == nil)
				continue
			}
			same(state+", mask of "+n, got.ToVec2(), mask)
		}
	}
	lookAhead("start")
	for i, x := range parts {
		same(fmt.Sprint("after ", i), cache.Append(x).Float64s(), want.AfterEach[i])
		key := strconv.Itoa(i)
		if n, ok := want.SeqLenAfter[key]; ok {
			same("length after "+key, cache.Len(), n)
		}
		if n, ok := want.OffsetAfter[key]; ok {
			same("offset after "+key, cache.Offset(), n)
		}
		lookAhead("after" + key)
	}
}

func same(what string, got, want any) {
	if g, ok := got.([]float64); ok && slices.Equal(g, want.([]float64)) {
		return
	}
	if !reflect.DeepEqual(got, want) {
		fail("%s: got %v, want %v", what, got, want)
	}
}
