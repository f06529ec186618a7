package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// decode reads one JSON value into a struct, whose fields have their names in tags. A name in another case is another
// name. Of the parameters in idle, which the struct has not, only values are taken that ask for nothing.
func decode(body []byte, q any, idle map[string][]string) error {
	var raw json.RawMessage
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&raw); err != nil {
		return &apiError{status: http.StatusBadRequest, Message: "the body is not JSON: " + err.Error()}
	}
	if d.More() {
		return &apiError{status: http.StatusBadRequest, Message: "the body has more than one JSON value"}
	}
	t := reflect.TypeOf(q).Elem()
	if err := checkNames(raw, t, "", idle); err != nil {
		return err
	}
	err := json.Unmarshal(raw, q)
	kind := new(json.UnmarshalTypeError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field == "":
		return &apiError{status: http.StatusBadRequest,
			Message: fmt.Sprintf("the body is a JSON %s, want %s", kind.Value, jsonType(kind.Type))}
	case errors.As(err, &kind):
		name := strings.TrimPrefix(kind.Field, "llamaCpp.") // encoding/json names embedded structs, too
		return badParam(name, "%s is a JSON %s, want %s", name, kind.Value, jsonType(kind.Type))
	}
	return &apiError{status: http.StatusBadRequest, Message: err.Error()}
}

// jsonType is what a type is in JSON.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "an integer"
}

// idle are parameters of completions and the values with which they ask for nothing. Clients send them by themselves;
// null asks for nothing in any case.
var idle = map[string][]string{
	"service_tier": {`"auto"`, `"default"`}, "verbosity": {`"medium"`}, "modalities": {`["text"]`}, "functions": {`[]`},
	"function_call": {`"none"`, `"auto"`}, "audio": nil, "prediction": nil, "web_search_options": nil,
}

// checkNames refuses fields that a type has not, in a value and in those within.
func checkNames(raw json.RawMessage, t reflect.Type, path string, idle map[string][]string) error {
	switch t.Kind() {
	case reflect.Pointer:
		return checkNames(raw, t.Elem(), path, nil)
	case reflect.Slice:
		var list []json.RawMessage
		if t.Elem().Kind() == reflect.Uint8 || json.Unmarshal(raw, &list) != nil {
			return nil
		}
		for i, x := range list {
			if err := checkNames(x, t.Elem(), fmt.Sprintf("%s.[%d]", path, i), nil); err != nil {
				return err
			}
		}
	case reflect.Struct:
		var all map[string]json.RawMessage
		if json.Unmarshal(raw, &all) != nil {
			return nil
		}
		fields := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(t) {
			if tag := f.Tag.Get("json"); tag != "" {
				name, _, _ := strings.Cut(tag, ",")
				fields[name] = f.Type
			}
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			if f := fields[name]; f != nil {
				if err := checkNames(all[name], f, at, nil); err != nil {
					return err
				}
				continue
			}
			values, known := idle[name]
			if !known {
				return unknown(at, name, fields)
			}
			if text := compact(all[name]); text != "null" && !slices.Contains(values, text) {
				return badParam(name, "%s of %.100s is not supported: want %s", name, text,
					strings.Join(append(slices.Clone(values), "null"), " or "))
			}
		}
	}
	return nil
}

// unknown is the error of a parameter that is not there.
func unknown(path, name string, fields map[string]reflect.Type) error {
	if theirNames[path] != "" {
		return badParam(path, "%s is not supported: use %s", path, theirNames[path])
	}
	for other := range fields {
		if strings.EqualFold(other, name) {
			return badParam(path, "Unrecognized request argument supplied: %s: use %s", path, other)
		}
	}
	return badParam(path, "Unrecognized request argument supplied: %s", path)
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
