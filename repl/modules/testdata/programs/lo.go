// %get github.com/samber/lo@v1.53.0

package main

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/samber/lo"
)

type user struct {
	Name string
	Age  int
}

func main() {
	users := []user{{"ada", 36}, {"bob", 17}, {"cy", 36}, {"dee", 8}}
	fmt.Println(lo.Map(users, func(u user, i int) string { return strconv.Itoa(i) + u.Name }))
	fmt.Println(lo.Filter(users, func(u user, _ int) bool { return u.Age > 17 }))
	groups := lo.GroupBy(users, func(u user) int { return u.Age })
	keys := lo.Keys(groups)
	sort.Ints(keys)
	fmt.Println(keys, len(groups[36]))
	fmt.Println(lo.Reduce(users, func(sum int, u user, _ int) int { return sum + u.Age }, 0), lo.SumBy(users, func(u user) int { return u.Age }))
	fmt.Println(lo.Uniq([]int{3, 1, 3, 2, 1}), lo.Chunk([]int{1, 2, 3, 4, 5}, 2), lo.Flatten([][]string{{"a"}, {"b", "c"}}))
	u, ok := lo.Find(users, func(u user) bool { return strings.HasPrefix(u.Name, "d") })
	fmt.Println(u, ok, lo.Contains([]string{"x"}, "y"))
	fmt.Println(lo.Ternary(len(users) > 3, "many", "few"), lo.FromPtr(lo.ToPtr(5)), lo.Max([]float64{1, 7.5, 3}))
	left, right := lo.Difference([]int{1, 2, 3}, []int{2, 3, 4})
	fmt.Println(left, right, lo.Intersect([]int{1, 2}, []int{2, 3}))
	for _, p := range lo.Zip2([]string{"a", "b"}, []int{1, 2}) {
		a, b := p.Unpack()
		fmt.Print(a, "=", b, " ")
	}
	fmt.Println(lo.T2("x", 1), lo.Associate(users[:1], func(u user) (string, int) { return u.Name, u.Age }))
	fmt.Println(lo.CamelCase("hello big world"), lo.SnakeCase("HelloBigWorld"), lo.Capitalize("gopher"), lo.Substring("gorocm", 2, 4))
	n, err := lo.Attempt(3, func(i int) error {
		if i < 2 {
			return errors.New("not yet")
		}
		return nil
	})
	fmt.Println(n, err)
	value, caught := lo.TryOr(func() (int, error) { panic("oops") }, 42)
	fmt.Println(value, caught, lo.Must(strconv.Atoi("12")))
	e, isTyped := lo.ErrorsAs[*strconv.NumError](func() error { _, err := strconv.Atoi("z"); return err }())
	fmt.Println(isTyped, e.Func)
	fmt.Println(lo.If(false, 1).ElseIf(true, 2).Else(3), lo.Switch[int, string](2).Case(1, "one").Case(2, "two").Default("?"))
	fmt.Println(lo.RangeWithSteps(0, 10, 3), lo.Times(3, func(i int) int { return i * i }), lo.Reverse([]int{1, 2, 3}))
	fmt.Printf("%T %+v\n", lo.T3(1, "a", true), lo.PartitionBy([]int{1, 2, 3, 4}, func(x int) bool { return x%2 == 0 }))
}

// Output:
// [0ada 1bob 2cy 3dee]
// [{ada 36} {cy 36}]
// [8 17 36] 2
// 97 97
// [3 1 2] [[1 2] [3 4] [5]] [a b c]
// {dee 8} true false
// many 5 7.5
// [1] [4] [2]
// a=1 b=2 {x 1} map[ada:36]
// helloBigWorld hello_big_world Gopher rocm
// 3 <nil>
// 42 false 12
// true Atoi
// 2 two
// [0 3 6 9] [0 1 4] [3 2 1]
// lo.Tuple3[int,string,bool] [[1 3] [2 4]]
