package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // for image.DecodeConfig
	"strings"

	controls "github.com/gorocm/gorocm/internal/visible"
)

// HTML is HTML, passed on unchanged: escape untrusted text with html.EscapeString. The terminal shows its source.
func HTML(s string) Bundle { return Bundle{MIMEHTML: s, MIMEText: elide(controls.Text(s), maxString)} }

// Markdown is a piece of Markdown. The terminal shows its source.
func Markdown(s string) Bundle {
	return Bundle{MIMEMarkdown: s, MIMEText: elide(controls.Text(s), maxString)}
}

// LaTeX is a formula or a piece of LaTeX; a formula without $ or \begin is put between $$.
func LaTeX(s string) Bundle {
	text := s
	if !strings.Contains(s, "$") && !strings.Contains(s, `\begin`) {
		s = "$$" + s + "$$"
	}
	return Bundle{MIMELaTeX: s, MIMEText: elide(controls.Text(text), maxString)}
}

// SVG is a vector image, as the text of an SVG document.
func SVG(s string) Bundle {
	return Bundle{MIMESVG: s, MIMEText: fmt.Sprintf("SVG picture, %d bytes", len(s))}
}

// PNG is an image as the bytes of a PNG file. For other bytes a text reports the problem.
func PNG(b []byte) Bundle {
	config, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil || format != "png" {
		return Bundle{MIMEText: fmt.Sprintf("display.PNG: %d bytes that are not a PNG file", len(b))}
	}
	out := Bundle{MIMEPNG: base64.StdEncoding.EncodeToString(b)}
	out[MIMEText] = pngText(b, config)
	return out
}

// JSON is v in JSON form, which JupyterLab displays as a collapsible tree. A value that JSON cannot represent is
// displayed as text with the reason.
func JSON(v any) Bundle {
	compact, err := json.Marshal(v)
	if err != nil {
		return Bundle{MIMEText: plainText(v) + "\n" + err.Error()}
	}
	indented, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		indented = compact
	}
	return Bundle{MIMEJSON: string(compact), MIMEText: elide(string(indented), maxString)}
}
