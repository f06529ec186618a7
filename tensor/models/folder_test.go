package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// folderOf is a folder with the model of testdata/llama3 in other files.
func folderOf(t *testing.T, files map[string]string) (folder string, weights []formats.Named) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "a [model]*")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("testdata/llama3/config.json")
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, "config.json", string(config))
	for name, text := range files {
		put(t, folder, name, text)
	}
	weights, err = formats.ReadSafetensors("testdata/llama3/model.safetensors", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	return folder, weights
}

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// save writes weights to a file of a folder.
func save(t *testing.T, folder, name string, weights []formats.Named) {
	t.Helper()
	if err := formats.WriteSafetensors(filepath.Join(folder, name), weights, nil); err != nil {
		t.Fatal(err)
	}
}

// TestFolders: the weights are in the files that an index lists, or in one, or in all but consolidated ones.
func TestFolders(t *testing.T) {
	const index = `{"weight_map": {"a": "part-1.safetensors", "b": "part-2.safetensors", "c": "part-1.safetensors"}}`
	other := []formats.Named{{Name: "of something else", Tensor: tensor.Of(1, 2)}}
	for _, c := range []struct {
		name   string
		files  map[string]string
		shards []string // of the weights
		beside string   // that is not to be read
	}{
		{"index", map[string]string{"model.safetensors.index.json": index}, []string{"part-1.safetensors", "part-2.safetensors"}, "extra.safetensors"},
		{"one", nil, []string{"model.safetensors"}, "extra.safetensors"},
		{"all", nil, []string{"a.safetensors", "b.safetensors"}, "consolidated.00.safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, weights := folderOf(t, c.files)
			for i, part := range c.shards {
				save(t, folder, part, weights[i*len(weights)/len(c.shards):(i+1)*len(weights)/len(c.shards)])
			}
			save(t, folder, c.beside, other)
			if _, _, err := models.OpenLlama(folder, tensor.F32, tensor.CPU()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEndsOfTexts: generation_config.json adds to the tokens that end a text.
func TestEndsOfTexts(t *testing.T) {
	for _, c := range []struct {
		file string
		want []int
	}{
		{`{"eos_token_id": [2, 9]}`, []int{2, 9}}, {`{"eos_token_id": 7}`, []int{2, 7}}, {`{"eos_token_id": null}`, []int{2}}, {`{}`, []int{2}},
	} {
		folder, weights := folderOf(t, map[string]string{"generation_config.json": c.file})
		save(t, folder, "model.safetensors", weights)
		m, _, err := models.OpenLlama(folder, tensor.F32, tensor.CPU())
		if err != nil || !slices.Equal(m.Config.EOS, c.want) {
			t.Errorf("%s: %v, %+v", c.file, err, m.Config.EOS)
		}
	}
}

// TestBadFolders: what is wrong with a folder is said.
func TestBadFolders(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"readme": ""}, "the folder has config.json, readme"},
		{map[string]string{"model.safetensors.index.json": `{"weight_map": {"a": "../model.safetensors"}}`}, "not a file beside it"},
		{map[string]string{"model.safetensors.index.json": `{"weight_map": {"a": ".."}}`}, "not a file beside it"},
		{map[string]string{"model.safetensors.index.json": `{}`}, "lists no files"},
		{map[string]string{"model.safetensors.index.json": `[`}, "model.safetensors.index.json: unexpected end"},
		{map[string]string{"generation_config.json": `{"eos_token_id": "x"}`}, "generation_config.json: json"},
	} {
		folder, _ := folderOf(t, c.files)
		if _, _, err := models.OpenLlama(folder, tensor.F32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want …%s…", c.files, err, c.want)
		}
	}
}
