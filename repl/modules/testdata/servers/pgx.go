// %get github.com/jackc/pgx/v5@v5.12.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type city struct {
	ID      int64
	Name    string
	People  *int32
	Area    float64
	Founded time.Time
	Tags    []string
	Extra   map[string]any
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("GOROCM_TEST_POSTGRES"))
	check(err)
	defer pool.Close()
	_, err = pool.Exec(ctx, `create table city (id bigserial primary key, name text not null unique, people int, area float8,
		founded date, tags text[], extra jsonb)`)
	check(err)
	defer pool.Exec(ctx, "drop table city")

	batch := &pgx.Batch{}
	for i, name := range []string{"Bern", "Graz", "Ulm"} {
		batch.Queue("insert into city (name, people, area, founded, tags, extra) values ($1, $2, $3, $4, $5, $6)", name,
			100_000*(i+1), 51.6*float64(i+1), time.Date(1191+i, 2, 3, 0, 0, 0, 0, time.UTC), []string{"old", name[:1]},
			map[string]any{"river": name == "Ulm", "rank": i})
	}
	check(pool.SendBatch(ctx, batch).Close())
	n, err := pool.CopyFrom(ctx, pgx.Identifier{"city"}, []string{"name", "area", "founded"}, pgx.CopyFromRows([][]any{
		{"Linz", 95.99, time.Date(799, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"Rom", 1285.0, time.Date(1, 4, 21, 0, 0, 0, 0, time.UTC)},
	}))
	fmt.Println(n, err)

	rows, err := pool.Query(ctx, "select * from city where area > $1 order by name", 60)
	check(err)
	cities, err := pgx.CollectRows(rows, pgx.RowToStructByName[city])
	check(err)
	for _, c := range cities {
		people := int32(-1)
		if c.People != nil {
			people = *c.People
		}
		fmt.Println(c.Name, people, c.Area, c.Founded.Format(time.DateOnly), c.Tags, c.Extra["river"])
	}

	_, err = pool.Exec(ctx, "insert into city (name) values ('Ulm')")
	var pg *pgconn.PgError
	fmt.Println(errors.As(err, &pg), pg.Code, pg.ConstraintName)

	var name string
	fmt.Println(errors.Is(pool.QueryRow(ctx, "select name from city where id = 99").Scan(&name), pgx.ErrNoRows))

	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "delete from city")
		check(err)
		return errors.New("changed my mind")
	})
	fmt.Println(err)
	var count, people int
	check(pool.QueryRow(ctx, "select count(*), sum(people) from city").Scan(&count, &people))
	fmt.Println(count, people)

	late, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = pool.Exec(late, "select pg_sleep(30)")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))

	listener, err := pool.Acquire(ctx)
	check(err)
	defer listener.Release()
	_, err = listener.Exec(ctx, "listen news")
	check(err)
	go pool.Exec(ctx, "select pg_notify('news', 'hello')")
	note, err := listener.Conn().WaitForNotification(ctx)
	check(err)
	fmt.Println(note.Channel, note.Payload)
}

// Output:
// 2 <nil>
// Graz 200000 103.2 1192-02-03 [old G] false
// Linz -1 95.99 0799-01-01 [] <nil>
// Rom -1 1285 0001-04-21 [] <nil>
// Ulm 300000 154.8 1193-02-03 [old U] true
// true 23505 city_name_key
// true
// changed my mind
// 5 600000
// true
// news hello
