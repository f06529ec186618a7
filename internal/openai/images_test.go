package openai

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

const testPictures = "../../tensor/models/vision/testdata/"

// seer is a small model of package models' tests that reads images.
func seer(t testing.TB) *models.Model {
	t.Helper()
	m, err := models.Open("../../tensor/models/testdata/vision_language/llava", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dataOf(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// TestImages: the answer about images is the reply of a conversation, streamed or not, and images that are asked about
// again are known.
func TestImages(t *testing.T) {
	m := seer(t)
	url, server := served(t, m)
	wide, high := dataOf(t, testPictures+"wide.png"), dataOf(t, testPictures+"high.png")
	picture, err := formats.ReadImage(testPictures+"wide.png", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	c := m.NewConversation()
	c.Sampling, c.MaxTokens = nn.Sampling{}, 8
	want, err := c.Ask("What is this?", picture)
	if err != nil {
		t.Fatal(err)
	}
	body := func(data, more string) string {
		return fmt.Sprintf(`{"model": "llava", "max_tokens": 8, "temperature": 0%s, "messages": [{"role": "user", "content": [
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,%s", "detail": "auto"}}, {"type": "text", "text": "What is this?"}]}]}`, more, data)
	}
	ask := func(data string) string {
		return asked(t, url+"/v1/chat/completions", body(data, "")).Choices[0].Message.Content
	}
	if got := ask(wide); got != want || len(got) < 4 {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ask(high); got == want {
		t.Errorf("another image has the answer %q too", got)
	}
	before := server.Stats().Shared
	if got := ask(strings.TrimRight(wide, "=")); got != want {
		t.Errorf("again %q, want %q", got, want)
	}
	if shared := server.Stats().Shared - before; shared < 24 {
		t.Errorf("%d tokens of a known image were not read again", shared)
	}
	status, text := post(t, url+"/v1/chat/completions", body(wide, `, "stream": true`))
	if status != 200 || !strings.Contains(text, "[DONE]") {
		t.Error(status, text)
	}
}

// TestRefusedImages: what is no image, or is not in the request, is an error that says so.
func TestRefusedImages(t *testing.T) {
	thorough.Slow(t)
	var large, deep bytes.Buffer
	if err := png.Encode(&large, image.NewPaletted(image.Rect(0, 0, 1<<14, 1<<13), color.Palette{color.Black})); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&deep, image.NewGray16(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	in := func(b []byte) string {
		return `{"type": "image_url", "image_url": {"url": "data:image/png;base64,` + base64.StdEncoding.EncodeToString(b) + `"}}`
	}
	small := in(mustRead(t, testPictures+"small.png"))
	seeing, _ := served(t, seer(t))
	blind, _ := served(t, chatModel(t))
	for _, c := range []struct{ url, model, parts, want string }{
		{blind, "model", small, "the model reads no images"},
		{seeing, "llava", `{"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}`, "fetches nothing from the network"},
		{seeing, "llava", `{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}`, "fetches nothing from the network"},
		{seeing, "llava", `{"type": "image_url", "image_url": {"url": "/etc/passwd"}}`, "fetches nothing from the network"},
		{seeing, "llava", `{"type": "image_url", "image_url": {"url": "data:image/png,abc"}}`, "want a data: URL in base64"},
		{seeing, "llava", `{"type": "image_url", "image_url": {"url": "data:image/png;base64,%%%%"}}`, "is not base64"},
		{seeing, "llava", in([]byte("GIF89a")), "image: "},
		{seeing, "llava", in(large.Bytes()), "want at most 67108864 of all images"},
		{seeing, "llava", in(deep.Bytes()), "16 bits"},
		{seeing, "llava", strings.Repeat(small+",", maxImages) + small, "more than 32 images"},
		{seeing, "llava", `{"type": "image_url"}`, "wants an image_url"},
		{seeing, "llava", strings.Replace(small, `"url"`, `"detail": "low", "url"`, 1), `detail \"low\" is not supported`},
		{seeing, "llava", `{"type": "input_audio"}`, `parts of type \"input_audio\" are not supported`},
		{seeing, "llava", small + `, {"type": "text", "text": "<image>"}`, "2 times for 1 images"},
	} {
		status, text := post(t, c.url+"/v1/chat/completions",
			fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": [%s]}]}`, c.model, c.parts))
		if status != 400 || !strings.Contains(text, c.want) {
			t.Errorf("%.120s: %d %s, want an error with %q", c.parts, status, text, c.want)
		}
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzContent: content of any bytes is an error, or a message.
func FuzzContent(f *testing.F) {
	f.Add([]byte(`"text"`))
	f.Add([]byte(`[{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,` +
		dataOf(f, testPictures+"small.png") + `"}}]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, out, left := message{Content: content}, models.Message{}, imageLimit{2, 1 << 16}
		if err := m.content(&out, true, &left); err == nil && out.Content != "" && out.Parts != nil {
			t.Errorf("%q is a message with content and parts: %+v", content, out)
		}
	})
}
