package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// chatModel is a small model with a chat template, among package models' test data.
const chatModel = "../../tensor/models/testdata/chat/model"

// startServer runs gorocm serve and returns its address.
func startServer(t *testing.T, model string, args ...string) (url string, server *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"serve", model, "--device", "cpu", "--addr", "localhost:0"}, args...)...)
	cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	at := strings.Index(line, "http://")
	if err != nil || at < 0 {
		t.Fatal(line, err, cmd.Wait())
	}
	return strings.TrimSpace(line[at:]), cmd
}

// TestServe starts the server, asks it over HTTP, and interrupts it.
func TestServe(t *testing.T) {
	url, server := startServer(t, chatModel, "--name", "tiny", "--max-sequences", "2", "--blocks", "40")
	r, err := http.Post(url+"/chat/completions", "application/json",
		strings.NewReader(`{"model": "tiny", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Model   string
		Choices []struct{ Message struct{ Content string } }
	}
	err = json.NewDecoder(r.Body).Decode(&answer)
	r.Body.Close()
	if err != nil || r.StatusCode != 200 || answer.Model != "tiny" || len(answer.Choices) != 1 {
		t.Error(r.Status, answer, err)
	}
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error("interrupted: ", err)
	}
}

// TestServeEnds: a signal ends the server although clients have sent half of a request. Requests of other web pages are
// refused before.
func TestServeEnds(t *testing.T) {
	thorough.Slow(t)
	url, server := startServer(t, chatModel, "--name", "tiny", "--allow-host", "gpu.example")
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
	request := func(host, origin string) int {
		r, err := http.NewRequest(http.MethodGet, url+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		host, origin string
		status       int
	}{{"", "", 200}, {"gpu.example", "", 200}, {"evil.example", "", 403}, {"", "http://evil.example", 403}} {
		if got := request(c.host, c.origin); got != c.status {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, got, c.status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for _, text := range []string{"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
		"POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"} {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
	}
	request("", "") // they have been accepted before
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error("interrupted: ", err)
	}
}

// TestServeMistakes: what cannot be served is an error, before anything is listened to.
func TestServeMistakes(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		stderr string
	}{
		{"serve", misuse, "which model?"},
		{"serve a b", misuse, "which model?"},
		{"serve nowhere.gguf --device cpu", failed, "nowhere.gguf: no such file"},
		{"serve " + chatModel + " --device tpu", failed, `unknown device "tpu"`},
		{"serve " + chatModel + " --device cpu --dtype f7", failed, "f7"},
		{"serve " + chatModel + " --device cpu --addr nowhere:1:2", failed, "too many colons"},
		{"serve " + chatModel + " --device cpu --lora nowhere=0.5", failed, "adapter nowhere: "},
		{"serve " + chatModel + " --device cpu --lora nowhere=much", failed, "want PATH, or PATH=SCALE"},
		{"serve " + chatModel + " --device cpu --max-sequences -1", failed, "at least one"},
	} {
		r := gorocm(t, t.TempDir(), "", strings.Fields(c.args)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.stderr) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
}

// TestOpenAIClient runs the official Python client against the server.
func TestOpenAIClient(t *testing.T) {
	python := os.Getenv("GOROCM_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import openai").CombinedOutput(); err != nil {
		t.Skipf("no Python with OpenAI's client: pip install openai, and GOROCM_PYTHON names its python: %s", out)
	}
	url, server := startServer(t, chatModel, "--name", "tiny")
	encoder, encoderServer := startServer(t, "../../tensor/models/testdata/encoders/bert")
	defer encoderServer.Wait()
	defer encoderServer.Process.Signal(syscall.SIGTERM)
	const sounds = "../../tensor/models/speech/testdata/"
	whisper, whisperServer := startServer(t, sounds+"whisper")
	defer whisperServer.Wait()
	defer whisperServer.Process.Signal(syscall.SIGTERM)
	seer, seerServer := startServer(t, "../../tensor/models/testdata/vision_language/smolvlm")
	defer seerServer.Wait()
	defer seerServer.Process.Signal(syscall.SIGTERM)
	hybrid, hybridServer := startServer(t, lettered(t, "../../tensor/models/testdata/jamba"), "--name", "hybrid")
	defer hybridServer.Wait()
	defer hybridServer.Process.Signal(syscall.SIGTERM)
	const picture = "../../tensor/models/vision/testdata/wide.png"
	client := filepath.Join("testdata", "openai_client.py")
	out, err := exec.CommandContext(t.Context(), python, client, url, encoder, whisper, sounds+"long.wav", seer, picture, hybrid).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error("ended: ", err)
	}
}

// lettered is a copy of a model with 24 tokens, which has none, with letters as tokens.
func lettered(t *testing.T, folder string) string {
	t.Helper()
	dir, vocab := t.TempDir(), map[string]int{"<unk>": 23}
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	for i := range 23 {
		vocab[string(rune('a'+i))] = i
	}
	for name, value := range map[string]any{
		"tokenizer.json": map[string]any{"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{},
			"unk_token": "<unk>"}},
		"tokenizer_config.json": map[string]any{"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"},
	} {
		text, err := json.Marshal(value)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
