// Package show makes what a session shows of tensors and devices: text, HTML and statistics. It takes dtypes, layouts
// and elements that are on the host already, and knows neither a Tensor nor a Device.
//
//	c := show.CornerOf(layout)  // which elements are shown, as a view
//	text := c.Text(dtype, raw)  // raw are the elements of c.View, in row-major order
//
// # Files
//
//	corner.go      Corner: which elements are shown, and the elements in nested brackets
//	text.go        elements as text: integers, floats in one format, complex numbers
//	html.go        elements as HTML tables
//	facts.go       Facts: the HTML form of a tensor, with size, strides and statistics
//	statistics.go  Statistics of all elements: minimum, mean and maximum, NaN and infinities, counts for a histogram
//	usage.go       Usage: how the memory of a device is used, as text and as HTML
//
// # Invariants
//
//   - Elements are read, never written to: on the CPU they are the memory of the tensor.
//   - The bits of statistics do not depend on the number of cores.
//   - HTML has inline styles only, because notebooks keep nothing else. Those of tables set no opaque colours, so that
//     they suit light and dark themes.
//   - Nothing here panics or returns an error. What went wrong before is a text to show.
package show
