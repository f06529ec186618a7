package timeline

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(micro int) time.Time { return begin.Add(time.Duration(micro) * time.Microsecond) }
	us := time.Microsecond
	tracks := []Track{
		{"host", []Span{{"add_f32", at(0), 10 * us, 0, Work{}}, {"fused chain", at(5), 1500 * time.Nanosecond, 1, Work{3, 4096, 0}}}},
		{"rocm:0", Lanes([]Span{{Name: "b", Start: at(7), Time: 5 * us}, {Name: "a", Start: at(2), Time: 5 * us},
			{Name: "c", Start: at(8), Time: 0}})},
	}
	var b bytes.Buffer
	if err := Write(&b, begin, tracks); err != nil {
		t.Fatal(err)
	}
	want := `{"displayTimeUnit":"ms","traceEvents":[` + strings.Join([]string{
		`{"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"host"}}`,
		`{"name":"add_f32","ph":"X","ts":0,"dur":10,"pid":1,"tid":1}`,
		`{"name":"fused chain","ph":"X","ts":5,"dur":1.5,"pid":1,"tid":2,"args":{"bytes":4096,"operations":3}}`,
		`{"name":"process_name","ph":"M","ts":0,"pid":2,"tid":0,"args":{"name":"rocm:0"}}`,
		`{"name":"a","ph":"X","ts":2,"dur":5,"pid":2,"tid":1}`,
		`{"name":"b","ph":"X","ts":7,"dur":5,"pid":2,"tid":1}`,
		`{"name":"c","ph":"X","ts":8,"dur":0,"pid":2,"tid":2}`}, ",") + "]}\n"
	if b.String() != want {
		t.Errorf("got %s\nwant %s", b.String(), want)
	}
	b.Reset()
	if err := Write(&b, begin, nil); err != nil || b.String() != `{"displayTimeUnit":"ms","traceEvents":[]}`+"\n" {
		t.Errorf("nothing: %s %v", b.String(), err)
	}
}

// TestOp: spans are kept between Start and Stop, with lanes of their own while they overlap.
func TestOp(t *testing.T) {
	Op("before", Work{})()
	if Active() {
		t.Fatal("active before Start")
	}
	Start()
	outer := Op("outer", Work{})
	Op("inner", Work{Steps: 2})()
	outer()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { Op("beside", Work{})() })
	}
	wg.Wait()
	late := Op("late", Work{})
	spans, lost := Stop()
	late() // after the end: dropped
	if len(spans) != 10 || lost != 0 || spans[0].Name != "inner" || spans[0].Lane != 1 || spans[0].Steps != 2 ||
		spans[1].Lane != 0 || spans[1].Time < spans[0].Time {
		t.Errorf("%+v, %d lost", spans, lost)
	}
	if again, _ := Stop(); again != nil || Active() {
		t.Errorf("after the end: %v", again)
	}
}
