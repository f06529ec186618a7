// Package display turns Go values into what a notebook or a terminal shows: a Bundle of MIME types.
//
//	display.Render(v)              // what a cell's last expression becomes
//	display.Show(a, b)             // show values in the middle of a cell
//	display.Heatmap(matrix)        // a picture of numbers
//
// # How a value is shown
//
// Render looks for methods first, so any type can bring its own forms:
//
//	HTML() string    Markdown() string    LaTeX() string    SVG() string    PNG() []byte    JSON() string
//	MIMEBundle() map[string]string        // any MIME types; binary types as base64
//	Error, String, GoString               // text/plain, in this order
//
// A picture (image.Image) becomes a PNG, a slice of structs, a map or a slice of rows becomes an aligned table in text and in
// HTML, everything else is printed like fmt's %+v with quoted strings. Large values are summarised: the start and the end are
// shown and the size is said. Cyclic values end at an ellipsis. A method that panics is reported in the text.
//
// # Numbers
//
// A slice of float64 whose elements are all exactly float32 values, as tensors of float32 give, is printed in the precision
// of float32: 0.1 and not 0.10000000149011612. Tables show six significant digits. Scalars are printed in full.
//
// # Safety
//
// Text from values is escaped in every piece of HTML that this package makes. Only HTML methods and the HTML function pass
// markup through.
package display
