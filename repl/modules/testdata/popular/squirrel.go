// %get github.com/Masterminds/squirrel@v1.5.4

package main

import (
	"fmt"

	sq "github.com/Masterminds/squirrel"
)

func main() {
	fmt.Println(sq.Select("id", "name").From("users").Join("emails USING (email_id)").
		Where(sq.Eq{"name": []string{"a", "b"}}).Where(sq.Or{sq.Gt{"age": 3}, sq.Expr("x = ?", 7)}).
		OrderBy("id DESC").Limit(5).PlaceholderFormat(sq.Dollar).ToSql())
	fmt.Println(sq.Insert("users").Columns("name", "age").Values("moe", 13).Values("larry", sq.Expr("? + 5", 12)).ToSql())
	fmt.Println(sq.Update("users").Set("age", 4).Where("id = ?", 1).ToSql())
	fmt.Println(sq.Delete("users").Where(sq.NotEq{"id": nil}).ToSql())
}

// Output:
// SELECT id, name FROM users JOIN emails USING (email_id) WHERE name IN ($1,$2) AND (age > $3 OR x = $4) ORDER BY id DESC LIMIT 5 [a b 3 7] <nil>
// INSERT INTO users (name,age) VALUES (?,?),(?,? + 5) [moe 13 larry 12] <nil>
// UPDATE users SET age = ? WHERE id = ? [4 1] <nil>
// DELETE FROM users WHERE id IS NOT NULL [] <nil>
