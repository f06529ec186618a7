package models_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// seen is a conversation with images, and what transformers made of it: see testdata/vision_language.py.
type seen struct {
	Messages []struct {
		Role  string
		Parts []struct{ Type, Text, Name string }
	}
	Prompt, Reply string
	IDs, New      []int
}

var visionLanguage = []string{"smolvlm", "idefics3", "llava", "llavasiglip", "qwen2vl", "qwen25vl", "gemma3vl"}

func visionFolder(name string) string { return "testdata/vision_language/" + name }

// conversations are those of a folder of testdata/vision_language, and the tensors of their golden file by name.
func conversations(t *testing.T, name string) (all []seen, golden map[string]*tensor.Tensor) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(visionFolder(name), "golden.json"))
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := formats.ReadSafetensors(filepath.Join(visionFolder(name), "golden.safetensors"), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	golden = map[string]*tensor.Tensor{}
	for _, named := range list {
		golden[named.Name] = named.Tensor
	}
	return all, golden
}

// picture is an image of package vision's tests.
func picture(t testing.TB, name string, dev *tensor.Device) *tensor.Tensor {
	t.Helper()
	image, err := formats.ReadImage("vision/testdata/"+name+".png", dev)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// messages are those of the conversation, texts alone as Content.
func (s *seen) messages(t *testing.T, dev *tensor.Device) (all []models.Message, images []*tensor.Tensor) {
	t.Helper()
	for _, m := range s.Messages {
		one := models.Message{Role: m.Role}
		for _, p := range m.Parts {
			part := models.Part{Text: p.Text}
			if p.Type == "image" {
				part.Image = picture(t, p.Name, dev)
				images = append(images, part.Image)
			}
			one.Parts = append(one.Parts, part)
		}
		if len(one.Parts) == 1 && one.Parts[0].Image == nil {
			one.Content, one.Parts = one.Parts[0].Text, nil
		}
		all = append(all, one)
	}
	return all, images
}

// TestVisionLanguage: pixels, prompts and tokens are those of transformers' processors, rows, logits and replies those
// of its models.
func TestVisionLanguage(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		tolerance := 5e-5
		if dev.IsCUDA() {
			tolerance = 6e-5 // its matrix cores multiply numbers as sums of two of tf32; gemma3vl differs by 5.04e-5
		}
		for _, name := range some(dev, visionLanguage, 5) { // llava, with all its conversations
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				m, err := models.OpenAs(visionFolder(name), tensor.F32, dev)
				if err != nil {
					t.Fatal(err)
				}
				all, golden := conversations(t, name)
				for i, s := range all {
					messages, images := s.messages(t, dev)
					if i > 0 && dev.Emulated() && name != "llava" {
						continue // the same kernels
					}
					n := string(rune('0' + i))
					if text, err := m.Template.Prompt(messages, nil, nil); err != nil || text != s.Prompt {
						t.Fatalf("prompt %q, %v, want %q", text, err, s.Prompt)
					}
					at, row := 0, 0
					for k, image := range images {
						p := m.Vision.Prepare(image)
						if all := golden["pixels"+n]; all != nil {
							same(t, "pixels", p.Pixels, all.Narrow(0, at, p.Pixels.Dim(0)), 0)
							at += p.Pixels.Dim(0)
						} else {
							same(t, "pixels", p.Pixels, golden[fmt.Sprintf("pixels%s.%d", n, k)], 0)
						}
						rows := m.Vision.Rows(p)
						same(t, "rows", rows, golden["rows"+n].Narrow(0, row, rows.Dim(0)), 5e-5)
						row += rows.Dim(0)
					}
					ids, read, err := m.EncodeMessages(messages, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					d := m.Decoder()
					d.UseImages(read...)
					same(t, "logits", d.ReadAll(ids), golden["logits"+n], tolerance)
					d.Reset()
					for k := 0; k < min(40, len(ids)); k++ {
						first := k
						for m.Vision.Whole && s.IDs[k] == m.Vision.TokenID && s.IDs[k+1] == m.Vision.TokenID {
							k++ // whose tokens come all at once
						}
						near(t, d.Read(ids[first:k+1]).ToVec1(), golden["logits"+n].Get(k).ToVec1(), tolerance)
					}
					c := m.NewConversation()
					c.Messages, c.MaxTokens = messages, len(s.New)
					reply, err := c.Reply(nil)
					if err != nil || reply.Content != s.Reply {
						t.Errorf("reply %q, %v, want %q", reply.Content, err, s.Reply)
					}
					if got := c.Generator().Tokens(); !slices.Equal(got[:len(ids)], s.IDs) {
						t.Errorf("tokens %v, want %v", got, s.IDs)
					}
				}
			})
		}
	}
}

// same compares the elements of two tensors of one shape.
func same(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Fatalf("%s: shape %v, want %v", what, got.Dims(), want.Dims())
	}
	if d := got.ToDevice(tensor.CPU()).Sub(want).Abs().Max().ToScalar(); !(d <= within) {
		t.Fatalf("%s: numbers differ by %v", what, d)
	}
}
