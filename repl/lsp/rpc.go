package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	maxMessage = 64 << 20 // bytes of a message
	maxHeaders = 8 << 10  // bytes of its headers
)

// message is a request, a notification (without ID) or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is why a request failed.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// Codes of JSON-RPC and LSP.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeRequestFailed  = -32803
)

func failed(code int, format string, args ...any) error {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// readMessage reads the next message. The error is io.EOF at the end of the input, and an *rpcError for a message that
// is no JSON-RPC, after which the next one can be read.
func readMessage(r *bufio.Reader) (m message, err error) {
	length, total := -1, 0
	for first := true; ; first = false {
		line, err := readLine(r, maxHeaders-total)
		if errors.Is(err, io.EOF) && first && line == "" {
			return m, io.EOF
		}
		if err != nil {
			return m, fmt.Errorf("lsp: headers: %w", noEOF(err))
		}
		total += len(line)
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || length < 0 || length > maxMessage {
				return m, fmt.Errorf("lsp: Content-Length %q is not a number from 0 to %d", value, maxMessage)
			}
		}
	}
	if length < 0 {
		return m, errors.New("lsp: a message without Content-Length")
	}
	var body bytes.Buffer // which grows with what comes, not with what was announced
	if n, err := io.CopyN(&body, r, int64(length)); err != nil {
		return m, fmt.Errorf("lsp: a message of %d bytes ends after %d: %w", length, n, noEOF(err))
	}
	if err := json.Unmarshal(body.Bytes(), &m); err != nil {
		return message{}, &rpcError{codeParse, "not a message: " + err.Error()}
	}
	return m, nil
}

func readLine(r *bufio.Reader, limit int) (string, error) {
	var line []byte
	for len(line) < limit {
		b, err := r.ReadByte()
		if err != nil {
			return string(line), err
		}
		if line = append(line, b); b == '\n' {
			return string(line), nil
		}
	}
	return "", fmt.Errorf("more than %d bytes", maxHeaders)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeMessage writes a message with its header, in one piece.
func writeMessage(w io.Writer, m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}
