// Package display converts Go values to the output of a notebook or a terminal: a Bundle of MIME types.
//
//	display.Render(v)              // what a cell's last expression becomes
//	display.Show(a, b)             // show values in the middle of a cell
//	display.Line(losses)           // a chart
//	display.Image(t)               // a picture of numbers
//
// # Overview
//
//	Line Scatter Hist Bar          charts: a *Chart, whose methods add series, labels, limits, logarithmic axes
//	Box Contour ContourFilled      more charts; ErrorBars and Right (a second vertical axis) are methods
//	Grid                           charts in rows and columns
//	Imshow Heatmap Image           pictures of numbers: in axes, as cells with names, with their own colours
//	Animate Audio                  pictures that follow each other, and sound
//	Table JSON Markdown LaTeX      values and texts in other forms; HTML, SVG and PNG pass on what they are given
//	Live Show Clear Replace        what a cell shows while it runs
//	Set Register                   how numbers are printed, and how foreign types are shown
//
// Charts and pictures take tensors, of any dtype on any device, and (nested) slices and arrays of numbers. For a value
// that they cannot draw they panic with a message that names the accepted forms.
//
// # How a value is displayed
//
// Render looks for a registered function first, then for methods, so any type can provide its own representations:
//
//	HTML() string    Markdown() string    LaTeX() string    SVG() string    PNG() []byte    JSON() string
//	Mime() map[string]string              // any MIME types; binary types as base64. MIMEBundle is the same
//	Error, String, GoString               // text/plain, in this order
//
// A picture (image.Image) becomes a PNG, a slice of structs, a map or a slice of rows becomes an aligned table in text
// and in HTML, a sync.Map is shown as a map, an open file by its name, and everything else is printed like fmt's %+v
// with quoted strings, without the unexported fields of gorocm's own types. Large values are summarised by their start,
// end and size; Table pages through all rows. Cyclic values end at an ellipsis. A method that panics is reported in the
// text.
//
// # Numbers
//
// A slice of float64 whose elements are all exactly float32 values, as those of a float32 tensor, is printed in the
// precision of float32: 0.1 and not 0.10000000149011612. Tables show six significant digits. Scalars are printed in
// full.
//
// # Light and dark
//
// Tables and tensors use the colours of the page. So do charts in notebooks whose page says whether it is light or
// dark, as Jupyter's and VS Code's do; elsewhere they follow the browser's theme, on a background of their own.
// chart.js, which shows values and enlarges parts of a chart, is in the HTML of each one, because a notebook may be
// opened with some outputs only; it replaces the image by the same document in a shadow tree, whose groups (g.axes,
// g.series) it knows from draw and area.
//
// # Safety
//
// Text from values is escaped in every piece of HTML and SVG that this package makes. Only HTML and SVG methods and the
// functions of these names pass markup through.
package display
