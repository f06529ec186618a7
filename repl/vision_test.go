package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/thorough"
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

// TestInterruptedTranscription: interrupting a cell ends what a compiled call writes, and the session goes on.
func TestInterruptedTranscription(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	folder, err := filepath.Abs("../tensor/models/")
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, s, `w := speech.Open("`+folder+`/speech/testdata/english", Device("cpu"))
w.Options = speech.Options{Each: func(s speech.Segment) { fmt.Println(s) }}
t5 := models.OpenT5("`+folder+`/testdata/t5/flan", Device("cpu"))
t5.MaxTokens, t5.Config.EOS = 1<<40, nil
long := Device("cpu").Randn(tensor.F32, 16000*600).Mul(0.1);`)
	for _, cell := range []string{`w.Transcribe(long, 16000)`, "fmt.Println(1)\nt5.Generate(\"a\")"} {
		interrupted := false
		r := s.Eval(t.Context(), Request{Code: cell}, func(e Event) {
			if e.Kind == Stream && !interrupted {
				interrupted = true
				s.Interrupt()
			}
		})
		if r.Err == nil || r.Err.Name != "Interrupted" {
			t.Errorf("%s: %+v", cell, r.Err)
		}
	}
	mustRun(t, s, `fmt.Println(len(w.Transcribe(long.Narrow(0, 0, 16000), 16000).Segments))`)
}
