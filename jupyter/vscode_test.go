package jupyter

import (
	"testing"
)

// TestVSCode: what the Jupyter extension of VS Code relies on, as its source has it. It starts kernels by itself,
// without a server.
func TestVSCode(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	info := c.reply(c.shell, c.send(c.shell, "kernel_info_request", nil)).content
	language, _ := info["language_info"].(map[string]any)
	for field, want := range map[string]string{"name": "go", "mimetype": "text/x-go", "file_extension": ".go"} {
		if language[field] != want {
			t.Errorf("language_info: %s is %v, want %s", field, language[field], want)
		}
	}
	// Entries with types are used if there is one with a text for each match, in their order.
	reply := c.reply(c.shell, c.send(c.shell, "complete_request",
		map[string]any{"code": "pri", "cursor_pos": 3})).content
	matches, _ := reply["matches"].([]any)
	meta, _ := reply["metadata"].(map[string]any)
	typed, _ := meta["_jupyter_types_experimental"].([]any)
	if len(matches) == 0 || len(typed) != len(matches) {
		t.Fatalf("%d matches, %d of them with types", len(matches), len(typed))
	}
	for i, m := range typed {
		m, _ := m.(map[string]any)
		if m["text"] != matches[i] || m["start"] != 0.0 || m["end"] != 3.0 {
			t.Errorf("match %d is %v, its entry %v", i, matches[i], m)
		}
	}
	// With interrupt_mode "message", the request comes on shell.
	running := c.send(c.shell, "execute_request", cell("print started\nsleep 1h"))
	c.started()
	interrupt := c.send(c.shell, "interrupt_request", nil)
	statuses := map[string]any{}
	for range 2 { // in any order
		m := c.next(c.shell)
		statuses[m.parent.ID] = m.content["status"]
	}
	if statuses[interrupt] != "ok" || statuses[running] != "error" {
		t.Errorf("interrupt %v, cell %v", statuses[interrupt], statuses[running])
	}
	alive(t, c)
}
