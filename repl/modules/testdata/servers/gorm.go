// %get gorm.io/gorm@v1.31.2 gorm.io/driver/postgres@v1.6.0

package main

import (
	"errors"
	"fmt"
	"os"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type Author struct {
	ID    uint
	Name  string `gorm:"uniqueIndex;size:40"`
	Books []Book
}

type Book struct {
	ID       uint
	AuthorID uint
	Title    string
	Pages    int
}

func (b *Book) BeforeCreate(*gorm.DB) error {
	if b.Pages < 0 {
		return errors.New("a book has pages")
	}
	return nil
}

func main() {
	db, err := gorm.Open(postgres.Open(os.Getenv("GOROCM_TEST_POSTGRES")), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		panic(err)
	}
	if err := db.AutoMigrate(&Author{}, &Book{}); err != nil {
		panic(err)
	}
	defer db.Migrator().DropTable(&Book{}, &Author{})
	a := Author{Name: "Ada", Books: []Book{{Title: "Notes", Pages: 66}, {Title: "Letters", Pages: 120}}}
	fmt.Println(db.Create(&a).Error, a.ID, a.Books[1].ID)
	fmt.Println(db.Create(&Book{AuthorID: a.ID, Title: "None", Pages: -1}).Error)
	fmt.Println(db.Create(&Author{Name: "Ada"}).Error != nil)
	var back Author
	fmt.Println(db.Preload("Books", "pages > ?", 100).First(&back, "name = ?", "Ada").Error, back.Name, len(back.Books),
		back.Books[0].Title)
	fmt.Println(db.Model(&Book{}).Where("title = ?", "Notes").Updates(map[string]any{"pages": gorm.Expr("pages + ?", 4)}).RowsAffected)
	var total struct{ Sum, Count int }
	db.Model(&Book{}).Select("sum(pages) as sum, count(*) as count").Scan(&total)
	fmt.Println(total)
	err = db.Transaction(func(tx *gorm.DB) error {
		tx.Where("1 = 1").Delete(&Book{})
		return errors.New("back")
	})
	var n int64
	db.Model(&Book{}).Count(&n)
	fmt.Println(err, n)
	fmt.Println(errors.Is(db.First(&Book{}, 99).Error, gorm.ErrRecordNotFound))
}

// Output:
// <nil> 1 2
// a book has pages
// true
// <nil> Ada 1 Letters
// 1
// {190 2}
// back 2
// true
