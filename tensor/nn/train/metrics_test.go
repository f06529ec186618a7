package train_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn/train"
)

type classReport struct {
	Counts                 [][]int
	Accuracy               float64
	Macro, Micro, Weighted [3]float64
}

// TestMetricsBesideScikitLearn: batch by batch, the numbers of scikit-learn for the whole.
func TestMetricsBesideScikitLearn(t *testing.T) {
	var r struct {
		Logits             [][]float64
		Target, Few, Yes   []int64
		Chosen             classReport
		FewReport          classReport `json:"few_report"`
		Top                []float64
		X, Y, Scores       []float64
		MAE, MSE, RMSE, R2 float64
		AUROC, Perplexity  float64
	}
	text, err := os.ReadFile("testdata/metrics.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-9*max(1, math.Abs(want))) {
			t.Errorf("%s is %v, scikit-learn's %v", name, got, want)
		}
	}
	logits, target, few := cpu.New(r.Logits), cpu.New(r.Target), cpu.New(r.Few)
	tops := []*train.Accuracy{{}, {K: 2}, {K: 3}}
	chosen, fewer := train.NewConfusion(5), train.NewConfusion(5)
	var regression train.Regression
	var auroc train.AUROC
	var perplexity train.Perplexity
	x, y, scores, yes := cpu.New(r.X).Add(1000), cpu.New(r.Y), cpu.New(r.Scores), cpu.New(r.Yes)
	for at := 0; at < len(r.Target); at += 7 {
		of := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, at, min(7, len(r.Target)-at)) }
		for _, a := range tops {
			a.Update(of(logits), of(target))
		}
		chosen.Update(of(logits), of(target))
		fewer.Update(of(few), of(target))
		regression.Update(of(x), of(y))
		auroc.Update(of(scores), of(yes))
		perplexity.Update(of(logits), of(target))
	}
	for i, a := range tops {
		check(fmt.Sprint("accuracy of top ", i+1), a.Value(), r.Top[i])
	}
	for _, c := range []struct {
		got  *train.Confusion
		want classReport
	}{{chosen, r.Chosen}, {fewer, r.FewReport}} {
		if fmt.Sprint(c.got.Counts()) != fmt.Sprint(c.want.Counts) {
			t.Errorf("counts %v, scikit-learn's %v", c.got.Counts(), c.want.Counts)
		}
		check("accuracy", c.got.Accuracy(), c.want.Accuracy)
		for a, want := range map[train.Average][3]float64{train.Macro: c.want.Macro, train.Micro: c.want.Micro,
			train.Weighted: c.want.Weighted} {
			check(fmt.Sprint("precision ", a), c.got.Precision(a), want[0])
			check(fmt.Sprint("recall ", a), c.got.Recall(a), want[1])
			check(fmt.Sprint("F1 ", a), c.got.F1(a), want[2])
		}
	}
	check("MAE", regression.MAE(), r.MAE)
	check("MSE", regression.MSE(), r.MSE)
	check("RMSE", regression.RMSE(), r.RMSE)
	check("R2", regression.R2(), r.R2)
	check("AUROC", auroc.Value(), r.AUROC)
	if math.Abs(perplexity.Value()-r.Perplexity) > 1e-5 { // losses are of F32
		t.Errorf("perplexity %v, want %v", perplexity.Value(), r.Perplexity)
	}
}

// TestMetricsEdges: no examples, ties, targets that do not count, and operands that do not fit.
func TestMetricsEdges(t *testing.T) {
	var a train.Accuracy
	var m train.Mean
	var roc train.AUROC
	for name, v := range map[string]float64{"accuracy": a.Value(), "mean": m.Value(), "auroc": roc.Value(),
		"r2": new(train.Regression).R2(), "confusion": train.NewConfusion(2).F1(train.Macro)} {
		if !math.IsNaN(v) {
			t.Errorf("%s of nothing is %v", name, v)
		}
	}
	a.Update(tensor.Of(1, 1, 1, 1).Reshape(2, 2), cpu.New([]int64{0, 1})) // both rows tie: class 0 is chosen
	if a.Value() != 0.5 {
		t.Errorf("accuracy with ties is %v", a.Value())
	}
	p := train.Perplexity{IgnoreIndex: new(-1)}
	p.Update(tensor.Zeros(2, 3, 8), cpu.New([][]int64{{1, -1, -1}, {2, 7, -1}}))
	if math.Abs(p.Value()-8) > 1e-5 {
		t.Errorf("perplexity of equal logits of 8 tokens is %v", p.Value())
	}
	ids := cpu.New([]int64{0, 1})
	for name, f := range map[string]func(){
		"shape": func() { a.Update(tensor.Zeros(2, 2), cpu.New([]int64{0})) },
		"index": func() { train.NewConfusion(2).Update(ids, cpu.New([]int64{0, 2})) },
		"type":  func() { train.NewConfusion(2).Update(ids, tensor.Zeros(2)) },
		"nan":   func() { roc.Update(tensor.Of(math.NaN(), 1), ids) },
		"few":   func() { (&train.Accuracy{K: 3}).Update(tensor.Zeros(2, 2), ids) },
	} {
		if err := tensor.Catch(func() error { f(); return nil }); err == nil {
			t.Errorf("%s: no error", name)
		} else if e := (*tensor.Error)(nil); !errors.As(err, &e) {
			t.Error(err)
		}
	}
}
