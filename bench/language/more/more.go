// Command more times programs as people write them in notebooks that use more of the language than everyday.go.
package main

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

type cell struct{ row, col int }

// paths counts ways through a grid, remembered by places.
func paths(c cell, memo map[cell]int) int {
	if c.row == 0 || c.col == 0 {
		return 1
	}
	if n, ok := memo[c]; ok {
		return n
	}
	n := (paths(cell{c.row - 1, c.col}, memo) + paths(cell{c.row, c.col - 1}, memo)) % 1000007
	memo[c] = n
	return n
}

type tokenKind int

const (
	number tokenKind = iota
	operator
	word
)

type token struct {
	kind tokenKind
	text string
}

func tokens(s string) ([]token, error) {
	var list []token
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ':
			i++
		case c >= '0' && c <= '9':
			j := i
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			list = append(list, token{number, s[i:j]})
			i = j
		case strings.ContainsRune("+-*/()=", rune(c)):
			list = append(list, token{operator, s[i : i+1]})
			i++
		case c >= 'a' && c <= 'z':
			j := i
			for j < len(s) && s[j] >= 'a' && s[j] <= 'z' {
				j++
			}
			list = append(list, token{word, s[i:j]})
			i = j
		default:
			return nil, fmt.Errorf("%q at %d", c, i)
		}
	}
	return list, nil
}

type matrix struct {
	rows, cols int
	data       []float64
}

func newMatrix(rows, cols int) *matrix { return &matrix{rows, cols, make([]float64, rows*cols)} }

func (m *matrix) at(i, j int) float64 { return m.data[i*m.cols+j] }

func (m *matrix) set(i, j int, x float64) { m.data[i*m.cols+j] = x }

func (m *matrix) mul(n *matrix) *matrix {
	out := newMatrix(m.rows, n.cols)
	for i := 0; i < m.rows; i++ {
		for j := 0; j < n.cols; j++ {
			sum := 0.0
			for k := 0; k < m.cols; k++ {
				sum += m.at(i, k) * n.at(k, j)
			}
			out.set(i, j, sum)
		}
	}
	return out
}

func report(names []string) string {
	var b strings.Builder
	for i, n := range names {
		fmt.Fprintf(&b, "%-10s %5d %6.2f\n", n, i*i, float64(i)/3)
	}
	return b.String() + fmt.Sprintf("%d lines, %v", len(names), names[:2])
}

func workers(n, jobs int) int {
	in, out := make(chan int), make(chan int, n)
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for x := range in {
				out <- x * x
			}
		}()
	}
	go func() {
		for i := range jobs {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	sum := 0
	for x := range out {
		sum += x
	}
	return sum
}

type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) inc(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[key]++
}

type point struct {
	X    float64  `json:"x"`
	Y    float64  `json:"y"`
	Tags []string `json:"tags,omitempty"`
}

func roundTrip(n int) int {
	list := make([]point, n)
	for i := range list {
		list[i] = point{float64(i), 1 / float64(i+1), []string{"a", "b"}}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return -1
	}
	var back []point
	if err := json.Unmarshal(data, &back); err != nil {
		return -2
	}
	return len(data) + len(back)
}

func life(grid [][]bool) [][]bool {
	h, w := len(grid), len(grid[0])
	next := make([][]bool, h)
	for y := range next {
		next[y] = make([]bool, w)
		for x := range next[y] {
			n := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if (dy != 0 || dx != 0) && grid[(y+dy+h)%h][(x+dx+w)%w] {
						n++
					}
				}
			}
			next[y][x] = n == 3 || n == 2 && grid[y][x]
		}
	}
	return next
}

type entry struct{ key, value int }

// lru is a cache that forgets what was used least recently.
type lru struct {
	room  int
	order *list.List
	at    map[int]*list.Element
}

func newLRU(room int) *lru { return &lru{room, list.New(), map[int]*list.Element{}} }

func (c *lru) get(key int) (int, bool) {
	if e, ok := c.at[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(entry).value, true
	}
	return 0, false
}

func (c *lru) put(key, value int) {
	if e, ok := c.at[key]; ok {
		e.Value = entry{key, value}
		c.order.MoveToFront(e)
		return
	}
	if c.order.Len() == c.room {
		last := c.order.Back()
		delete(c.at, last.Value.(entry).key)
		c.order.Remove(last)
	}
	c.at[key] = c.order.PushFront(entry{key, value})
}

func movingAverage(xs []float64, n int) []float64 {
	out := make([]float64, 0, len(xs))
	sum := 0.0
	for i, x := range xs {
		sum += x
		if i >= n {
			sum -= xs[i-n]
		}
		out = append(out, sum/float64(min(i+1, n)))
	}
	return out
}

var errFunds = errors.New("insufficient funds")

type account struct {
	owner   string
	balance int
	log     []string
}

func (a *account) withdraw(n int) (err error) {
	defer func() {
		if err != nil {
			a.log = append(a.log, err.Error())
		}
	}()
	if n > a.balance {
		return fmt.Errorf("%s: %w", a.owner, errFunds)
	}
	a.balance -= n
	return nil
}

func safeDivide(a, b int) (q int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return a / b, nil
}

type person struct {
	name string
	age  int
	city string
}

func groups(people []person) string {
	by := map[string][]person{}
	for _, p := range people {
		by[p.city] = append(by[p.city], p)
	}
	var cities []string
	for c := range by {
		cities = append(cities, c)
	}
	sort.Strings(cities)
	out := ""
	for _, c := range cities {
		list := by[c]
		sort.Slice(list, func(i, j int) bool { return list[i].age < list[j].age })
		out += c + ":" + list[0].name + " "
	}
	return out
}

// measure prints the shortest time of some runs in nanoseconds, and the program's result.
func measure(name string, work func() int) {
	least, result := time.Hour, 0
	for spent, n := time.Duration(0), 0; n < 3 || spent < 60*time.Millisecond && n < 300; n++ {
		start := time.Now()
		result = work()
		took := time.Since(start)
		least, spent = min(least, took), spent+took
	}
	fmt.Println(name, int(least), result)
}

func main() {
	measure("paths_in_a_grid", func() int { return paths(cell{30, 30}, map[cell]int{}) })
	source := strings.Repeat("total = price * (1 + 25) - old / 3 ", 20)
	measure("tokenizer", func() int { l, _ := tokens(source); return len(l) })
	a, b := newMatrix(24, 24), newMatrix(24, 24)
	for i := range a.data {
		a.data[i], b.data[i] = float64(i%7), float64(i%5)
	}
	measure("matrix_methods", func() int { return int(a.mul(b).at(3, 4)) })
	names := strings.Fields(strings.Repeat("ada grace alan edsger ", 10))
	measure("report", func() int { return len(report(names)) })
	measure("worker_pool", func() int { return workers(4, 200) })
	measure("mutex_counter", func() int {
		c := &counter{n: map[string]int{}}
		for i := range 1000 {
			c.inc(names[i%4])
		}
		return c.n["ada"]
	})
	measure("json", func() int { return roundTrip(50) })
	grid := make([][]bool, 32)
	for y := range grid {
		grid[y] = make([]bool, 32)
		for x := range grid[y] {
			grid[y][x] = (x*y+x+y)%3 == 0
		}
	}
	measure("game_of_life", func() int {
		g, n := grid, 0
		for range 4 {
			g = life(g)
		}
		for _, row := range g {
			for _, on := range row {
				if on {
					n++
				}
			}
		}
		return n
	})
	measure("lru_cache", func() int {
		c, hits := newLRU(50), 0
		for i := range 1000 {
			if _, ok := c.get(i * 7 % 80); ok {
				hits++
			} else {
				c.put(i*7%80, i)
			}
		}
		return hits
	})
	series := make([]float64, 1000)
	for i := range series {
		series[i] = float64(i % 17)
	}
	measure("moving_average", func() int { return int(movingAverage(series, 10)[900] * 1000) })
	measure("bank_account", func() int {
		a := &account{owner: "ada", balance: 100}
		for range 100 {
			_ = a.withdraw(30)
		}
		return a.balance + len(a.log)
	})
	measure("recover", func() int {
		n := 0
		for i := range 100 {
			if _, err := safeDivide(i, i%10); err != nil {
				n++
			}
		}
		return n
	})
	people := make([]person, 100)
	for i := range people {
		people[i] = person{names[i%4], i * 37 % 90, names[i%3]}
	}
	measure("groups", func() int { return len(groups(people)) })
}
