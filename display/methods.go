package display

import (
	"encoding/base64"
	"maps"
)

// Methods is a value together with the methods that Render looks for, one field each: for values whose methods are
// invisible to compiled code, such as those of interpreted types. Fields may be nil.
type Methods struct {
	Value                                  any
	HTML, Markdown, LaTeX, SVG, JSON, Text func() string
	PNG                                    func() []byte
	MIMEBundle                             func() map[string]string
}

func (m Methods) bundle() Bundle {
	out, notes := Bundle{}, ""
	if m.MIMEBundle != nil {
		notes += guard(m.Value, "MIMEBundle", func() { maps.Copy(out, m.MIMEBundle()) })
	}
	if m.PNG != nil {
		notes += guard(m.Value, "PNG", func() { out[MIMEPNG] = base64.StdEncoding.EncodeToString(m.PNG()) })
	}
	for _, f := range []struct {
		method, mime string
		call         func() string
	}{
		{"HTML", MIMEHTML, m.HTML}, {"Markdown", MIMEMarkdown, m.Markdown}, {"LaTeX", MIMELaTeX, m.LaTeX},
		{"SVG", MIMESVG, m.SVG}, {"JSON", MIMEJSON, m.JSON}, {"Text", MIMEText, m.Text},
	} {
		if f.call != nil {
			notes += guard(m.Value, f.method, func() { out[f.mime] = f.call() })
		}
	}
	if len(out) == 0 {
		out = Render(m.Value)
	}
	if _, ok := out[MIMEText]; !ok {
		out[MIMEText] = plainText(m.Value)
	}
	out[MIMEText] += notes
	return out
}
