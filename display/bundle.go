package display

// Bundle is one value in several representations: MIME type to content. Text types hold the text itself, binary types
// (image/png) hold base64, as Jupyter requires. A bundle always has text/plain.
type Bundle map[string]string

// The MIME types that Render produces.
const (
	MIMEText     = "text/plain"
	MIMEHTML     = "text/html"
	MIMEMarkdown = "text/markdown"
	MIMELaTeX    = "text/latex"
	MIMEJSON     = "application/json"
	MIMEPNG      = "image/png"
	MIMESVG      = "image/svg+xml"
)

// Text returns the text/plain form.
func (b Bundle) Text() string { return b[MIMEText] }
