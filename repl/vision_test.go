package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
)

// TestImagesAndSpeech: models of images, of texts and of speech are opened in cells, which need no import for them and
// show labels and segments as tables.
func TestImagesAndSpeech(t *testing.T) {
	const from = "../tensor/models/"
	s := newSession(t)
	folder := func(path string) string {
		to, err := filepath.Abs(from + path)
		if err == nil {
			_, err = os.Stat(to)
		}
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	mustRun(t, s, `dev := Device("cpu")
image := formats.ReadImage("`+folder("vision/testdata/wide.png")+`", dev);`)
	for _, c := range []struct{ cell, text, html string }{
		{`vision.Open("` + folder("vision/testdata/vit") + `", dev).Classify(image)`, "0  dog", "<td"},
		{`vision.OpenCLIP("` + folder("vision/testdata/siglip") + `", dev).Classify(image, "a cat", "a dog")`, "a cat", "<td"},
		{`vision.Open("` + folder("vision/testdata/resnet50") + `", dev)`, "resnet50: resnet, stages of [2 1] layers", ""},
		{`models.OpenT5("` + folder("testdata/t5/t5") + `", dev).Generate("a")`, `"u."`, ""},
		{`speech.Open("` + folder("speech/testdata/english") + `", dev).TranscribeFile("` + folder("speech/testdata/short.wav") + `")`,
			"0.70 s", "<th>text</th>"},
	} {
		shown := display.Bundle{}
		r := s.Eval(t.Context(), Request{Code: c.cell}, func(e Event) {
			if e.Kind == Result {
				shown = e.Data
			}
		})
		if r.Err != nil {
			t.Fatalf("%s: %+v", c.cell, r.Err)
		}
		if text := shown[display.MIMEText]; !strings.Contains(text, c.text) {
			t.Errorf("%s: %q, want %q", c.cell, text, c.text)
		}
		if html := shown[display.MIMEHTML]; !strings.Contains(html, c.html) {
			t.Errorf("%s: %q, want %q", c.cell, html, c.html)
		}
	}
}
