package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// profile prints what each kernel of a row takes, the longest first. The GPU runs them one by one, between events.
func (s *server) profile(w io.Writer, name, dtype string) error {
	j, err := s.prepare(name, dtype)
	if err != nil {
		return err
	}
	j.elapsed(s.dev, 3)
	d, err := rocm.Open(s.dev.Location())
	if err != nil {
		return err
	}
	if err := d.StartProfile(); err != nil {
		return err
	}
	j.once()
	list, err := d.StopProfile()
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b rocm.Profile) int { return cmp.Compare(b.Time, a.Time) })
	total, launches := time.Duration(0), uint64(0)
	for _, k := range list {
		fmt.Fprintf(w, "%10.1f µs %5d × %s\n", float64(k.Time.Nanoseconds())/1e3, k.Launches, k.Kernel)
		total, launches = total+k.Time, launches+k.Launches
	}
	micros := float64(total.Nanoseconds()) / 1e3
	_, err = fmt.Fprintf(w, "%10.1f µs %5d launches of %s %s\n", micros, launches, name, dtype)
	return err
}
