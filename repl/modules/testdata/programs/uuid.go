// %get github.com/google/uuid@v1.6.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

type record struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

func main() {
	a := uuid.NewSHA1(uuid.NameSpaceDNS, []byte("go.dev"))
	fmt.Println(a, a.Version(), a.Variant())
	fmt.Println(uuid.NewMD5(uuid.NameSpaceURL, []byte("https://go.dev")))
	b, err := uuid.Parse("urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8")
	fmt.Println(b == uuid.NameSpaceDNS, err, b.URN())
	_, err = uuid.Parse("too short")
	fmt.Println(err, uuid.IsInvalidLengthError(err), errors.Unwrap(err))
	fmt.Println(uuid.Validate("6ba7b810-9dad-11d1-80b4-00c04fd430cg"))
	text, err := json.Marshal(record{a, "gopher"})
	fmt.Println(string(text), err)
	var back record
	err = json.Unmarshal(text, &back)
	fmt.Println(err, back.ID == a, back)
	var n uuid.NullUUID
	err = n.Scan(nil)
	fmt.Println(err, n.Valid)
	err = n.Scan(a.String())
	fmt.Println(err, n.Valid, n.UUID)
	r := uuid.New()
	fmt.Println(len(r.String()), r.Version(), uuid.Must(uuid.NewV7()).Version())
	uuid.SetRand(strings.NewReader(strings.Repeat("0123456789abcdef", 2)))
	fmt.Println(uuid.New())
	uuid.SetRand(nil)
	m := map[uuid.UUID]int{a: 1, uuid.Nil: 2}
	fmt.Printf("%d %v %x\n", m[a], uuid.Nil, a[:4])
}

// Output:
// 91da4ff0-bcdb-5fa4-b85d-7c2de6ebc8fe VERSION_5 RFC4122
// 3c88775b-8dea-3565-b064-5fea6d27e178
// true <nil> urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8
// invalid UUID length: 9 true <nil>
// invalid UUID format
// {"id":"91da4ff0-bcdb-5fa4-b85d-7c2de6ebc8fe","name":"gopher"} <nil>
// <nil> true {91da4ff0-bcdb-5fa4-b85d-7c2de6ebc8fe gopher}
// <nil> false
// <nil> true 91da4ff0-bcdb-5fa4-b85d-7c2de6ebc8fe
// 36 VERSION_4 VERSION_7
// 30313233-3435-4637-b839-616263646566
// 1 00000000-0000-0000-0000-000000000000 91da4ff0
