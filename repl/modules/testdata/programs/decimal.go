// %get github.com/shopspring/decimal@v1.6.0

package main

import (
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"
)

type item struct {
	Price decimal.Decimal `json:"price"`
	N     int             `json:"n"`
}

func main() {
	a, b := decimal.RequireFromString("0.1"), decimal.NewFromFloat(0.2)
	fmt.Println(a.Add(b), a.Add(b).Equal(decimal.RequireFromString("0.3")), a.Sub(b), a.Mul(b), a.Div(decimal.NewFromInt(3)))
	total := decimal.Zero
	for _, i := range []item{{decimal.New(1999, -2), 3}, {decimal.RequireFromString("5.50"), 2}} {
		total = total.Add(i.Price.Mul(decimal.NewFromInt(int64(i.N))))
	}
	fmt.Println(total, total.StringFixed(1), total.Round(0), total.Truncate(1), total.RoundBank(1))
	text, err := json.Marshal(item{total, 1})
	fmt.Println(string(text), err)
	var back item
	err = json.Unmarshal([]byte(`{"price": 12.340, "n": 7}`), &back)
	fmt.Println(err, back.Price, back.N)
	_, err = decimal.NewFromString("1.2.3")
	fmt.Println(err)
	fmt.Println(decimal.Max(a, b, total), decimal.Avg(a, b), a.LessThan(b), a.Cmp(b), a.Sign(), a.Neg().Abs(), a.Exponent())
	p, err := decimal.NewFromInt(2).PowInt32(10)
	fmt.Println(p, err, decimal.NewFromInt(7).Mod(decimal.NewFromInt(4)), decimal.NewFromInt(1).Shift(-5))
	q, r := decimal.NewFromInt(22).QuoRem(decimal.NewFromInt(7), 2)
	fmt.Println(q, r)
	s, err := decimal.NewFromInt(1).ExpTaylor(10)
	fmt.Println(s, err)
	fmt.Printf("%v %s %T\n", a, b, a)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		a.Div(decimal.Zero)
	}()
	var n decimal.NullDecimal
	err = n.Scan("3.14")
	fmt.Println(err, n.Valid, n.Decimal)
}

// Output:
// 0.3 true -0.1 0.02 0.0333333333333333
// 70.97 71.0 71 70.9 71
// {"price":"70.97","n":1} <nil>
// <nil> 12.34 7
// can't convert 1.2.3 to decimal: too many .s
// 70.97 0.15 true -1 1 0.1 -1
// 1024 <nil> 3 0.00001
// 3.14 0.02
// 2.7182818285 <nil>
// 0.1 0.2 decimal.Decimal
// recovered: decimal division by 0
// <nil> true 3.14
