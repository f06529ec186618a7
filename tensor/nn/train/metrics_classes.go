package train

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/gorocm/gorocm/tensor"
)

// Average says how numbers of classes become one.
type Average int

// The averages of scikit-learn.
const (
	Macro    Average = iota // their mean
	Micro                   // of all examples together
	Weighted                // their mean, weighted by the numbers of examples
)

// Confusion counts which classes a model takes for which, and has accuracy, precision, recall and F1.
type Confusion struct{ counts [][]int }

// NewConfusion returns counts for so many classes. It panics with ErrValue when there are none.
func NewConfusion(classes int) *Confusion {
	if classes < 1 {
		misfit("confusion", tensor.ErrValue, "%d classes", classes)
	}
	c := &Confusion{make([][]int, classes)}
	for i := range c.counts {
		c.counts[i] = make([]int, classes)
	}
	return c
}

// Update takes the classes that a model has chosen, [batch] of integers, or its logits [batch classes], and the right
// ones [batch].
func (c *Confusion) Update(predicted, target *tensor.Tensor) {
	const op = "confusion"
	if predicted.Rank() == 2 && predicted.Dim(1) == len(c.counts) {
		predicted = predicted.Detach().ArgMax(1)
	}
	if predicted.Rank() != 1 || target.Rank() != 1 || predicted.Dim(0) != target.Dim(0) {
		misfit(op, tensor.ErrShape, "want [batch] or [batch %d], and [batch], not shapes %v and %v", len(c.counts),
			predicted.Dims(), target.Dims())
	}
	got, want := labels(op, predicted, len(c.counts)), labels(op, target, len(c.counts))
	for i, id := range want {
		c.counts[id][got[i]]++
	}
}

// Counts returns the counts: a row for each right class, a column for each chosen one.
func (c *Confusion) Counts() [][]int {
	list := make([][]int, len(c.counts))
	for i, row := range c.counts {
		list[i] = append([]int(nil), row...)
	}
	return list
}

// of are the examples of a class that were found, all that were taken for it, and all of it.
func (c *Confusion) of(class int) (hits, taken, all float64) {
	for i, n := range c.counts[class] {
		taken += float64(c.counts[i][class])
		all += float64(n)
	}
	return float64(c.counts[class][class]), taken, all
}

// Accuracy returns the share of examples whose class was found.
func (c *Confusion) Accuracy() float64 {
	hits, all := 0.0, 0.0
	for i := range c.counts {
		h, _, n := c.of(i)
		hits, all = hits+h, all+n
	}
	return hits / all
}

// ClassScores are the numbers of a class.
type ClassScores struct {
	Precision, Recall, F1 float64 // 0 where nothing was taken for the class, or there is none of it
	Support               int     // examples of the class
}

// Scores returns the numbers of each class.
func (c *Confusion) Scores() []ClassScores {
	list := make([]ClassScores, len(c.counts))
	for i := range list {
		hits, taken, all := c.of(i)
		list[i] = ClassScores{share(hits, taken), share(hits, all), share(2*hits, taken+all), int(all)}
	}
	return list
}

// Precision returns the share of the examples taken for a class that are of it.
func (c *Confusion) Precision(a Average) float64 {
	return c.average(a, func(s ClassScores) float64 { return s.Precision })
}

// Recall returns the share of the examples of a class that were taken for it.
func (c *Confusion) Recall(a Average) float64 {
	return c.average(a, func(s ClassScores) float64 { return s.Recall })
}

// F1 returns the harmonic mean of precision and recall.
func (c *Confusion) F1(a Average) float64 {
	return c.average(a, func(s ClassScores) float64 { return s.F1 })
}

// average is over the classes that occur, right or chosen, as in scikit-learn.
func (c *Confusion) average(a Average, of func(ClassScores) float64) float64 {
	if a == Micro { // each example is taken for one class, so all three are the accuracy
		return c.Accuracy()
	}
	var m Mean
	for i, s := range c.Scores() {
		_, taken, all := c.of(i)
		switch {
		case a == Weighted:
			m.Update(of(s), all)
		case taken+all > 0:
			m.Update(of(s), 1)
		}
	}
	return m.Value()
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// String is a table of the counts and the numbers of each class.
func (c *Confusion) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "right\\chosen\t")
	for i := range c.counts {
		fmt.Fprintf(w, "%d\t", i)
	}
	fmt.Fprintln(w, "precision\trecall\tF1\t")
	for i, s := range c.Scores() {
		fmt.Fprintf(w, "%d\t", i)
		for _, n := range c.counts[i] {
			fmt.Fprintf(w, "%d\t", n)
		}
		fmt.Fprintf(w, "%.3f\t%.3f\t%.3f\t\n", s.Precision, s.Recall, s.F1)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}
