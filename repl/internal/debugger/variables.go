package debugger

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/debug"
)

// reference is what a number stands for that clients ask for variables of: the scope of a frame, or a value.
type reference struct {
	frame *debug.Frame
	scope string // locals, or session; "" for a value
	value value
}

const (
	localScope   = "Locals"
	sessionScope = "Session"
)

// refer gives something a number.
func (d *Debugger) refer(r reference) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refs = append(d.refs, r)
	return len(d.refs)
}

func (d *Debugger) referred(n int) (reference, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n < 1 || n > len(d.refs) {
		return reference{}, fmt.Errorf("there are no variables %d: the goroutine has gone on", n)
	}
	return d.refs[n-1], nil
}

// frame is a frame of the stop by its number; 0 is the innermost, nil without a stop.
func (d *Debugger) frame(id int) (*debug.Frame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case len(d.frames) == 0:
		if id == 0 {
			return nil, nil
		}
		return nil, errRuns
	case id == 0:
		return d.frames[0], nil
	case id < 1 || id > len(d.frames):
		return nil, fmt.Errorf("there is no frame %d", id)
	}
	return d.frames[id-1], nil
}

func (d *Debugger) scopes(_ context.Context, r *request) (any, error) {
	var a struct {
		Frame int `json:"frameId"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	f, err := d.frame(a.Frame)
	if err != nil {
		return nil, err
	}
	scope := func(name string, expensive bool) map[string]any {
		return map[string]any{"name": name, "expensive": expensive, "presentationHint": strings.ToLower(name),
			"variablesReference": d.refer(reference{frame: f, scope: name})}
	}
	return map[string]any{"scopes": []any{scope(localScope, false), scope(sessionScope, true)}}, nil
}

// listed are the variables of a reference.
func (d *Debugger) listed(ref reference, start, count int) (list []value) {
	switch ref.scope {
	case localScope:
		for _, v := range d.host.Engine().Debugging().FrameVariables(ref.frame) {
			list = append(list, valueOf(v.Name, v.Type, v.Name, v.Value))
		}
	case sessionScope:
		for _, v := range d.host.Engine().Debugging().Globals() {
			list = append(list, valueOf(v.Name, v.Type, v.Name, v.Value))
		}
	default:
		return d.children(ref.value, start, count)
	}
	return list
}

func (d *Debugger) variables(_ context.Context, r *request) (any, error) {
	var a struct {
		Reference int    `json:"variablesReference"`
		Filter    string `json:"filter"`
		Start     int    `json:"start"`
		Count     int    `json:"count"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	ref, err := d.referred(a.Reference)
	if err != nil {
		return nil, err
	}
	list := []any{}
	d.shown(func() {
		if named, _ := d.count(ref.value); a.Filter == "indexed" && named > 0 || a.Filter == "named" && named == 0 &&
			ref.scope == "" {
			return
		}
		for _, v := range d.listed(ref, a.Start, min(max(a.Count, 0), maxListed)) {
			if list = append(list, d.variable(ref.frame, v)); len(list) >= maxListed {
				break
			}
		}
	})
	return map[string]any{"variables": list}, nil
}

// maxListed is how many variables one answer has.
const maxListed = 1000

// variable is a variable as clients take it.
func (d *Debugger) variable(f *debug.Frame, v value) map[string]any {
	named, indexed := d.count(v)
	r := map[string]any{"name": v.name, "value": d.text(v.v), "type": v.typ, "variablesReference": 0}
	if v.path != "" {
		r["evaluateName"] = v.path
	}
	if named+indexed == 0 && d.lab.Load() { // which shows the type in place of a value whose type is not Python's
		delete(r, "type")
	}
	if named+indexed > 0 {
		r["variablesReference"] = d.refer(reference{frame: f, value: v})
		if indexed > 0 {
			r["indexedVariables"] = indexed
		} else {
			r["namedVariables"] = named
		}
	}
	return r
}

// shown calls what shows values: their methods must not stop.
func (d *Debugger) shown(f func()) { d.core().Evaluate(f) }

func (d *Debugger) setVariable(ctx context.Context, r *request) (any, error) {
	var a struct {
		Reference int    `json:"variablesReference"`
		Name      string `json:"name"`
		Value     string `json:"value"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	ref, err := d.referred(a.Reference)
	if err != nil {
		return nil, err
	}
	for _, v := range d.listed(ref, 0, 0) {
		if v.name != a.Name || v.path == "" {
			continue
		}
		if _, err := d.evaluate(ctx, ref.frame, v.path+" = "+a.Value); err != nil {
			return nil, err
		}
		values, err := d.evaluate(ctx, ref.frame, v.path)
		if err != nil || len(values) == 0 {
			return nil, err
		}
		var body map[string]any
		d.shown(func() { body = d.variable(ref.frame, valueOf(a.Name, v.typ, v.path, values[0].V)) })
		return body, nil
	}
	return nil, fmt.Errorf("%s cannot be set", a.Name)
}

func (d *Debugger) evaluateRequest(ctx context.Context, r *request) (any, error) {
	var a struct {
		Expression string `json:"expression"`
		Frame      int    `json:"frameId"`
		Context    string `json:"context"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	f, err := d.frame(a.Frame)
	if err == nil && f == nil {
		err = errRuns
	}
	var values []golang.Value
	if err == nil {
		values, err = d.evaluate(ctx, f, a.Expression)
	}
	switch {
	case err != nil && a.Context == "repl" && d.lab.Load():
		// JupyterLab's console shows the result of an evaluation, but not the message of one that has failed.
		return map[string]any{"result": err.Error(), "variablesReference": 0}, nil
	case err != nil:
		return nil, err
	}
	body := map[string]any{"result": "", "variablesReference": 0}
	d.shown(func() {
		var texts []string
		for _, v := range values {
			x := d.variable(f, valueOf("", v.Type, "", v.V))
			texts = append(texts, x["value"].(string))
			if len(values) == 1 {
				body["type"], body["variablesReference"] = x["type"], x["variablesReference"]
			}
		}
		body["result"] = strings.Join(texts, ", ")
	})
	return body, nil
}

// inspectVariables lists the variables of the session, also while nothing is stopped.
func (d *Debugger) inspectVariables(context.Context, *request) (any, error) {
	list := []any{}
	d.mu.Lock()
	if d.stop == nil {
		d.refs = nil // of the answer before
	}
	d.mu.Unlock()
	d.shown(func() {
		for _, v := range d.host.Engine().Debugging().Globals() {
			list = append(list, d.variable(nil, valueOf(v.Name, v.Type, v.Name, v.Value)))
		}
	})
	return map[string]any{"variables": list}, nil
}

// richInspectVariables shows a variable as a cell does.
func (d *Debugger) richInspectVariables(ctx context.Context, r *request) (any, error) {
	var a struct {
		Name  string `json:"variableName"`
		Frame int    `json:"frameId"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	f, err := d.frame(a.Frame)
	if err != nil {
		return nil, err
	}
	values, err := d.lookup(f, a.Name)
	if err != nil {
		return nil, err
	}
	var data display.Bundle
	d.shown(func() { data, err = d.host.Render(values) })
	return map[string]any{"data": data, "metadata": struct{}{}}, err
}

// lookup is a variable of a frame, or of the session.
func (d *Debugger) lookup(f *debug.Frame, name string) ([]golang.Value, error) {
	var list []golang.FrameVariable
	if f != nil {
		list = d.host.Engine().Debugging().FrameVariables(f)
	}
	for _, v := range append(list, d.host.Engine().Debugging().Globals()...) {
		if v.Name == name {
			return []golang.Value{{V: v.Value, Type: v.Type}}, nil
		}
	}
	return nil, fmt.Errorf("there is no variable %s", name)
}

// copyToGlobals makes a variable of the session of one of a frame, for cells that run later.
func (d *Debugger) copyToGlobals(_ context.Context, r *request) (any, error) {
	var a struct {
		From  string `json:"srcVariableName"`
		To    string `json:"dstVariableName"`
		Frame int    `json:"srcFrameId"`
	}
	if err := parse(r, &a); err != nil {
		return nil, err
	}
	f, err := d.frame(a.Frame)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errRuns
	}
	return nil, d.host.Engine().Debugging().CopyVariable(f, a.From, a.To)
}
