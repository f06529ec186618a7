// %get go.etcd.io/bbolt@v1.5.0

package main

import (
	"fmt"
	bolt "go.etcd.io/bbolt"
	"os"
	"path/filepath"
)

func main() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := bolt.Open(filepath.Join(dir, "b.db"), 0o600, nil)
	fmt.Println(err)
	fmt.Println(db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("b"))
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), []byte("v"))
	}))
	_ = db.View(func(tx *bolt.Tx) error {
		fmt.Println(string(tx.Bucket([]byte("b")).Get([]byte("k"))))
		return nil
	})
	fmt.Println(db.Close())
}

// Output:
// <nil>
// <nil>
// v
// <nil>
