package train

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// logger writes events to a file, as JSON lines or as CSV. It has no times, so that a run that was resumed has the log
// of one that was not.
type logger struct {
	file *os.File
	csv  bool
}

// line is an event in a log. Numbers that JSON does not have are null.
type line struct {
	Step         int                 `json:"step"`
	Epoch        int                 `json:"epoch"`
	Batch        int                 `json:"batch"`
	Loss         *float64            `json:"loss,omitempty"`
	LearningRate float64             `json:"learning_rate"`
	Skipped      bool                `json:"skipped,omitempty"`
	Values       map[string]*float64 `json:"values,omitempty"`
}

const evaluationPrefix = "evaluation "

var csvHeader = []string{"step", "epoch", "batch", "learning_rate", "name", "value"}

// openLog opens a log, of which it keeps the lines up to a step; those behind it will be written again, and if one is
// due, the evaluation of the step.
func openLog(path string, step int, due bool) (*logger, error) {
	if path == "" {
		return nil, nil
	}
	l := &logger{csv: filepath.Ext(path) == ".csv"}
	kept, err := l.kept(path, step, due)
	if err != nil {
		return nil, fmt.Errorf("train: %s: %w", path, err)
	}
	if l.file, err = os.Create(path); err != nil {
		return nil, err
	}
	_, err = l.file.Write(kept)
	return l, err
}

// kept is the beginning of a log, up to a step.
func (l *logger) kept(path string, step int, due bool) ([]byte, error) {
	var out bytes.Buffer
	if l.csv {
		w := csv.NewWriter(&out)
		_ = w.Write(csvHeader) // to memory
		w.Flush()
	}
	if step == 0 {
		return out.Bytes(), nil
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return out.Bytes(), nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for first := true; scanner.Scan(); first = false {
		text := scanner.Bytes()
		if l.csv && first {
			continue
		}
		n, evaluation, ok := l.stepOf(text)
		if !ok || n > step || n == step && due && evaluation {
			break // the rest of a line that a killed run has begun, or a later one
		}
		out.Write(append(text, '\n'))
	}
	return out.Bytes(), scanner.Err()
}

// stepOf is the step of a line, and whether it is of an evaluation. It is not ok for a part of a line.
func (l *logger) stepOf(text []byte) (step int, evaluation, ok bool) {
	if l.csv {
		fields := strings.Split(string(text), ",")
		n, err := strconv.Atoi(fields[0])
		whole := len(fields) >= len(csvHeader) && err == nil // a name may have commas
		return n, whole && strings.HasPrefix(strings.TrimPrefix(fields[4], `"`), evaluationPrefix), whole
	}
	var of line
	err := json.Unmarshal(text, &of)
	return of.Step, of.Values != nil, err == nil
}

// write writes an event. A nil logger writes nothing, as its other methods do.
func (l *logger) write(e Event) error {
	if l == nil {
		return nil
	}
	var out bytes.Buffer
	if l.csv {
		w := csv.NewWriter(&out)
		row := func(name string, value float64) {
			_ = w.Write([]string{strconv.Itoa(e.Step), strconv.Itoa(e.Epoch), strconv.Itoa(e.Batch),
				text(e.LearningRate), name, text(value)}) // to memory
		}
		if e.Values == nil {
			row(lossMetric, e.Loss)
		}
		for _, name := range sortedNames(e.Values) {
			row(evaluationPrefix+name, e.Values[name])
		}
		w.Flush()
	} else {
		of := line{Step: e.Step, Epoch: e.Epoch, Batch: e.Batch, LearningRate: e.LearningRate, Skipped: e.Skipped}
		if e.Values == nil {
			of.Loss = finite(e.Loss)
		} else {
			of.Values = map[string]*float64{}
			for name, v := range e.Values {
				of.Values[name] = finite(v)
			}
		}
		if err := json.NewEncoder(&out).Encode(of); err != nil {
			return err
		}
	}
	_, err := l.file.Write(out.Bytes())
	return err
}

func (l *logger) sync() error {
	if l == nil {
		return nil
	}
	return l.file.Sync()
}

func (l *logger) close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

func text(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func sortedNames(values map[string]float64) []string {
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
