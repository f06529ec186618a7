// %get golang.org/x/crypto@v0.58.0

package main

import (
	"fmt"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/sha3"
)

func main() {
	fmt.Println(bcrypt.CompareHashAndPassword([]byte("$2a$04$dkWlf5wFELtmoTwPf7bpvOyYMxPBzqW2Yt4RWDYdQZTQ0.T0wKIta"), []byte("other")))
	fmt.Printf("%x\n", sha3.Sum256([]byte("ada")))
}

// Output:
// crypto/bcrypt: hashedPassword is not the hash of the given password
// eb18277b5addfdd75fc7c7e95f12d79b0a6fa11e355ca7302584ecb72d511e65
