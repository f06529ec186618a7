// %get github.com/jackc/pgx/v5@v5.12.0

package main

import (
	"fmt"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"time"
)

func main() {
	c, err := pgx.ParseConfig("postgres://ada:secret@localhost:5433/db?sslmode=disable")
	fmt.Println(c.Host, c.Port, c.User, c.Database, err)
	m := pgtype.NewMap()
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	text, err := m.Encode(pgtype.DateOID, pgtype.TextFormatCode, day, nil)
	fmt.Println(string(text), err)
	var back time.Time
	fmt.Println(m.Scan(pgtype.DateOID, pgtype.TextFormatCode, text, &back), back.Equal(day))
	var list []int32
	fmt.Println(m.Scan(pgtype.Int4ArrayOID, pgtype.TextFormatCode, []byte("{1,2,3}"), &list), list)
}

// Output:
// localhost 5433 ada db <nil>
// 2026-11-23 <nil>
// <nil> true
// <nil> [1 2 3]
