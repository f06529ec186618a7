package display

// Bundle is one value in several representations: MIME type to content. Text types hold the text itself, binary types
// (image/png) hold base64, as Jupyter wants them. A bundle always has text/plain.
type Bundle map[string]string

// The MIME types that Render produces.
const (
	Text     = "text/plain"
	HTML     = "text/html"
	Markdown = "text/markdown"
	LaTeX    = "text/latex"
	JSON     = "application/json"
	PNG      = "image/png"
	SVG      = "image/svg+xml"
)
