package models_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/speech"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// numbersOf calls f with the name of each number of JSON, and what replaces it.
func numbersOf(v any, name string, f func(name string, set func(any))) {
	visit := func(name string, x any, set func(any)) {
		if _, ok := x.(float64); ok {
			f(name, set)
		}
		numbersOf(x, name, f)
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			visit(name+"."+k, x, func(y any) { v[k] = y })
		}
	case []any:
		for i, x := range v {
			visit(fmt.Sprintf("%s[%d]", name, i), x, func(y any) { v[i] = y })
		}
	}
}

// TestHugeConfigs: a config.json with a number that is far too large is read, or is an error, in little memory.
func TestHugeConfigs(t *testing.T) {
	if thorough.Short() {
		t.Skip("takes seconds")
	}
	for i, pattern := range []string{"testdata/*/config.json", "testdata/encoders/*/config.json", "testdata/t5/*/config.json",
		"testdata/vision_language/*/config.json", "vision/testdata/*/config.json", "speech/testdata/*/config.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range thorough.Sample(files, 8, i) {
			hugeConfigs(t, file, func(folder string) (err error) {
				switch i {
				case 0:
					_, _, err = models.OpenLlama(folder, tensor.F32, tensor.CPU())
				case 1:
					_, err = models.OpenEncoder(folder, tensor.CPU())
				case 2:
					_, err = models.OpenT5(folder, tensor.CPU())
				case 3:
					_, err = models.Open(folder, tensor.CPU())
				case 4:
					if _, err = vision.Open(folder, tensor.CPU()); err != nil {
						_, err = vision.OpenCLIP(folder, tensor.CPU())
					}
				default:
					_, err = speech.Open(folder, tensor.CPU())
				}
				return err
			})
		}
	}
}

// hugeConfigs opens copies of a folder, each with another number of its config changed.
func hugeConfigs(t *testing.T, file string, open func(folder string) error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		from, err := filepath.Abs(filepath.Join(filepath.Dir(file), e.Name()))
		if err == nil && e.Name() != "config.json" {
			err = os.Symlink(from, filepath.Join(folder, e.Name()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	parsed := func() (v any) {
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var names []string
	numbersOf(parsed(), "", func(name string, _ func(any)) { names = append(names, name) })
	for _, name := range names {
		for _, value := range []float64{1e9, 1 << 16, 9e18} {
			v := parsed()
			numbersOf(v, "", func(n string, set func(any)) {
				if n == name {
					set(value)
				}
			})
			data, err := json.Marshal(v)
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "config.json"), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err = tensor.Catch(func() error { return open(folder) })
			runtime.ReadMemStats(&after)
			const most = 80 // MB: there may be tables of a rotary embedding, of as many positions as a config says
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > most {
				t.Errorf("%s with %s of %v: %d MB, %v", file, name, value, took, err)
			}
		}
	}
}
