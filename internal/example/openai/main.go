// Command openai serves a model of the Llama family over HTTP, in the form of OpenAI's API: GET /v1/models, POST
// /v1/completions and POST /v1/chat/completions, with streams. Many requests are computed together (models.Server).
//
//	go run github.com/gorocm/gorocm/internal/example/openai Llama-3.2-1B-Instruct-Q4_K_M.gguf rocm
//	curl localhost:8080/v1/completions -d '{"model": "Llama-3.2-1B-Instruct-Q4_K_M", "prompt": "Once", "stream": true}'
//
//	main.go      options, the model, the server
//	api.go       what is served where, answers, errors
//	request.go   requests in JSON, and what of them is supported
//	stream.go    server-sent events
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
)

func main() {
	options := []string{"", "rocm", "localhost:8080"}
	if len(os.Args) < 2 || len(os.Args) > 1+len(options) {
		log.Fatal("usage: openai model.gguf|folder|model.bin [rocm|cuda|cpu [address]]")
	}
	copy(options, os.Args[1:])
	if err := run(options[0], options[1], options[2]); err != nil {
		log.Fatalf("%+v", err) // with what to do about it
	}
}

// run serves the model of a path until it is interrupted. The model has the name of its file.
func run(path, device, address string) error {
	dev, err := tensor.NewDevice(device)
	if err != nil {
		return err
	}
	model, tok, err := models.OpenLlama(path, models.DefaultDType(dev), dev)
	if err != nil {
		return err
	}
	if tok == nil {
		return fmt.Errorf("there is no tokenizer beside %s", path)
	}
	server, err := models.NewServer(model, tok, models.ServerConfig{})
	if err != nil {
		return err
	}
	defer server.Close()
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	h := &http.Server{Addr: address, Handler: newAPI(server, tok, name), ReadHeaderTimeout: 10 * time.Second}
	answered := make(chan error)
	go func() {
		<-stop.Done()
		answered <- h.Shutdown(context.Background()) // after all answers
	}()
	log.Printf("%s on %s: http://%s/v1", name, dev.Info(), address)
	if err := h.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-answered
}
