package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Hints for those who write what pandas and polars understand: functions of their modules, methods of their tables,
// operators between columns and f["x"].

// frameModules are the names by which Python programs call what package frame has.
var frameModules = []string{"pd", "pandas", "pl", "polars"}

// frameFunctions are the Go for functions of pandas and polars, in lower case and without underscores.
var frameFunctions = map[string]string{
	"readcsv": `frame.ReadCSV("file.csv")`, "scancsv": `frame.ScanCSV("file.csv")`, "readtable": `frame.ReadCSV("file.tsv")`,
	"readparquet": `frame.ReadParquet("file.parquet")`, "scanparquet": `frame.ReadParquet("file.parquet", "column")`,
	"readjson": `frame.ReadJSONL("file.jsonl")`, "readndjson": `frame.ReadJSONL("file.jsonl")`,
	"readfeather": `frame.ReadArrow("file.arrow")`, "readipc": `frame.ReadArrow("file.arrow")`,
	"readsql": `frame.FromRows(db.Query("select …"))`, "readsqlquery": `frame.FromRows(db.Query("select …"))`,
	"readdatabase": `frame.FromRows(db.Query("select …"))`,
	"dataframe":    `frame.New("x", []float64{1, 2}, "name", []string{"a", "b"})`,
	"fromdict":     `frame.New("x", []float64{1, 2}, "name", []string{"a", "b"})`,
	"fromdicts":    `frame.FromStructs(rows)`, "fromrecords": `frame.FromStructs(rows)`, "fromnumpy": `frame.FromTensor(x, "a", "b")`,
	"series": `frame.NewColumn("x", []float64{1, 2})`, "categorical": `frame.Categories("x", []string{"a", "b"})`,
	"concat": `frame.Concat(f, g)`, "merge": `f.Join(g, frame.Inner, "key")`, "melt": `f.Melt([]string{"key"})`,
	"pivottable": `f.Pivot([]string{"key"}, "column", "value", frame.Mean)`, "crosstab": `f.ValueCounts("a", "b")`,
	"todatetime": `f.With("t", frame.Col("t").Cast(frame.Timestamp))`, "tonumeric": `f.With("x", frame.Col("x").Cast(frame.Float64))`,
	"isna": `frame.Col("x").IsMissing()`, "isnull": `frame.Col("x").IsMissing()`, "unique": `f.Col("x").Unique()`,
	"col": `frame.Col("x")`, "lit": `frame.Lit(1)`, "when": `frame.When(frame.Col("x").Gt(0), 1, 0)`, "len": `frame.Len()`,
	"count": `frame.Len()`, "sum": `frame.Sum("x")`, "mean": `frame.Mean("x")`, "min": `frame.Min("x")`, "max": `frame.Max("x")`,
}

// frameMethods are the Go for methods and attributes of their tables, after the frame and a point.
var frameMethods = map[string]string{
	"sortvalues": `Sort("x")`, "dropna": `DropMissing()`, "dropnulls": `DropMissing()`, "fillna": `FillMissing(0)`,
	"fillnull": `FillMissing(0)`, "ffill": `FillForward()`, "merge": `Join(g, frame.Inner, "key")`,
	"query": `Filter(frame.Col("x").Gt(0))`, "loc": `Filter(frame.Col("x").Gt(0))`, "iloc": `Slice(0, 3)`,
	"assign": `With("y", frame.Col("x").Mul(2))`, "withcolumns": `With("y", frame.Col("x").Mul(2))`,
	"withcolumn": `With("y", frame.Col("x").Mul(2))`, "dropduplicates": `Unique()`, "pivottable": `Pivot([]string{"key"}, "column", "value", frame.Mean)`,
	"unpivot": `Melt([]string{"key"})`, "apply": `Col("x").Map(func(x float64) float64 { return 2 * x })`,
	"applymap": `Col("x").Map(func(x float64) float64 { return 2 * x })`, "tocsv": `WriteCSV("file.csv")`, "writendjson": `WriteJSONL("file.jsonl")`,
	"toparquet": `WriteParquet("file.parquet")`, "tofeather": `WriteArrow("file.arrow")`, "writeipc": `WriteArrow("file.arrow")`,
	"tojson": `WriteJSONL("file.jsonl")`, "dtypes": `Types()`, "schema": `Info()`, "height": `Rows()`, "width": `Shape()`,
	"astype": `With("x", frame.Col("x").Cast(frame.Int64))`, "cast": `With("x", frame.Col("x").Cast(frame.Int64))`,
	"tonumpy": `Tensor(tensor.CPU(), tensor.F64)`, "values": `Tensor(tensor.CPU(), tensor.F64)`, "totorch": `Tensor(tensor.CPU(), tensor.F32)`,
	"isna": `Filter(frame.Col("x").IsMissing())`, "isnull": `Filter(frame.Col("x").IsMissing())`, "nunique": `Info()`, "nullcount": `Info()`,
	"sum": `Agg(frame.Sum("x"))`, "mean": `Agg(frame.Mean("x"))`, "min": `Agg(frame.Min("x"))`, "max": `Agg(frame.Max("x"))`,
	"std": `Agg(frame.Std("x"))`, "median": `Agg(frame.Median("x"))`, "count": `Agg(frame.Count("x"))`, "nlargest": `SortBy(frame.Desc("x")).Head(3)`,
	"topk": `SortBy(frame.Desc("x")).Head(3)`, "rolling": `With("y", frame.Col("x").Rolling(3).Mean())`, "shift": `With("y", frame.Col("x").Shift(1))`,
	"resample": `Resample("t", "month").Sum("x")`, "limit": `Head(3)`, "todict": `Row(0)`,
	"iterrows": `Row(0)`, "itertuples": `Row(0)`, "torecords": `ToStructs(&rows)`, "todicts": `ToStructs(&rows)`,
}

// plainName is a name of Python's as the tables have it.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// frameModuleHint is for a name of pandas or polars: frame.ReadCSV for pd.read_csv. last is the name after it.
func frameModuleHint(name, last string) string {
	if !slices.Contains(frameModules, name) {
		return ""
	}
	if s := frameFunctions[plainName(last)]; s != "" {
		return didYouMean(s)
	}
	return "package frame has tables as those of pandas and polars: %doc frame lists what it has"
}

// isFrameType reports whether a type is a type of package frame of this name.
func isFrameType(t types.Type, name string) bool {
	if t == nil {
		return false
	}
	n, ok := types.Unalias(Deref(t)).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil &&
		strings.HasSuffix(n.Obj().Pkg().Path(), "/tensor/frame")
}

// aggregates are functions of a column's name, which are methods of a column with polars.
var aggregates = map[string]string{"sum": "Sum", "mean": "Mean", "min": "Min", "max": "Max", "std": "Std",
	"median": "Median", "count": "Count", "first": "First", "last": "Last", "nunique": "NUnique",
	"quantile": "Quantile"}

// frameMemberHint is for a name that a frame or a column, x in the text, does not have.
func frameMemberHint(name, x string, t types.Type) string {
	col, ok := strings.CutPrefix(x, "frame.Col(")
	if f := aggregates[plainName(name)]; f != "" && ok && isFrameType(t, "Expr") {
		return didYouMean("frame." + f + "(" + col)
	}
	if !isFrameType(t, "Frame") {
		return ""
	}
	if s := frameMethods[plainName(name)]; s != "" {
		return didYouMean(x + "." + s)
	}
	if !ast.IsExported(name) && synonym(name, members(t)) == "" {
		return "did you mean " + x + `.Col("` + name + `")?`
	}
	return ""
}

// frameHint is the Go for f["x"], and for operators between columns, at a place.
func (k *Checker) frameHint(at token.Pos) string {
	hint := ""
	k.inspect(func(n ast.Node) bool {
		if n == nil || hint != "" || at < n.Pos() || n.End() < at {
			return hint == ""
		}
		switch n := n.(type) {
		case *ast.IndexExpr:
			if isFrameType(k.typeOf(n.X), "Frame") {
				method := ".Col("
				if isFrameType(k.typeOf(n.Index), "Expr") || k.isColumns(n.Index) {
					method = ".Filter("
				}
				hint = didYouMean(k.text(n.X) + method + k.columnText(n.Index) + ")")
			}
		case *ast.SliceExpr:
			if isFrameType(k.typeOf(n.X), "Frame") {
				lo, hi := "0", k.text(n.X)+".Rows()"
				if n.Low != nil {
					lo = k.text(n.Low)
				}
				if n.High != nil {
					hi = k.text(n.High)
				}
				hint = didYouMean(k.text(n.X) + ".Slice(" + lo + ", " + hi + ")")
			}
		case ast.Expr:
			if k.isColumns(n) {
				hint = didYouMean(k.columnText(n))
			}
		}
		return hint == ""
	})
	return hint
}

func (k *Checker) typeOf(e ast.Expr) types.Type { return k.Result.Info.Types[e].Type }

// exprMethods are the methods of expressions of columns for operators that have other names for tensors.
var exprMethods = map[token.Token]string{token.AND: "And", token.OR: "Or"}

func exprMethod(op token.Token) string { return cmp.Or(exprMethods[op], operatorMethods[op]) }

// isColumns reports whether an expression has operators of columns.
func (k *Checker) isColumns(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return exprMethod(e.Op) != "" && (k.isColumn(e.X) || k.isColumn(e.Y) && swappedColumns(e.Op))
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.NOT) && k.isColumn(e.X)
	}
	return false
}

// swappedColumns reports whether there is a method of the right operand for an operator: 2 * x is x.Mul(2).
func swappedColumns(op token.Token) bool { return swapped[op] != "" && op != token.QUO }

func (k *Checker) isColumn(e ast.Expr) bool {
	return isFrameType(k.typeOf(ast.Unparen(e)), "Expr") || k.isColumns(e)
}

// columnText writes operators of columns as methods.
func (k *Checker) columnText(e ast.Expr) string {
	if !k.isColumns(e) {
		return k.text(ast.Unparen(e))
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		method := ".Not()"
		if e.Op == token.SUB {
			method = ".Neg()"
		}
		return k.columnText(e.X) + method
	case *ast.BinaryExpr:
		if k.isColumn(e.X) {
			return k.columnText(e.X) + "." + exprMethod(e.Op) + "(" + k.columnText(e.Y) + ")"
		}
		return k.columnText(e.Y) + "." + swapped[e.Op] + "(" + k.text(e.X) + ")"
	}
	return k.text(e)
}
