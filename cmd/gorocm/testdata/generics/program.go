package main

import (
	"fmt"

	"example.com/gen"
	"example.com/gen/user"
)

type mine struct{ A int }

func main() {
	c := gen.New("session")
	for _, line := range gen.Use(c, mine{1}) {
		fmt.Println(line)
	}
	fmt.Println(c.State(), gen.Limit())
	fmt.Println(gen.Safe(nil, mine{}))
	fmt.Println(gen.Safe(c, 1))
	k, o := gen.Kept()
	fmt.Println(gen.Kind(k), gen.Kind(o), gen.Kind(c), gen.Kind(mine{}), gen.Kind("text"))

	b, own := gen.NewBox(1), gen.NewBox(mine{2})
	fmt.Println(b.Get(), b.Hits(), gen.Peek(b), gen.IsInts(b), gen.IsInts(own), gen.IsInts(any(gen.Ints())))
	fmt.Println(own.Get(), own.Hits(), gen.Peek(own))
	i := gen.Ints()
	i.Get()
	fmt.Printf("%s %v %T %T %d\n", gen.Peek(i), i.Hits(), i, own, i.Get())
	var boxes []*gen.Box[int]
	boxes = append(boxes, b, i)
	fmt.Println(len(boxes), boxes[1].Hits())

	l := user.Locals()
	fmt.Println(gen.Peek(l), l.Get().N, user.IsLocals(l), user.IsLocals(gen.NewBox(l.Get())))
	fmt.Println(user.Slices(gen.NewBox([]string{"a"})), user.Slices(gen.NewBox([]int{1})))

	fmt.Println(gen.Walk(gen.Leaf(3)))
	fmt.Println(gen.Walk(gen.Items(mine{4}, gen.Leaf(1), gen.Items("inner", gen.Leaf(2)))))
	fmt.Println(gen.Walk(gen.Items(5, gen.Leaf(99))))
	fmt.Println(gen.Promoted(c, mine{}))
	fmt.Println(gen.Answer())
	fmt.Println(gen.Sorted([]mine{{3}, {1}, {2}}, func(m mine) int { return m.A }))
}
