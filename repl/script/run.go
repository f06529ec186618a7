package script

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// Options of Run.
type Options struct {
	// KeepGoing runs the cells after one that failed.
	KeepGoing bool
	// Columns is the width of the terminal that shows the output; nil, or 0, where there is none.
	Columns func() int
	// Begin is called before each code cell with the number that it will probably get; nil does nothing.
	Begin func(number int, cell cells.Cell)
	// Sink receives the events of the cells as they come; nil drops them.
	Sink func(repl.Event)
	// Outputs has the Result keep the outputs of cells, for WriteNotebook.
	Outputs bool
	// Done is called after each code cell; nil does nothing.
	Done func(repl.Reply)
}

// Run is what became of one cell.
type Run struct {
	Reply   repl.Reply
	outputs []output
}

// Result is a script that has run. Runs has one entry for each cell up to the last one that ran.
type Result struct {
	Script cells.File
	Runs   []Run
	Failed int  // cells with an error
	Exit   *int // os.Exit's code, when a cell called it
}

// Status is the exit status of a program that has run the script: 0, 1 when a cell failed, what Error.Status says of a
// graver failure, or what a cell gave to os.Exit.
func (r Result) Status() int {
	status := 0
	for _, run := range r.Runs {
		if run.Reply.Err != nil {
			status = max(status, run.Reply.Err.Status())
		}
	}
	if r.Exit != nil {
		status = *r.Exit
	}
	return status
}

// Execute runs the code cells of a script one after the other, up to the first one that fails unless KeepGoing, up to
// the first that calls os.Exit, or until ctx is cancelled. Errors in Replies name the file and its lines where the
// script has some.
func Execute(ctx context.Context, session repl.Session, s cells.File, o Options) Result {
	r := Result{Script: s, Runs: make([]Run, 0, len(s.Cells))} // a cell's goroutines add to its Run later, too
	origins := map[string]cells.Cell{}
	number := 1
	for _, cell := range s.Cells {
		r.Runs = append(r.Runs, Run{})
		if cell.Kind != cells.Code {
			continue
		}
		if o.Begin != nil {
			o.Begin(number, cell)
		}
		run := &r.Runs[len(r.Runs)-1]
		run.Reply = session.Eval(ctx, o.request(s, cell), func(e repl.Event) {
			if e.Kind == repl.Notice {
				e.Text = placed(e.Text, s.Name, origins)
			}
			switch {
			case !o.Outputs:
			case e.Kind == repl.Update:
				r.update(e)
			default:
				run.add(e)
			}
			if o.Sink != nil {
				o.Sink(e)
			}
		})
		number = max(number, run.Reply.Count+1)
		origins[fmt.Sprintf("cell[%d]", run.Reply.Count)] = cell
		run.end(s.Name, origins)
		if o.Done != nil {
			o.Done(run.Reply)
		}
		if run.Reply.Exit != nil {
			r.Exit = run.Reply.Exit
			return r
		}
		if run.Reply.Err != nil {
			r.Failed++
			if !o.KeepGoing || ctx.Err() != nil {
				return r
			}
		}
	}
	return r
}

// request asks for a cell of a script. Those of notebooks have no lines.
func (o Options) request(s cells.File, cell cells.Cell) repl.Request {
	r := repl.Request{Code: cell.Source}
	if o.Columns != nil {
		r.Columns = o.Columns()
	}
	if cell.Line > 0 {
		r.File, r.Line = s.Name, cell.Line
		if path, err := filepath.Abs(s.Name); err == nil {
			r.File = path // as the compiler has it
		}
	}
	return r
}

// end completes the outputs when the cell is over and gives the error the places of the file.
func (r *Run) end(name string, origins map[string]cells.Cell) {
	r.outputs = slices.DeleteFunc(r.outputs, func(o output) bool { return o.Kind == string(repl.Clear) })
	for i := range r.outputs {
		if r.outputs[i].Kind == string(repl.Result) {
			r.outputs[i].Count = r.Reply.Count
		}
	}
	if r.Reply.Err == nil {
		return
	}
	located := *r.Reply.Err
	located.Frames = slices.Clone(located.Frames)
	for i, f := range located.Frames {
		if cell, ok := origins[f.Cell]; ok && cell.Line > 0 {
			located.Frames[i].Cell, located.Frames[i].Line = name, f.Line+cell.Line-1
		}
	}
	located.Message = placed(located.Message, name, origins)
	located.Notes = slices.Clone(located.Notes)
	for i, n := range located.Notes {
		located.Notes[i] = placed(n, name, origins)
	}
	r.Reply.Err = &located
	r.outputs = append(r.outputs, output{Kind: "error", Err: &located})
}

// cellPlace is a place as messages and notes have it: "cell[3], line 2" and "cell[3]:2:5".
var cellPlace = regexp.MustCompile(`(cell\[\d+\])(, line |:)(\d+)`)

// placed is a text in which the places of cells are those of the file.
func placed(text, name string, origins map[string]cells.Cell) string {
	return cellPlace.ReplaceAllStringFunc(text, func(place string) string {
		m := cellPlace.FindStringSubmatch(place)
		line, err := strconv.Atoi(m[3])
		if cell, ok := origins[m[1]]; ok && cell.Line > 0 && err == nil {
			return name + m[2] + strconv.Itoa(line+cell.Line-1)
		}
		return place
	})
}

// update replaces what a display shows, in the cell where it stands.
func (r *Result) update(e repl.Event) {
	for i := range r.Runs {
		for j := range r.Runs[i].outputs {
			if o := &r.Runs[i].outputs[j]; o.id == e.ID && e.ID != "" {
				o.Data, o.Meta = e.Data, e.Meta
			}
		}
	}
}

// add keeps an event as a notebook does: text of one stream in one piece, cleared output gone.
func (r *Run) add(e repl.Event) {
	if n := len(r.outputs); n > 0 && r.outputs[n-1].Kind == string(repl.Clear) && e.Kind != repl.Clear {
		r.outputs = nil
	}
	switch e = e.Notebook(); e.Kind {
	case repl.Stream:
		if n := len(r.outputs); n > 0 && r.outputs[n-1].Kind == "stream" && r.outputs[n-1].Name == e.Name {
			r.outputs[n-1].text.WriteString(e.Text)
			return
		}
		text := &strings.Builder{} // not a string that grows: a cell may print a GB
		text.WriteString(e.Text)
		r.outputs = append(r.outputs, output{Kind: "stream", Name: e.Name, text: text})
	case repl.Display, repl.Result:
		r.outputs = append(r.outputs, output{Kind: string(e.Kind), Data: e.Data, Meta: e.Meta, id: e.ID})
	case repl.Clear:
		if e.Wait {
			r.outputs = append(r.outputs, output{Kind: string(repl.Clear)})
			return
		}
		r.outputs = nil
	}
}
