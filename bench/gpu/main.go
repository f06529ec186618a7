// Command gpu times operations on a GPU for compare.py, which runs it in turns with PyTorch.
//
//	gpu DEVICE            reads requests from the standard input, one a line: a row's name and a dtype
//	gpu DEVICE NAME…      measures the rows whose names contain one of NAME
//	gpu list              prints the rows
//	gpu profile DEVICE NAME DTYPE   prints what each kernel of a row takes
//
// Every answer is one line of JSON. A repeated request for the same row reuses its operands.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// answer is the result for a row and a dtype.
type answer struct {
	Name    string             `json:"name"`
	DType   string             `json:"dtype"`
	Bytes   int                `json:"bytes,omitempty"`   // read and written by one operation, at least
	Flops   int                `json:"flops,omitempty"`   // of one operation
	Micros  []float64          `json:"micros,omitempty"`  // of one operation, by sample
	Facts   map[string]float64 `json:"facts,omitempty"`   // what a row that is not about time has found
	Problem string             `json:"problem,omitempty"` // why there is no figure
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: gpu DEVICE [NAME…], gpu list, or gpu profile DEVICE NAME DTYPE")
	}
	out := json.NewEncoder(os.Stdout)
	say := func(a answer) {
		if err := out.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
	if os.Args[1] == "list" {
		for _, r := range rows() {
			for _, dt := range r.dtypes {
				say(answer{Name: r.name, DType: dt.String()})
			}
		}
		return
	}
	args := os.Args[1:]
	profile := len(args) == 4 && args[0] == "profile"
	if profile {
		args = args[1:]
	}
	dev, err := tensor.NewDevice(args[0])
	if err != nil {
		log.Fatal(err)
	}
	s := &server{dev: dev}
	if profile {
		if err := s.profile(os.Stdout, args[1], args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if names := args[1:]; len(names) > 0 {
		for _, r := range rows() {
			for _, dt := range r.dtypes {
				if matches(r.name, names) {
					say(s.answer(r.name, dt.String()))
				}
			}
		}
		return
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if name, dtype, ok := strings.Cut(in.Text(), " "); ok {
			say(s.answer(name, dtype))
		}
	}
}

func matches(name string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(name, p) {
			return true
		}
	}
	return false
}

// server measures rows, and keeps the operands of the last one.
type server struct {
	dev         *tensor.Device
	name, dtype string
	job         *job
}

// answer measures a row. What panics is the answer's problem.
func (s *server) answer(name, dtype string) (a answer) {
	a = answer{Name: name, DType: dtype}
	defer func() {
		if p := recover(); p != nil {
			a.Problem = fmt.Sprint(p)
			s.job = nil
		}
	}()
	if s.job == nil || s.name != name || s.dtype != dtype {
		s.job = nil
		runtime.GC() // the operands of the last row
		job, err := s.prepare(name, dtype)
		if err != nil {
			a.Problem = err.Error()
			return a
		}
		s.name, s.dtype, s.job = name, dtype, job
	}
	a.Bytes, a.Flops = s.job.bytes, s.job.flops
	if s.job.facts != nil {
		a.Facts = s.job.facts()
		return a
	}
	a.Micros = s.job.samples(s.dev)
	return a
}

func (s *server) prepare(name, dtype string) (*job, error) {
	dt, err := tensor.ParseDType(dtype)
	if err != nil {
		return nil, err
	}
	for _, r := range rows() {
		if r.name == name {
			s.dev.SetSeed(1)
			j := r.prepare(operands{s.dev, dt})
			return &j, nil
		}
	}
	return nil, fmt.Errorf("there is no row %s", name)
}
