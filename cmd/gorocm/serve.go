package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gorocm/gorocm/internal/openai"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/models/speech"
)

// serveOptions say what is served, and where.
type serveOptions struct {
	device, dtype, address, name string
	adapters                     []string
	hosts, origins               []string
	limits                       models.ServerConfig
}

func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve MODEL",
		Short: "Serve a language model, an encoder or Whisper over HTTP, in the form of OpenAI's API",
		Long: `Serve a model to clients of OpenAI's API: /v1/chat/completions (with images for models that read them) and
/v1/completions with streams, of encoders such as
BERT /v1/embeddings, and of Whisper /v1/audio/transcriptions and /v1/audio/translations. MODEL is a .gguf file or a folder of Hugging Face. Many requests are computed together.

The server listens on this machine alone, unless --addr names another address: it asks nobody for a key. Web pages may
use it if they are this machine's or the server's own; --allow-origin is for others. Where it listens on this machine
alone, it answers requests to localhost, to addresses, and to the names of --allow-host.
An interrupt ends it, after the answers that have begun; a second one ends it at once.`,
		Example: `  gorocm serve Qwen3-0.6B-Q8_0.gguf
  gorocm serve Llama-3.2-1B-Instruct --device rocm:1 --addr localhost:9000
  curl localhost:8080/v1/chat/completions -d '{"model": "Qwen3-0.6B-Q8_0", "messages": [{"role": "user", "content": "Hi"}]}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("serve: which model? A .gguf file, or a folder with a config.json")
			}
			return nil
		},
		RunE: work(func(cmd *cobra.Command, args []string) error { return serve(cmd, o, args[0]) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.device, "device", "auto", "compute on `DEVICE`: rocm:0, cuda, cpu; auto is a GPU if there is one")
	flags.StringVar(&o.dtype, "dtype", "", "compute in `TYPE`: f32, f16, bf16 (language models bf16 on a GPU that has it, f16 on others, else f32)")
	flags.StringVar(&o.address, "addr", "localhost:8080", "listen at `HOST:PORT`; port 0 is a free one")
	flags.StringVar(&o.name, "name", "", "the `NAME` of the model; that of its file without it")
	flags.StringArrayVar(&o.adapters, "lora", nil, "add the adapter in `PATH`, or PATH=SCALE; may be given several times")
	flags.StringArrayVar(&o.origins, "allow-origin", nil,
		"let web pages of `ORIGIN`, such as https://chat.example.com, use the server; * is any; may be given several times")
	flags.StringArrayVar(&o.hosts, "allow-host", nil,
		"answer requests to the host `NAME`, as of a proxy; * is any; may be given several times")
	flags.IntVar(&o.limits.MaxSequences, "max-sequences", 0, "generate `N` texts at once, others wait (32)")
	flags.IntVar(&o.limits.Blocks, "blocks", 0,
		"keep keys and values of `N` blocks of 16 tokens (as many as 32 long texts need, at most 1024)")
	return cmd
}

// serve serves a model until it is interrupted.
func serve(cmd *cobra.Command, o serveOptions, path string) error {
	dev, err := tensor.NewDevice(o.device)
	if err != nil {
		return err
	}
	dtype := models.DefaultDType(dev)
	if o.dtype != "" {
		if dtype, err = tensor.ParseDType(o.dtype); err != nil {
			return err
		}
	}
	handler, closeModel, err := openModel(path, o, dtype, dev)
	if err != nil {
		return err
	}
	defer closeModel()
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	addr, _ := l.Addr().(*net.TCPAddr)
	front := &openai.Front{Handler: handler, Local: addr != nil && addr.IP.IsLoopback(), Hosts: o.hosts,
		Origins: o.origins}
	h := &http.Server{Handler: front, ReadHeaderTimeout: 10 * time.Second}
	answered := make(chan error, 1)
	go func() { answered <- endServer(h, front, signals) }()
	fmt.Fprintf(cmd.OutOrStdout(), "%s on %s: http://%s/v1\n", path, dev.Info(), l.Addr())
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-answered
}

// endServer waits for a signal, and then for the answers that have begun, or for another signal. What a client is about
// to send has two seconds to arrive.
func endServer(h *http.Server, front *openai.Front, signals <-chan os.Signal) error {
	<-signals
	done := make(chan error, 1)
	go func() { done <- h.Shutdown(context.Background()) }()
	front.Drain(2 * time.Second)
	select {
	case err := <-done:
		return err
	case <-signals:
		_ = h.Close() // what it says of connections is of no use
		return errors.New("serve: ended by a second signal, before all answers")
	}
}

// openModel reads a model, and returns what answers requests for it.
func openModel(path string, o serveOptions, dtype tensor.DType, dev *tensor.Device) (http.Handler, func(), error) {
	if models.IsEncoder(path) {
		if len(o.adapters) > 0 {
			return nil, nil, errNoAdapters
		}
		if o.dtype == "" {
			dtype = tensor.F32
		}
		e, err := models.OpenEncoderAs(path, dtype, dev)
		if err != nil {
			return nil, nil, err
		}
		e.Name = cmp.Or(o.name, e.Name)
		return openai.NewEmbeddingHandler(e), func() {}, nil
	}
	if speech.IsModel(path) {
		if len(o.adapters) > 0 {
			return nil, nil, errNoAdapters
		}
		if o.dtype == "" {
			dtype = tensor.F32
		}
		m, err := speech.OpenAs(path, dtype, dev)
		if err != nil {
			return nil, nil, err
		}
		m.Name = cmp.Or(o.name, m.Name)
		return openai.NewAudioHandler(m), func() {}, nil
	}
	adapters, err := adaptersOf(o.adapters)
	if err != nil {
		return nil, nil, err
	}
	m, err := models.OpenAs(path, dtype, dev, adapters...)
	if err != nil {
		return nil, nil, err
	}
	if m.Tokenizer == nil {
		return nil, nil, fmt.Errorf("there is no tokenizer beside %s", path)
	}
	m.Name = cmp.Or(o.name, m.Name)
	s, err := models.NewServer(m.Llama, m.Tokenizer, o.limits)
	if err != nil {
		return nil, nil, err
	}
	return openai.NewHandler(s, m), s.Close, nil
}

var errNoAdapters = errors.New("serve: --lora is for language models")

// adaptersOf reads adapters with their scales, PATH=SCALE.
func adaptersOf(all []string) (adapters []models.Adapter, err error) {
	for _, text := range all {
		a := models.Adapter{Path: text}
		if i := strings.LastIndexByte(text, '='); i >= 0 {
			if a.Scale, err = strconv.ParseFloat(text[i+1:], 64); err != nil || a.Scale == 0 {
				return nil, fmt.Errorf("serve: --lora %s: want PATH, or PATH=SCALE with a number other than 0", text)
			}
			a.Path = text[:i]
		}
		adapters = append(adapters, a)
	}
	return adapters, nil
}
