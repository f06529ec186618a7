package speech_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// collapse are the labels of a path of classes.
func collapse(path []int, blank int) (labels []int) {
	for i, class := range path {
		if class != blank && (i == 0 || class != path[i-1]) {
			labels = append(labels, class)
		}
	}
	return labels
}

// TestCTCBeams: with beams enough, labels are the most probable ones of all, and with a score those of the greatest sum.
func TestCTCBeams(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const steps, classes = 5, 3
	bonus := func(labels []int, next int) float64 { return 0.3*float64(len(labels)) - 0.2*float64(next) }
	for range 60 {
		blank := r.IntN(classes)
		rows := make([][][]float64, steps)
		for i := range rows {
			rows[i] = [][]float64{make([]float64, classes)}
			for c := range classes {
				rows[i][0][c] = r.NormFloat64()
			}
		}
		x := tensor.CPU().New(rows).LogSoftmax(-1)
		p := x.ToVec3()
		plain, scored := map[string]float64{}, map[string]float64{}
		var path [steps]int
		for number := range 243 {
			log, n := 0.0, number
			for i := range path {
				path[i], n = n%classes, n/classes
				log += p[i][0][path[i]]
			}
			labels := collapse(path[:], blank)
			score := 0.0
			for i, l := range labels {
				score += bonus(labels[:i], l)
			}
			plain[fmt.Sprint(labels)] += math.Exp(log)
			scored[fmt.Sprint(labels)] += math.Exp(log + score)
		}
		for _, c := range []struct {
			d   speech.CTCDecoder
			all map[string]float64
		}{{speech.CTCDecoder{Blank: blank, Beams: 300}, plain},
			{speech.CTCDecoder{Blank: blank, Beams: 300, Score: bonus}, scored}} {
			got := fmt.Sprint(c.d.Decode(x)[0])
			for labels, sum := range c.all {
				if sum > c.all[got]+1e-9 {
					t.Errorf("%s has %v, and %s %v", got, c.all[got], labels, sum)
				}
			}
		}
	}
}

// TestCTCGreedy: repetitions and blanks go, in as many steps as a sequence has.
func TestCTCGreedy(t *testing.T) {
	rows := [][][]float64{}
	for _, class := range []int{1, 1, 0, 1, 2, 2, 0} {
		row := []float64{-9, -9, -9}
		row[class] = 0
		rows = append(rows, [][]float64{row, row})
	}
	x := tensor.CPU().New(rows)
	for _, beams := range []int{0, 4} {
		got := speech.CTCDecoder{Lengths: []int{7, 3}, Beams: beams}.Decode(x)
		if !slices.Equal(got[0], []int{1, 1, 2}) || !slices.Equal(got[1], []int{1}) {
			t.Errorf("%d beams: %v", beams, got)
		}
	}
	for _, d := range []speech.CTCDecoder{{Blank: 3}, {Lengths: []int{1}}, {Lengths: []int{1, 8}}} {
		if tensor.Catch(func() error { d.Decode(x); return nil }) == nil {
			t.Errorf("%+v: no error", d)
		}
	}
}
