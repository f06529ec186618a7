// Package widgets makes sliders, buttons, progress bars and the like in a notebook, driven from Go. The front end needs
// ipywidgets 8 or another implementation of its protocol; JupyterLab and VS Code have one.
//
//	n := widgets.NewIntSlider(3, 0, 10)
//	n.OnChange(func(v int) { fmt.Println("n is", v) })
//	n                                          // the last expression of a cell is shown
//	for i := range widgets.Progress(100, "epochs") { … }
//
// Value always gives what the front end shows now. Callbacks run while no cell runs and also beside a running cell, one
// after the other, on a goroutine of their own: package comm says more. They are called when somebody uses the widget,
// not when SetValue is called.
//
// Without a front end that knows widgets, as in a terminal, a widget is shown as text, and a progress bar as one that
// moves.
package widgets
