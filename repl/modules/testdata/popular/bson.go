// %get go.mongodb.org/mongo-driver/v2@v2.10.0

package main

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type person struct {
	Name  string    `bson:"name"`
	Tags  []string  `bson:"tags,omitempty"`
	Since time.Time `bson:"since"`
	Age   *int32    `bson:"age"`
}

func main() {
	p := person{Name: "Ada", Tags: []string{"a", "b"}, Since: time.Unix(1700000000, 0).UTC()}
	data, err := bson.Marshal(p)
	fmt.Println(len(data), err)
	var back person
	fmt.Println(bson.Unmarshal(data, &back), back.Name, back.Tags, back.Since.Equal(p.Since), back.Age)
	text, err := bson.MarshalExtJSON(bson.D{{"$set", bson.M{"n": int64(7)}}, {"at", bson.A{1, "x", nil}}}, true, false)
	fmt.Println(string(text), err)
	id, err := bson.ObjectIDFromHex("5ef7fdd91c19e3222b41b839")
	fmt.Println(id.Timestamp().UTC(), err)
	o := options.Client().ApplyURI("mongodb://user:pass@localhost:27017/?replicaSet=rs0&w=majority")
	fmt.Println(o.Validate(), o.Hosts, *o.ReplicaSet, o.Auth.Username)
}

// Output:
// 68 <nil>
// <nil> Ada [a b] true <nil>
// {"$set":{"n":{"$numberLong":"7"}},"at":[{"$numberInt":"1"},"x",null]} <nil>
// 2020-06-28 02:18:01 +0000 UTC <nil>
// <nil> [localhost:27017] rs0 user
