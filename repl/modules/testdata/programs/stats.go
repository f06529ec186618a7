// %get github.com/montanaflynn/stats@v0.14.0

package main

import (
	"fmt"

	"github.com/montanaflynn/stats"
)

func main() {
	data := stats.Float64Data{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	median, err := stats.Median(data)
	fmt.Println(median, err)
	mean, _ := data.Mean()
	sd, _ := data.StandardDeviation()
	fmt.Printf("%.4f %.4f\n", mean, sd)
	mode, _ := data.Mode()
	fmt.Println(mode, data.Len())
	p, err := stats.Percentile(data, 90)
	fmt.Println(p, err)
	q, _ := stats.Quartile(data)
	fmt.Printf("%+v\n", q)
	_, err = stats.Mean(stats.Float64Data{})
	fmt.Println(err, err == stats.EmptyInputErr)
	r, err := stats.Correlation([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 8.5})
	fmt.Printf("%.6f %v\n", r, err)
	s := []stats.Coordinate{{X: 1, Y: 2.3}, {X: 2, Y: 3.3}, {X: 3, Y: 3.7}, {X: 4, Y: 4.3}}
	line, err := stats.LinearRegression(s)
	fmt.Printf("%.3f %v\n", line, err)
	fmt.Println(stats.LoadRawData([]any{1, 2.5, "3", uint8(4), true}))
	rounded, _ := stats.Round(2.18567, 3)
	fmt.Println(rounded, stats.NormPdf(0, 0, 1) > 0.39)
	out, _ := stats.QuartileOutliers(append(data, 1000))
	fmt.Printf("%+v\n", out)
	d, err := stats.Describe(data, false, &[]float64{25, 75})
	fmt.Println(d.Count, d.Min, d.Max, err)
}

// Output:
// 4 <nil>
// 4.0000 2.2563
// [5] 11
// 6 <nil>
// {Q1:2 Q2:4 Q3:5}
// Input must not be empty. true
// 0.998381 <nil>
// [{1.000 2.440} {2.000 3.080} {3.000 3.720} {4.000 4.360}] <nil>
// [1 2.5 3 1]
// 2.186 true
// {Mild:[] Extreme:[1000]}
// 11 1 9 <nil>
