// %get gonum.org/v1/plot@v0.17.0

package main

import (
	"bytes"
	"fmt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func main() {
	p := plot.New()
	p.Title.Text = "a line"
	l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	fmt.Println(err)
	p.Add(l)
	w, err := p.WriterTo(4*vg.Inch, 4*vg.Inch, "svg")
	fmt.Println(err)
	var b bytes.Buffer
	_, err = w.WriteTo(&b)
	fmt.Println(bytes.Contains(b.Bytes(), []byte("a line")), err)
}

// Output:
// <nil>
// <nil>
// true <nil>
