package std

import (
	"bufio"
	"encoding"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"reflect"
)

// mapTypes lists what yaegi has to look at when an interpreted value becomes an interface, the richest first: for a
// function that takes any, the interfaces that it looks for in its arguments; for a wrapper, those with more methods.
var mapTypes = map[reflect.Value][]reflect.Type{}

func init() {
	printed := []reflect.Type{reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer]()}
	for _, f := range []any{
		fmt.Append, fmt.Appendf, fmt.Appendln, fmt.Errorf, fmt.Fprint, fmt.Fprintf, fmt.Fprintln,
		fmt.Print, fmt.Printf, fmt.Println, fmt.Sprint, fmt.Sprintf, fmt.Sprintln,
		log.Fatal, log.Fatalf, log.Fatalln, log.Panic, log.Panicf, log.Panicln, log.Print, log.Printf, log.Println,
	} {
		mapTypes[reflect.ValueOf(f)] = printed
	}
	for _, f := range []any{fmt.Scan, fmt.Scanf, fmt.Scanln} {
		mapTypes[reflect.ValueOf(f)] = []reflect.Type{reflect.TypeFor[fmt.Scanner]()}
	}
	for _, f := range []any{json.Marshal, json.MarshalIndent} {
		mapTypes[reflect.ValueOf(f)] = []reflect.Type{reflect.TypeFor[json.Marshaler](),
			reflect.TypeFor[encoding.TextMarshaler]()}
	}
	for _, f := range []any{xml.Marshal, xml.MarshalIndent} {
		mapTypes[reflect.ValueOf(f)] = []reflect.Type{reflect.TypeFor[xml.Marshaler](),
			reflect.TypeFor[encoding.TextMarshaler]()}
	}
	mapTypes[reflect.ValueOf(json.Unmarshal)] = []reflect.Type{reflect.TypeFor[json.Unmarshaler](),
		reflect.TypeFor[encoding.TextUnmarshaler]()}
	mapTypes[reflect.ValueOf(xml.Unmarshal)] = []reflect.Type{reflect.TypeFor[xml.Unmarshaler](),
		reflect.TypeFor[encoding.TextUnmarshaler]()}

	mapTypes[reflect.ValueOf((*_net_http_ResponseWriter)(nil))] = []reflect.Type{reflect.TypeFor[hijacker]()}
	mapTypes[reflect.ValueOf((*_io_Reader)(nil))] = []reflect.Type{reflect.TypeFor[writerTo]()}
	mapTypes[reflect.ValueOf((*_io_Writer)(nil))] = []reflect.Type{reflect.TypeFor[readerFrom]()}
}

// Yaegi reads the fields of wrappers by name and takes every field but the first for a method: a wrapper embeds no
// other.

// hijacker is an http.ResponseWriter that is an http.Hijacker too.
type hijacker struct {
	IValue       any
	WHeader      func() http.Header
	WWrite       func([]byte) (int, error)
	WWriteHeader func(int)
	WHijack      func() (net.Conn, *bufio.ReadWriter, error)
}

func (w hijacker) Header() http.Header                          { return w.WHeader() }
func (w hijacker) Write(b []byte) (int, error)                  { return w.WWrite(b) }
func (w hijacker) WriteHeader(status int)                       { w.WWriteHeader(status) }
func (w hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.WHijack() }

// writerTo is an io.Reader with the WriteTo that io.Copy looks for.
type writerTo struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (w writerTo) Read(b []byte) (int, error)          { return w.WRead(b) }
func (w writerTo) WriteTo(to io.Writer) (int64, error) { return w.WWriteTo(to) }

// readerFrom is an io.Writer with the ReadFrom that io.Copy looks for.
type readerFrom struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w readerFrom) Write(b []byte) (int, error)            { return w.WWrite(b) }
func (w readerFrom) ReadFrom(from io.Reader) (int64, error) { return w.WReadFrom(from) }
