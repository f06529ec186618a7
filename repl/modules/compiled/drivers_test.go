package compiled

import "testing"

func TestRegisters(t *testing.T) {
	for text, want := range map[string]string{
		"package p // a driver\n\nimport (\n\t\"database/sql\"\n)\n\nfunc init() { sql.Register(\"x\", d{}) }\n": "package p; import gorocm_drivers \"" +
			driversPath + "\" // a driver\n\nimport (\n\t\"database/sql\"\n)\n\nfunc init() { gorocm_drivers.Register(\"x\", d{}) }\n\n\nvar _ = sql.Drivers\n",
		"package p\n\nimport db \"database/sql\"\n\nvar f = db.Register\n\nfunc g() { f.Register() }\n": "package p; import gorocm_drivers \"" +
			driversPath + "\"\n\nimport db \"database/sql\"\n\nvar f = gorocm_drivers.Register\n\nfunc g() { f.Register() }\n\n\nvar _ = db.Drivers\n",
		"package p\n\nimport _ \"database/sql\"\n\nfunc g() { f.Register() }\n": "",
		"package p\n\nfunc g() { sql.Register() }\n":                            "",
	} {
		if want == "" {
			want = text
		}
		if got := string(registers("p.go", []byte(text))); got != want {
			t.Errorf("%s\nbecomes\n%s", text, got)
		}
	}
}
