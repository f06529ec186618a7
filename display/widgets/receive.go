package widgets

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/display/comm"
)

// receive handles a message from the front end.
func (m *model) receive(msg comm.Message) {
	var data struct {
		Method  string                     `json:"method"`
		State   map[string]json.RawMessage `json:"state"`
		Paths   [][]any                    `json:"buffer_paths"`
		Content json.RawMessage            `json:"content"`
	}
	if err := json.Unmarshal(msg.Raw, &data); err != nil {
		m.refuse("a message", err)
		return
	}
	switch data.Method {
	case "request_state":
		m.mu.Lock()
		m.update("update", m.state)
		m.mu.Unlock()
	case "custom":
		m.mu.Lock()
		custom := m.custom
		m.mu.Unlock()
		if custom == nil {
			return
		}
		content := comm.Message{Raw: data.Content, Buffers: msg.Buffers, Data: map[string]any{}}
		if json.Unmarshal(data.Content, &content.Data) != nil || content.Data == nil {
			content.Data = map[string]any{} // what is no object is in Raw
		}
		comm.Later(func() { custom(content) })
	case "update":
		if err := join(data.State, data.Paths, msg.Buffers); err != nil {
			m.refuse("a message", err)
			return
		}
		m.take(data.State)
	}
}

// refuse reports what the front end sent and is not accepted. It is shown where the output of callbacks is.
func (m *model) refuse(what string, err error) {
	comm.Later(func() {
		fmt.Fprintf(os.Stderr, "widgets: %s refuses %s that the front end sent: %v\n", m.class, what, err)
	})
}

// take applies a change made in the front end, and informs its other views. What it refuses is sent back as it was.
func (m *model) take(state map[string]json.RawMessage) {
	m.mu.Lock()
	echo, back, calls := map[string]any{}, map[string]any{}, []func(){}
	for _, name := range byDependence(state) {
		old, known := m.state[name]
		if !known || strings.HasPrefix(name, "_") {
			continue
		}
		v, err := like(old, state[name])
		if check := m.checks[name]; err == nil && check != nil {
			err = check(m.state, v)
		}
		if err != nil {
			m.refuse(name, err)
			back[name] = old
			continue
		}
		m.state[name] = v
		if _, large := v.([]upload); !large {
			echo[name] = v
		}
		delete(m.pending, name)
		if f := m.changed[name]; f != nil {
			calls = append(calls, func() { f(v) })
		}
	}
	if len(echo) > 0 && m.comm != nil {
		m.update("echo_update", echo)
	}
	if len(back) > 0 && m.comm != nil {
		m.update("update", back)
	}
	m.mu.Unlock()
	for _, call := range calls {
		comm.Later(call)
	}
}

// byDependence returns the names in a state in order, the value after the bounds and options that it depends on.
func byDependence(state map[string]json.RawMessage) []string {
	names := slices.Sorted(maps.Keys(state))
	last := func(name string) int {
		if name == "value" || name == "index" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return last(a) - last(b) })
	return names
}

// like decodes JSON to the type of the previous value.
func like(old any, raw json.RawMessage) (any, error) {
	if old == nil {
		var v any
		err := json.Unmarshal(raw, &v)
		return v, err
	}
	p := reflect.New(reflect.TypeOf(old))
	_, own := p.Interface().(json.Unmarshaler)
	if string(raw) == "null" && !own {
		return nil, fmt.Errorf("null is not of type %T", old)
	}
	if err := json.Unmarshal(raw, p.Interface()); err != nil {
		return nil, fmt.Errorf("%.40s: %w", raw, err)
	}
	return p.Elem().Interface(), nil
}

// split takes the binary parts out of a state: they are sent as buffers, with the paths to where they belong.
func split(state map[string]any) (rest map[string]any, paths [][]any, buffers [][]byte) {
	rest, paths = maps.Clone(state), [][]any{}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		switch v := state[name].(type) {
		case []byte:
			delete(rest, name)
			paths, buffers = append(paths, []any{name}), append(buffers, v)
		case []upload:
			for i := range v {
				paths = append(paths, []any{name, i, "content"})
				buffers = append(buffers, v[i].Content)
			}
			rest[name] = withoutContent(v)
		}
	}
	return rest, paths, buffers
}

// join puts buffers into a state, as the base64 that encoding/json decodes to []byte.
func join(state map[string]json.RawMessage, paths [][]any, buffers [][]byte) error {
	if len(paths) != len(buffers) {
		return fmt.Errorf("%d buffers for %d buffer_paths", len(buffers), len(paths))
	}
	for i, path := range paths {
		name, _ := append(path, nil)[0].(string)
		if name == "" {
			return fmt.Errorf("buffer_paths[%d] does not begin with a name", i)
		}
		var whole any
		if raw := state[name]; raw != nil {
			if err := json.Unmarshal(raw, &whole); err != nil {
				return err
			}
		}
		whole, err := put(whole, path[1:], buffers[i])
		if err != nil {
			return fmt.Errorf("buffer_paths[%d]: %w", i, err)
		}
		raw, err := json.Marshal(whole)
		if err != nil {
			return err
		}
		if state == nil {
			return fmt.Errorf("buffer_paths[%d] without a state", i)
		}
		state[name] = raw
	}
	return nil
}

// put returns a decoded JSON value with a buffer at a path.
func put(in any, path []any, buffer []byte) (any, error) {
	if len(path) == 0 {
		return buffer, nil
	}
	switch v := in.(type) {
	case map[string]any:
		if name, ok := path[0].(string); ok {
			inside, err := put(v[name], path[1:], buffer)
			v[name] = inside
			return v, err
		}
	case []any:
		if i, ok := path[0].(float64); ok && i >= 0 && int(i) < len(v) {
			inside, err := put(v[int(i)], path[1:], buffer)
			v[int(i)] = inside
			return v, err
		}
	}
	return nil, fmt.Errorf("the state has no %v", path[0])
}
