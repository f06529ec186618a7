package meminfo

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBounds: the smallest of the machine's memory and the limits of the control groups that the process is in.
func TestBounds(t *testing.T) {
	const meminfo = "MemTotal:       16384000 kB\nMemFree: 1 kB\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, 0},
		{"machine", map[string]string{"proc/meminfo": meminfo}, 16384000 << 10},
		{"group without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n"}, 16384000 << 10},
		{"group", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "2147483648\n"}, 2 << 30},
		{"outer group", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/b/memory.max": "2147483648\n"}, 1 << 30},
		{"container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		{"version 1", map[string]string{"proc/meminfo": meminfo,
			"proc/self/cgroup": "5:cpu,memory:/x\n1:name=systemd:/y\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1073741824\n"}, 1 << 30},
		{"version 1 without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16384000 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := least(bounds(root), func(b Bound) int64 { return b.Total }); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
