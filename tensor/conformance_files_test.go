package tensor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// path is the file of a case, below the folder of the cases. It is only ever read.
func (c conformanceCase) path() string {
	path := filepath.Join(c.folder, c.Args["file"].(string))
	if _, err := os.Stat(path); err != nil {
		panic(caseFailure{fmt.Errorf("%w: there is no %s", errSkipped, path)})
	}
	return path
}

// tensors reads all tensors of the file of a case.
func (c conformanceCase) tensors(path string, dev *tensor.Device) (list []formats.Named, err error) {
	key, _ := c.Args["key"].(string)
	switch c.Op {
	case "read_npy":
		t, err := formats.ReadNpy(path, dev)
		return []formats.Named{{Name: "", Tensor: t}}, err
	case "read_npz":
		return formats.ReadNpz(path, dev)
	case "read_pth":
		return formats.ReadPth(path, key, dev)
	case "read_safetensors":
		return formats.ReadSafetensors(path, dev)
	case "read_gguf":
		g, err := formats.OpenGGUF(path)
		if err == nil {
			g.Close()
		}
		return nil, err
	}
	return nil, fmt.Errorf("no operation %q", c.Op)
}

// checkRefused runs a case whose file must be an error.
func (c conformanceCase) checkRefused(dev *tensor.Device) error {
	return attempt(func() {
		path := c.path()
		list, err := c.tensors(path, dev)
		if err == nil {
			fail("the file was read: %v", list)
		}
		if want := filepath.Base(path); !strings.Contains(err.Error(), want) {
			fail("the error %q does not name the file", err)
		}
	})
}

func checkFile(c conformanceCase, dev *tensor.Device) {
	path := c.path()
	list, err := c.tensors(path, dev)
	need(err)
	byName := map[string]*tensor.Tensor{}
	for _, n := range list {
		byName[n.Name] = n.Tensor
	}
	var want struct {
		Tensors  map[string]dataTensor
		Metadata map[string]string
	}
	if json.Unmarshal(c.Expect, &want) == nil {
		if len(list) != len(want.Tensors) {
			fail("%d tensors, want %d", len(list), len(want.Tensors))
		}
		for name, w := range want.Tensors {
			if byName[name] == nil {
				fail("there is no tensor %q", name)
			}
			c.compare(byName[name], w)
		}
		if want.Metadata != nil {
			s, err := formats.OpenSafetensors(path)
			need(err)
			defer s.Close()
			same("metadata", s.Metadata, want.Metadata)
		}
		return
	}
	var one []dataTensor
	need(json.Unmarshal(c.Expect, &one))
	get, _ := c.Args["get"].(string)
	if name, ok := c.Args["name"].(string); ok {
		get = name
	}
	got := byName[get]
	if got != nil && strings.HasSuffix(c.Source, "serialization_tests.rs::"+strings.TrimPrefix(c.Op, "read_")) {
		got = got.ToDType(parseDType(one[0].DType)) // as these tests of Candle do
	}
	c.compare(got, one[0])
}

func checkRoundTrip(c conformanceCase, dev *tensor.Device) {
	folder, err := os.MkdirTemp("", "gorocm-case-")
	need(err)
	defer os.RemoveAll(folder)
	path, name := filepath.Join(folder, "t.safetensors"), c.Args["name"].(string)
	need(formats.WriteSafetensors(path, []formats.Named{{Name: name, Tensor: c.Inputs[0].build(dev)}}, nil))
	list, err := formats.ReadSafetensors(path, dev)
	need(err)
	var want []dataTensor
	need(json.Unmarshal(c.Expect, &want))
	if len(list) != 1 || list[0].Name != name {
		fail("read %v", list)
	}
	c.compare(list[0].Tensor, want[0])
}

func checkGGUF(c conformanceCase, dev *tensor.Device) {
	var want struct {
		Version  int
		SameAs   string `json:"same_as"`
		Metadata map[string]any
		Tensors  map[string]struct {
			GGML        string
			Shape       []int
			Dequantized dataTensor
		}
	}
	need(json.Unmarshal(c.Expect, &want))
	if want.SameAs != "" { // but for the version
		version := want.Version
		cases, err := readCases(c.folder)
		need(err)
		for _, other := range cases {
			if other.Args["file"] == want.SameAs {
				need(json.Unmarshal(other.Expect, &want))
			}
		}
		want.Version = version
	}
	path := c.path()
	g, err := formats.OpenGGUF(path)
	need(err)
	defer g.Close()
	same("version", g.Version, want.Version)
	for key, w := range want.Metadata {
		got := g.Metadata[key]
		if !reflect.DeepEqual(plain(got), w) && fmt.Sprint(got) != fmt.Sprint(w) {
			fail("metadata %s: got %v, want %v", key, got, w)
		}
	}
	same("metadata", len(g.Metadata), len(want.Metadata))
	same("tensors", len(g.Names()), len(want.Tensors))
	for name, w := range want.Tensors {
		q, err := g.Tensor(name)
		need(err)
		same(name, q.Type().String(), w.GGML)
		if c.Rtol == 0 {
			c.Rtol = 1e-6 // as the notes of the cases say
		}
		c.compare(q.Dequantize(dev), w.Dequantized)
	}
}

// plain is a value as JSON has it.
func plain(v any) any {
	switch v := v.(type) {
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = plain(x)
		}
		return list
	}
	return v
}
