package jupyter

import (
	"strings"
	"testing"
)

// BenchmarkExecute is a cell's round trip: request, busy, execute_input, reply, idle.
func BenchmarkExecute(b *testing.B) {
	c := dial(b, startKernel(b, setup{}))
	for b.Loop() {
		id := c.send(c.shell, "execute_request", cell(""))
		c.reply(c.shell, id)
		c.outputs(id)
	}
}

// BenchmarkQueuedCells sends a thousand cells at once.
func BenchmarkQueuedCells(b *testing.B) {
	c := dial(b, startKernel(b, setup{}))
	for b.Loop() {
		var id string
		for range 1000 {
			id = c.send(c.shell, "execute_request", cell(""))
		}
		c.reply(c.shell, id)
		c.outputs(id)
	}
}

// Benchmark100kLines is a cell that prints 100,000 lines one by one.
func Benchmark100kLines(b *testing.B) {
	c := dial(b, startKernel(b, setup{}))
	messages := 0
	for b.Loop() {
		_, shown := c.run("raw 100000")
		messages = strings.Count(types(shown), "stream")
		b.SetBytes(int64(len(text(shown, "stdout"))))
	}
	b.ReportMetric(float64(messages), "messages")
}

// BenchmarkComplete is a completion's round trip.
func BenchmarkComplete(b *testing.B) {
	c := dial(b, startKernel(b, setup{}))
	for b.Loop() {
		c.reply(c.shell, c.send(c.shell, "complete_request", map[string]any{"code": "pri", "cursor_pos": 3}))
	}
}
