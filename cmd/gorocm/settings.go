package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/gorocm/gorocm/internal/folders"
	"github.com/gorocm/gorocm/repl/cells"
)

// settings are what the configuration file says. A field's tags are its key there, its value without the file, the
// values that it can have, and what it is for.
type settings struct {
	Colour  string  `toml:"colour" without:"auto" values:"auto always never" doc:"colours in the terminal; auto obeys NO_COLOR and TERM"`
	Hints   bool    `toml:"hints" without:"true" values:"true false" doc:"show the call's signature and documentation below the line"`
	Status  bool    `toml:"status" without:"false" values:"true false" doc:"show the memory of the devices below the line; F2 shows it once"`
	Elapsed float64 `toml:"elapsed" without:"0.5" doc:"show the time of cells that take more than this many seconds; -1 for never"`
	Editor  string  `toml:"editor" without:"" doc:"the program of %edit and Ctrl-X Ctrl-E; without it $VISUAL or $EDITOR"`
	History int     `toml:"history" without:"10000" doc:"cells of earlier sessions that the arrow keys and Ctrl-R reach"`
	Startup string  `toml:"startup" without:"startup.go" doc:"file of cells that run at the start of every session in the terminal, in the configuration's folder; empty for none"`
}

// setting is one field of settings.
type setting struct {
	key, without, doc string
	values            []string
	value             reflect.Value
}

// list are all settings with their values.
func (s *settings) list() (all []setting) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		all = append(all, setting{tag.Get("toml"), tag.Get("without"), tag.Get("doc"),
			strings.Fields(tag.Get("values")), v.Field(i)})
	}
	return all
}

// text is the value as it stands in the file.
func (s setting) text() string {
	if s.value.Kind() == reflect.String {
		return quoted(s.value.String())
	}
	return fmt.Sprint(s.value.Interface())
}

// parse reads a value that a user has typed, with or without quotes.
func (s setting) parse(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s cannot be %q: it is not UTF-8", s.key, text)
	}
	line := s.key + " = " + text
	if s.value.Kind() == reflect.String && !strings.HasPrefix(text, `"`) && !strings.HasPrefix(text, "'") {
		line = s.key + " = " + quoted(text)
	}
	var read settings
	if err := toml.Unmarshal([]byte(line), &read); err != nil {
		return fmt.Errorf("%s cannot be %s: it is %s", s.key, text, s.kind())
	}
	for _, other := range read.list() {
		if other.key == s.key {
			s.value.Set(other.value)
		}
	}
	return s.check()
}

// kind says what values there are.
func (s setting) kind() string {
	switch {
	case len(s.values) > 0:
		last := len(s.values) - 1
		return strings.Join(s.values[:last], ", ") + " or " + s.values[last]
	case s.value.Kind() == reflect.Int:
		return "a whole number"
	case s.value.Kind() == reflect.Float64:
		return "a number"
	}
	return "a text"
}

func (s setting) check() error {
	if len(s.values) == 0 {
		return nil
	}
	is := fmt.Sprint(s.value.Interface())
	for _, v := range s.values {
		if is == v {
			return nil
		}
	}
	return fmt.Errorf("%s cannot be %q: it is %s", s.key, is, s.kind())
}

// defaults are the settings without a file.
func defaults() *settings {
	s := &settings{}
	for _, f := range s.list() {
		if err := f.parse(f.without); err != nil {
			panic(err) // a tag above is wrong
		}
	}
	return s
}

// configFile is the path of the configuration, whether it is there or not.
func configFile() (string, error) {
	if path := os.Getenv("GOROCM_CONFIG"); path != "" {
		return path, nil
	}
	base, err := folders.Config()
	if err != nil {
		return "", fmt.Errorf("no folder for the configuration: %w", err)
	}
	return filepath.Join(base, "gorocm", "config.toml"), nil
}

// readSettings reads the configuration; without a file it is the defaults.
func readSettings() (*settings, error) {
	s := defaults()
	path, err := configFile()
	if err != nil {
		return s, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return s, s.decode(path, data)
}

func (s *settings) decode(path string, data []byte) error {
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(s)
	var wrong *toml.DecodeError
	var unknown *toml.StrictMissingError
	switch {
	case errors.As(err, &unknown):
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s:%d: unknown setting %s; gorocm config lists them", path, row,
			strings.Join(unknown.Errors[0].Key(), "."))
	case errors.As(err, &wrong):
		row, _ := wrong.Position()
		for _, f := range s.list() {
			if strings.Join(wrong.Key(), ".") == f.key {
				return fmt.Errorf("%s:%d: %s is %s", path, row, f.key, f.kind())
			}
		}
		return fmt.Errorf("%s:%d: %s", path, row, strings.TrimPrefix(wrong.Error(), "toml: "))
	case err != nil:
		return fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "toml: "))
	}
	for _, f := range s.list() {
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// elapsed is the time of a cell beyond which its time is shown; less than 0 for never.
func (s *settings) elapsed() time.Duration {
	if s.Elapsed < 0 {
		return -1
	}
	return max(1, time.Duration(s.Elapsed*float64(time.Second)))
}

// startup are the cells of the start-up file. One that is named in the configuration must be there.
func (s *settings) startup() ([]string, error) {
	if s.Startup == "" {
		return nil, nil
	}
	path := s.Startup
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		config, err := configFile()
		if err != nil {
			return nil, nil
		}
		path = filepath.Join(filepath.Dir(config), path)
	}
	f, err := readCells(path)
	if errors.Is(err, fs.ErrNotExist) && s.Startup == defaults().Startup {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the start-up file of the configuration: %w", err)
	}
	var sources []string
	for _, c := range f.Cells {
		if c.Kind == cells.Code {
			sources = append(sources, c.Source)
		}
	}
	return sources, nil
}
