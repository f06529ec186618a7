package gfx9

// operation is a row of a table of the others.
type operation struct {
	code          int
	name, sig, as string
}

// memory is a row of a table of instructions on memory.
type memory struct {
	code  int
	name  string
	words int
	as    string
}

// rows are the tables by opcode.
var rows [MUBUF + 1][]*Row

func init() {
	for format, t := range map[Format][]operation{SOP1: sop1, SOP2: sop2, SOPC: sopc, SOPK: sopk, SOPP: sopp, VOP1: vop1,
		VOP2: vop2, VOP3: vop3, VOP3P: vop3p, MAI: mai} {
		list := make([]Row, len(t))
		for i, o := range t {
			list[i] = Row{Code: o.code, Name: o.name, Sig: o.sig, As: o.as}
		}
		add(format, list)
	}
	add(VOPC, compares())
	for format, t := range map[Format][]memory{SMEM: smem, DS: ds, FLAT: flat, MUBUF: mubuf()} {
		list := make([]Row, len(t))
		for i, m := range t {
			list[i] = Row{Code: m.code, Name: m.name, As: m.as, Words: m.words}
		}
		add(format, list)
	}
	rows[GLOBAL], rows[SCRATCH] = rows[FLAT], rows[FLAT]
	for _, r := range rows[MAI] {
		if r != nil {
			matrices[r.Name] = mfmaOf(r.Name)
		}
	}
}

func add(format Format, t []Row) {
	rows[format] = make([]*Row, 1024)
	for i := range t {
		rows[format][t[i].Code] = &t[i]
	}
}

// mubuf are the instructions of MUBUF: those of FLAT, and on caches.
func mubuf() []memory {
	t := []memory{{40, "wbl2", 0, ""}, {41, "inv", 0, ""}}
	for _, m := range flat {
		if m.code < 38 || m.code >= 64 && m.code != 82 { // without loads to shared memory
			t = append(t, m)
		}
	}
	return t
}

// compares makes the table of compares: 16 predicates of floats and 8 of integers, for each type. Those named cmpx also
// write EXEC.
func compares() (t []Row) {
	add := func(code int, name, sig string) {
		t = append(t, Row{Code: code, Name: "v_cmp_" + name, Sig: sig}, Row{Code: code + 16, Name: "v_cmpx_" + name, Sig: sig})
	}
	t = append(t,
		Row{Code: 16, Name: "v_cmp_class_f32", Sig: "m=fu"}, Row{Code: 17, Name: "v_cmpx_class_f32", Sig: "m=fu"},
		Row{Code: 18, Name: "v_cmp_class_f64", Sig: "m=du"}, Row{Code: 19, Name: "v_cmpx_class_f64", Sig: "m=du"},
		Row{Code: 20, Name: "v_cmp_class_f16", Sig: "m=hs"}, Row{Code: 21, Name: "v_cmpx_class_f16", Sig: "m=hs"})
	for k, typ := range []struct{ name, sig string }{{"f16", "m=hh"}, {"f32", "m=ff"}, {"f64", "m=dd"}} {
		for i, p := range []string{"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"} {
			add(32+32*k+i, p+"_"+typ.name, typ.sig)
		}
	}
	for k, typ := range []struct{ name, sig string }{{"i16", "m=ss"}, {"u16", "m=ss"}, {"i32", "m=uu"}, {"u32", "m=uu"},
		{"i64", "m=ll"}, {"u64", "m=qq"}} {
		for i, p := range []string{"f", "lt", "eq", "le", "gt", "ne", "ge", "t"} {
			add(160+32*(k/2)+8*(k%2)+i, p+"_"+typ.name, typ.sig)
		}
	}
	for i := range t { // gfx11 writes the predicate that always holds as those of integers
		if cut := len(t[i].Name) - len("tru_f16"); t[i].Name[cut:cut+4] == "tru_" {
			t[i].As = t[i].Name[:cut] + "t" + t[i].Name[cut+3:]
		}
	}
	return t
}
