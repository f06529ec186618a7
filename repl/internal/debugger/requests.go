package debugger

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/debug"
)

// answers gives each request the same body.
func answers(body any) handler {
	return func(*Debugger, context.Context, *request) (any, error) { return body, nil }
}

// panicFilter is the exception filter that stops at panics.
const panicFilter = "panic"

// initialize notes who asks.
func (d *Debugger) initialize(_ context.Context, r *request) (any, error) {
	var a struct {
		Client string `json:"clientID"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	d.lab.Store(a.Client == "jupyterlab")
	return capabilities(), nil
}

// capabilities are what the debugger can do.
func capabilities() map[string]any {
	return map[string]any{
		"supportsConfigurationDoneRequest":   true,
		"supportsConditionalBreakpoints":     true,
		"supportsHitConditionalBreakpoints":  true,
		"supportsLogPoints":                  true,
		"supportsSetVariable":                true,
		"supportsEvaluateForHovers":          true,
		"supportsDelayedStackTraceLoading":   true,
		"supportsTerminateRequest":           true,
		"supportsExceptionInfoRequest":       false,
		"supportsSingleThreadExecutionStops": false,
		"exceptionBreakpointFilters": []any{map[string]any{"filter": panicFilter, "label": "Panics",
			"default": false, "description": "stop where a panic begins, before deferred functions run"}},
	}
}

func (d *Debugger) attach(context.Context, *request) (any, error) {
	d.mu.Lock()
	d.attached = true
	d.mu.Unlock()
	return nil, d.turn()
}

// disconnect lets everything go on.
func (d *Debugger) disconnect(context.Context, *request) (any, error) {
	d.Detach()
	return nil, nil
}

// isClients reports whether breakpoints of a source are of clients, which name it by its path.
func isClients(source string) bool {
	return strings.HasSuffix(source, suffix) && !strings.HasPrefix(source, debug.Prompt)
}

// Detach forgets the client, if there is one: what is stopped goes on.
func (d *Debugger) Detach() {
	d.mu.Lock()
	was, s := d.attached, d.stop
	d.attached, d.filters = false, nil
	d.mu.Unlock()
	if !was {
		return
	}
	core := d.core()
	core.BreakOnPanic(false)
	for source := range core.Breakpoints() {
		if isClients(source) {
			core.SetBreakpoints(source, nil)
		}
	}
	if s != nil {
		d.resumed(s, debug.Continue)
	}
	_ = d.turn() // functions keep their hooks where that fails, which are slow and stop nothing
}

func (d *Debugger) debugInfo(context.Context, *request) (any, error) {
	d.mu.Lock()
	attached, s := d.attached, d.stop
	filters := append([]string{}, d.filters...)
	d.mu.Unlock()
	stopped := []int{}
	if s != nil {
		stopped = append(stopped, s.Thread.ID)
	}
	points := []any{}
	for source, list := range d.core().Breakpoints() {
		if !isClients(source) {
			continue
		}
		var lines []any
		for _, b := range list {
			lines = append(lines, withoutEmpty(map[string]any{"line": b.Line, "condition": b.Condition,
				"hitCondition": b.Hits, "logMessage": b.Log}))
		}
		points = append(points, map[string]any{"source": source, "breakpoints": lines})
	}
	return map[string]any{"isStarted": attached, "hashMethod": "Murmur2", "hashSeed": hashSeed,
		"tmpFilePrefix": prefix(), "tmpFileSuffix": suffix, "breakpoints": points, "stoppedThreads": stopped,
		"richRendering": true, "exceptionPaths": filters, "copyToGlobals": true}, nil
}

func withoutEmpty(m map[string]any) map[string]any {
	for k, v := range m {
		if v == "" {
			delete(m, k)
		}
	}
	return m
}

func (d *Debugger) dumpCell(_ context.Context, r *request) (any, error) {
	var a struct {
		Code string `json:"code"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	path := Path(a.Code)
	d.mu.Lock()
	d.sources[path] = a.Code
	d.mu.Unlock()
	return map[string]any{"sourcePath": path}, nil
}

type sourceArguments struct {
	Source struct {
		Path string `json:"path"`
	} `json:"source"`
	Breakpoints []struct {
		Line      int    `json:"line"`
		Condition string `json:"condition"`
		Hits      string `json:"hitCondition"`
		Log       string `json:"logMessage"`
	} `json:"breakpoints"`
}

// text is the source of a path, or of a cell.
func (d *Debugger) sourceText(path string) (string, bool) {
	d.mu.Lock()
	code, ok := d.sources[path]
	d.mu.Unlock()
	if !ok {
		lines := d.host.Engine().Debugging().CellSource(path)
		code, ok = strings.Join(lines, "\n"), lines != nil
	}
	return code, ok
}

func (d *Debugger) source(_ context.Context, r *request) (any, error) {
	var a sourceArguments
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	code, ok := d.sourceText(a.Source.Path)
	if !ok {
		return nil, fmt.Errorf("there is no source %s", a.Source.Path)
	}
	return map[string]any{"content": code, "mimeType": "text/x-go"}, nil
}

func (d *Debugger) setBreakpoints(_ context.Context, r *request) (any, error) {
	var a sourceArguments
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	code, known := d.sourceText(a.Source.Path)
	lines := stopLines(code)
	text, isFile := d.host.Engine().Debugging().PackageFile(a.Source.Path)
	if isFile {
		lines = FileLines(text)
	}
	var points []debug.Breakpoint
	list := []any{}
	for _, b := range a.Breakpoints {
		answer := map[string]any{"id": len(points) + 1, "verified": true, "line": b.Line,
			"source": map[string]any{"path": a.Source.Path}}
		if i, _ := slices.BinarySearch(lines, b.Line); i < len(lines) {
			answer["line"] = lines[i] // the breakpoint is of the first statement from its line on
			if isFile {
				b.Line = lines[i]
			}
		} else if !known && !strings.HasPrefix(a.Source.Path, prefix()) {
			answer["verified"], answer["message"] = false, "no package that has been imported has this file"
		} else if known {
			answer["verified"] = false
			answer["message"] = fmt.Sprintf("no statement begins on line %d or below", b.Line)
		}
		if b.Condition != "" {
			if _, err := parser.ParseExprFrom(token.NewFileSet(), "", b.Condition, 0); err != nil {
				answer["verified"], answer["message"] = false, "the condition is no Go expression: "+err.Error()
			}
		}
		points = append(points, debug.Breakpoint{Line: b.Line, Condition: b.Condition, Hits: b.Hits, Log: b.Log})
		list = append(list, answer)
	}
	d.core().SetBreakpoints(a.Source.Path, points)
	return map[string]any{"breakpoints": list}, nil
}

func (d *Debugger) setExceptionBreakpoints(_ context.Context, r *request) (any, error) {
	var a struct {
		Filters []string `json:"filters"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	list := []any{}
	var filters []string
	for _, f := range a.Filters {
		answer := map[string]any{"verified": f == panicFilter}
		if f == panicFilter {
			filters = append(filters, f)
		} else {
			answer["message"] = fmt.Sprintf("there is no filter %q, only %q", f, panicFilter)
		}
		list = append(list, answer)
	}
	d.mu.Lock()
	d.filters = filters
	d.mu.Unlock()
	d.core().BreakOnPanic(len(filters) > 0)
	return map[string]any{"breakpoints": list}, nil
}

func (d *Debugger) threads(context.Context, *request) (any, error) {
	list := []any{}
	for _, t := range d.core().Threads() {
		list = append(list, map[string]any{"id": t.ID, "name": threadName(t)})
	}
	if len(list) == 0 { // clients want one
		list = append(list, map[string]any{"id": 1, "name": "cell"})
	}
	return map[string]any{"threads": list}, nil
}

func threadName(t *debug.Thread) string {
	if t.ID == 1 {
		return "cell"
	}
	return fmt.Sprintf("goroutine %d", t.ID)
}

func (d *Debugger) stackTrace(_ context.Context, r *request) (any, error) {
	var a struct {
		Thread int `json:"threadId"`
		Start  int `json:"startFrame"`
		Levels int `json:"levels"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	d.mu.Lock()
	frames := d.frames
	d.mu.Unlock()
	list := []any{}
	for i, f := range frames {
		if i < a.Start || a.Levels > 0 && i >= a.Start+a.Levels {
			continue
		}
		list = append(list, d.stackFrame(i+1, f))
	}
	return map[string]any{"stackFrames": list, "totalFrames": len(frames)}, nil
}

func (d *Debugger) stackFrame(id int, f *debug.Frame) map[string]any {
	p := f.Place()
	if p == nil {
		return map[string]any{"id": id, "name": "?", "line": 0, "column": 0}
	}
	return map[string]any{"id": id, "name": frameName(p), "line": p.Line, "column": p.Column,
		"source": map[string]any{"name": p.File, "path": d.core().Source(p.File)}}
}

// frameName is the name of the function of a place; the statements of a cell have the cell's.
func frameName(p *debug.Place) string {
	if p.Func == "" {
		return p.File
	}
	return p.Func
}

// resumes lets the goroutine that is stopped go on.
func resumes(how debug.How) handler {
	return func(d *Debugger, _ context.Context, _ *request) (any, error) {
		d.mu.Lock()
		s := d.stop
		d.mu.Unlock()
		if s == nil {
			return nil, errRuns
		}
		d.resumed(s, how)
		return map[string]any{"allThreadsContinued": true}, nil
	}
}

func (d *Debugger) pause(context.Context, *request) (any, error) {
	d.core().Pause()
	return nil, nil
}
