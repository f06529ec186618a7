// %get github.com/jackc/pgx/v5@v5.12.0 github.com/jmoiron/sqlx@v1.4.0

package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

type person struct {
	ID    int
	Name  string `db:"full_name"`
	Email sql.NullString
}

func main() {
	db := sqlx.MustConnect("pgx", os.Getenv("GOROCM_TEST_POSTGRES"))
	defer db.Close()
	db.MustExec("create table person (id serial primary key, full_name text, email text)")
	defer db.MustExec("drop table person")
	tx := db.MustBegin()
	for _, p := range []person{{Name: "Ada", Email: sql.NullString{String: "ada@example.org", Valid: true}}, {Name: "Bob"}} {
		if _, err := tx.NamedExec("insert into person (full_name, email) values (:full_name, :email)", p); err != nil {
			panic(err)
		}
	}
	if err := tx.Commit(); err != nil {
		panic(err)
	}
	var people []person
	fmt.Println(db.Select(&people, "select * from person order by id"), people)
	var one person
	fmt.Println(db.Get(&one, "select * from person where full_name = $1", "Bob"), one)
	fmt.Println(db.Get(&one, "select * from person where id = 7"))
	query, args, err := sqlx.In("select count(*) from person where full_name in (?)", []string{"Ada", "Eve"})
	fmt.Println(query, args, err)
	var n int
	fmt.Println(db.Get(&n, db.Rebind(query), args...), n)
	rows, err := db.NamedQuery("select full_name from person where email is not null or id = :id", map[string]any{"id": 2})
	if err != nil {
		panic(err)
	}
	defer rows.Close()
	for rows.Next() {
		row := map[string]any{}
		fmt.Println(rows.MapScan(row), row)
	}
}

// Output:
// <nil> [{1 Ada {ada@example.org true}} {2 Bob { false}}]
// <nil> {2 Bob { false}}
// sql: no rows in result set
// select count(*) from person where full_name in (?, ?) [Ada Eve] <nil>
// <nil> 1
// <nil> map[full_name:Ada]
// <nil> map[full_name:Bob]
