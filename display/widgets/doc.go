// Package widgets makes sliders, buttons, progress bars and the like in a notebook, driven from Go. The front end needs
// ipywidgets 8 or another implementation of its protocol; JupyterLab and VS Code have one.
//
//	n := widgets.NewIntSlider(3, 0, 10)
//	n.OnChange(func(v int) { fmt.Println("n is", v) })
//	n                                          // the last expression of a cell is shown
//	for i := range widgets.Progress(100, "epochs") { … }
//
// Value always returns the value that the front end shows now. Callbacks run one after the other on a goroutine of
// their own, between cells and concurrently with a running cell: see package comm. They are called when the user
// operates the widget, not when SetValue is called.
//
// What the front end sends is not trusted: a value that a widget cannot have is refused with a message on standard
// error, and the front end gets the old one back.
//
// Without a front end that supports widgets, as in a terminal, a widget is displayed as text, and a progress bar as an
// animated one.
package widgets
