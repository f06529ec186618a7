package emulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// scalar is a type of random programs.
type scalar struct {
	name string
	bits int
	kind byte // i, u, f; p for pairs of 16 bits
}

var scalars = []scalar{
	{"i32", 32, 'i'}, {"u32", 32, 'u'}, {"i64", 64, 'i'}, {"u64", 64, 'u'}, {"f32", 32, 'f'}, {"f64", 64, 'f'},
	{"i16", 16, 'i'}, {"u16", 16, 'u'}, {"i8", 8, 'i'}, {"u8", 8, 'u'}, {"f16", 16, 'f'},
	{"u16x2", 32, 'p'}, {"i16x2", 32, 'p'}, {"f16x2", 32, 'p'},
}

// perType is how many variables of each type a work-item has.
const perType = 3

// program is a random program: phases between barriers, in which each work-item works with its variables, and with shared memory either writes
// words of its own and modifies some atomically, or reads.
type program struct {
	r      *rand.Rand
	b      strings.Builder
	limit  int // statements that are written; the others are left out, to find the first that matters
	count  int // statements
	last   string
	depth  int
	loops  int
	shared bool // may read shared memory
	same   bool // all work-items of the grid compute the same here
	block  int
	lanes  int  // of a wave
	cdna   bool // for gfx942
}

// newProgram writes the program of a seed for a GPU, with waves of so many lanes.
func newProgram(seed uint64, limit int, arch string, lanes int) *program {
	p := &program{r: rand.New(rand.NewPCG(seed, 1)), limit: limit, lanes: lanes, cdna: arch == GFX942}
	p.block = []int{32, 64, 96, 128}[p.r.IntN(4)]
	p.line("enum { BLOCK = %d };", p.block)
	p.line("struct State {")
	for _, t := range scalars {
		for i := range perType {
			p.line("  %s %s_%d;", t.name, t.name, i)
		}
	}
	p.line("  u32 list[8];")
	p.line("  u32 give, from, got;")
	p.line("};")
	p.line("struct Shared {\n  u32 sum[8];\n  u64 wide[4];\n  i32 least, most;\n  u32 w32[BLOCK];\n  u8 w8[BLOCK];\n  u16 w16[BLOCK];\n  u64 w64[BLOCK];\n  f32 wf[BLOCK];\n};")
	phases := 2 + p.r.IntN(3)
	var between []string
	for i := range phases {
		p.shared = i%2 == 1
		kind := "DEV"
		if p.r.IntN(4) == 0 {
			kind = "OUTLINED"
		}
		p.line("%s void phase%d(State *s, Shared *l, const u32 *in, u32 *sums, u8 *mine, const Same &u, u32 t, u32 g) {", kind, i)
		p.block_(4 + p.r.IntN(6))
		p.line("  s->give = %s;\n  s->from = %s;", p.expr(scalars[1], 2), p.expr(scalars[1], 1))
		if !p.shared {
			p.publish()
		}
		p.line("}")
		between = append(between, p.exchange())
	}
	p.main(phases, between)
	return p
}

func (p *program) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// publish stores a work-item's words of shared memory, and modifies what all share.
func (p *program) publish() {
	p.line("  l->w32[t] = %s;", p.expr(scalars[1], 2))
	p.line("  l->w8[t] = %s;", p.expr(scalars[9], 1))
	p.line("  l->w16[t] = %s;", p.expr(scalars[7], 1))
	p.line("  l->w64[t] = %s;", p.expr(scalars[3], 1))
	p.line("  l->wf[t] = %s;", p.expr(scalars[4], 1))
	for range 1 + p.r.IntN(3) {
		op := p.pick("add", "min", "max", "and", "or", "xor")
		at := map[string]int{"add": 0, "min": 1, "max": 2, "and": 3, "or": 4, "xor": 5}[op]
		p.line("  ATOMIC(%s, &l->sum[%d], %s);", op, at, p.expr(scalars[1], 1))
		p.line("  ATOMIC(%s, &sums[%d], %s);", op, at, p.expr(scalars[1], 1))
	}
	p.line("  if (%s) ATOMIC(add, &l->wide[0], %s);", p.condition(1), p.expr(scalars[3], 1))
	p.line("  ATOMIC(min, &l->least, %s);\n  ATOMIC(max, &l->most, %s);", p.expr(scalars[0], 1), p.expr(scalars[0], 1))
	p.line("  ATOMIC(add, (f32 *)&sums[8], (f32)(%s & 63));", p.expr(scalars[1], 1))
}

// exchange is what happens between two phases: how lanes of a wave give values to each other.
func (p *program) exchange() string {
	mask := p.r.IntN(32)
	quad := p.r.IntN(256)
	if p.lanes == 64 && p.r.IntN(3) > 0 {
		return p.exchangeWide(mask)
	}
	switch p.r.IntN(6) {
	case 0:
		return fmt.Sprintf("X(__builtin_amdgcn_ds_bpermute(s.from << 2, s.give), given(s, b + (s[i].from & %d)))", p.lanes-1)
	case 1:
		return fmt.Sprintf("X(__builtin_amdgcn_ds_swizzle(s.give, %d), s[b32 + (i %% 32 ^ %d)].give)", 31|mask<<10, mask)
	case 2:
		return fmt.Sprintf("X(__builtin_amdgcn_update_dpp(0, s.give, %d, 15, 15, true), s[b32 + (i %% 32 & 28) + (%d >> 2 * (i & 3) & 3)].give)", quad, quad)
	case 3:
		if p.cdna { // row_newbcast
			return fmt.Sprintf("X(__builtin_amdgcn_update_dpp(0, s.give, %d, 15, 15, true), s[b32 + (i %% 32 & 16) + %d].give)", 0x150|mask&15, mask&15)
		}
		return fmt.Sprintf("X(__builtin_amdgcn_update_dpp(0, s.give, %d, 15, 15, true), s[b32 + (i %% 32 ^ %d)].give)", 0x160|mask&15, mask&15)
	case 4:
		n := 1 + mask%15
		return fmt.Sprintf("X(__builtin_amdgcn_update_dpp(0, s.give, %d, 15, 15, true), s[b32 + (i %% 32 & 16) + ((i - %d) & 15)].give)", 0x120|n, n)
	}
	return fmt.Sprintf("X(fold(__builtin_amdgcn_ballot_w%d(s.give & 1)), fold(ballot(s, b)))", p.lanes)
}

// exchangeWide is an exchange over all lanes of a wave of 64.
func (p *program) exchangeWide(n int) string {
	last := 31 // lane that all waves have
	if p.block%64 == 0 {
		last = 63
	}
	switch p.r.IntN(5) {
	case 0:
		return fmt.Sprintf("X(__builtin_amdgcn_readlane(s.give, (u.word[3] * 7 + %d) & %d), given(s, b + ((u.word[3] * 7 + %d) & %d)))", n, last, n, last)
	case 1:
		return "X(__builtin_amdgcn_mbcnt_hi(u.word[0], __builtin_amdgcn_mbcnt_lo(u.word[1], s.give)), s[i].give + below((u64)u.word[0] << 32 | u.word[1], i % 64))"
	case 2:
		return fmt.Sprintf("X(__builtin_amdgcn_ds_bpermute((s.give ^ %d) << 2, s.from), taken(s, b + ((s[i].give ^ %d) & 63)))", n, n)
	case 3:
		if p.cdna {
			return dppOfCDNA[n%len(dppOfCDNA)]
		}
		if p.block%64 == 0 {
			return "X(__builtin_amdgcn_permlane64(s.give), s[i ^ 32].give)"
		}
	}
	return "X(fold(__builtin_amdgcn_ballot_w64((s.give ^ s.from) & 2)), fold(ballot2(s, b)))"
}

// dppOfCDNA are moves over the rows of a wave, which gfx11 has not: wave_shr, wave_shl, row_bcast:15 and row_bcast:31. Lanes
// whose row a mask excludes keep what they have.
var dppOfCDNA = []string{
	"X(__builtin_amdgcn_update_dpp(0, s.give, 0x138, 15, 15, true), i % 64 ? s[i - 1].give : 0)",
	"X(__builtin_amdgcn_update_dpp(7, s.give, 0x130, 15, 15, false), i % 64 < 63 && i + 1 < BLOCK ? s[i + 1].give : 7)",
	"X(__builtin_amdgcn_update_dpp(s.from, s.give, 0x142, 10, 15, false), i / 16 % 2 ? s[(i & ~15u) - 1].give : s[i].from)",
	"X(__builtin_amdgcn_update_dpp(s.from, s.give, 0x143, 12, 15, false), i / 32 % 2 ? s[(i & ~31u) - 1].give : s[i].from)",
	"X(__builtin_amdgcn_update_dpp(3, s.give, 0x111, 15, 13, false), i % 16 && i / 4 % 4 != 1 ? s[i - 1].give : 3)",
	"X(__builtin_amdgcn_update_dpp(3, s.give, 0x101, 15, 15, true), i % 16 < 15 ? s[i + 1].give : 0)",
	"X(__builtin_amdgcn_update_dpp(0, s.give, 0x140, 15, 15, true), s[i ^ 15].give)",
	"X(__builtin_amdgcn_update_dpp(0, s.give, 0x141, 15, 15, true), s[i ^ 7].give)",
}

// main writes the kernel and its counterpart on the host, which runs a phase for all work-items of a block before the next.
func (p *program) main(phases int, between []string) {
	p.line("DEV u32 fold(u64 m) { return (u32)m + 3 * (u32)(m >> 32); }")
	p.line("DEV void begin(State *s, const u32 *in, u32 t) {")
	n := 0
	for _, t := range scalars {
		for i := range perType {
			v := fmt.Sprintf("in[(t * 31 + %d) & 1023]", n)
			switch {
			case t.kind == 'f' && t.bits != 64:
				v = fmt.Sprintf("(%s)((f32)(i32)%s * 0x1p-%df)", t.name, v, []int{12, 20, 31}[i])
			case t.kind == 'f':
				v = fmt.Sprintf("(f64)(i32)%s * 0x1p-%d", v, []int{3, 20, 40}[i])
			case t.kind == 'p':
				v = fmt.Sprintf("__builtin_bit_cast(%s, %s & 0x7bff7bff)", t.name, v)
			case t.bits == 64:
				v = fmt.Sprintf("(%s)%s << %d ^ in[t & 1023]", t.name, v, []int{0, 17, 32}[i])
			}
			p.line("  s->%s_%d = %s;", t.name, i, v)
			n++
		}
	}
	p.line("  for (u32 i = 0; i < 8; i++) s->list[i] = in[(t + i) & 1023];\n  s->give = s->from = s->got = 0;\n}")
	p.line("DEV void clear(Shared *l) {\n  for (u32 i = 0; i < 8; i++) l->sum[i] = i == 1 || i == 3 ? ~0u : 0;\n  for (u32 i = 0; i < 4; i++) l->wide[i] = 0;\n  l->least = 0x7fffffff, l->most = -0x7fffffff - 1;\n}")
	p.line("DEV void end(const State *s, const u8 *mine, u64 *out) {")
	for i, v := range variables() {
		if at, ok := strings.CutPrefix(v, "mine"); ok {
			p.line("  out[%d] = ((const u64 *)mine)%s;", i, at)
			continue
		}
		p.line("  out[%d] = (u64)bits(s->%s);", i, v)
	}
	p.line("}\n#ifdef __HIP__\nextern \"C\" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 1024))) void program(const u32 *in, u32 *sums, u64 *out, u8 *mine, Same u) {")
	p.line("  __attribute__((shared)) static Shared l;\n  State s;\n  u32 t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x() * BLOCK + t;")
	p.line("#define X(gpu, host) s.got = (u32)(gpu)")
	p.line("#define SYNC __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\")")
	p.line("  begin(&s, in, g);\n  if (t == 0) clear(&l);\n  SYNC;")
	for i := range phases {
		p.line("  phase%d(&s, &l, in, sums, mine + 64 * g, u, t, g);\n  SYNC;\n  %s;", i, between[i])
	}
	p.line("  end(&s, mine + 64 * g, out + (u64)g * %d);\n}", len(variables()))
	p.line("#else\n#include <stdio.h>\nstatic u64 ballot(State *s, u32 b) {\n  u64 m = 0;\n  for (u32 i = 0; i < %d && b + i < BLOCK; i++) m |= (u64)(s[b + i].give & 1) << i;\n  return m;\n}", p.lanes)
	p.line("static u64 ballot2(State *s, u32 b) {\n  u64 m = 0;\n  for (u32 i = 0; i < 64 && b + i < BLOCK; i++) m |= (u64)((s[b + i].give ^ s[b + i].from) >> 1 & 1) << i;\n  return m;\n}")
	p.line("static u32 given(State *s, u32 i) { return i < BLOCK ? s[i].give : 0; }\nstatic u32 taken(State *s, u32 i) { return i < BLOCK ? s[i].from : 0; }")
	p.line("static u32 below(u64 m, u32 i) { return (u32)__builtin_popcountll(m & ((1ull << i) - 1)); }")
	p.line("#define X(gpu, host) for (u32 i = 0; i < BLOCK; i++) { u32 b = i & ~%du, b32 = i & ~31u; s[i].got = (u32)(host); }", p.lanes-1)
	p.line("int main() {\n  static u32 in[1024], sums[16], blocks;\n  static State s[BLOCK];\n  static Shared l;\n  static u64 out[%d];\n  static u8 mine[64 * BLOCK];\n  static Same u;", len(variables()))
	p.line("  if (fread(in, 4, 1024, stdin) != 1024 || fread(sums, 4, 16, stdin) != 16 || fread(&blocks, 4, 1, stdin) != 1 || fread(&u, sizeof u, 1, stdin) != 1) return 1;")
	p.line("  for (u32 g = 0; g < blocks * BLOCK; g += BLOCK) {\n    for (u32 t = 0; t < BLOCK; t++) begin(&s[t], in, g + t);\n    clear(&l);\n    for (u32 i = 0; i < sizeof mine; i++) mine[i] = 0;")
	for i := range phases {
		p.line("    for (u32 t = 0; t < BLOCK; t++) phase%d(&s[t], &l, in, sums, mine + 64 * t, u, t, g + t);\n    %s", i, between[i])
	}
	p.line("    for (u32 t = 0; t < BLOCK; t++) {\n      end(&s[t], mine + 64 * t, out);\n      fwrite(out, sizeof out, 1, stdout);\n    }\n  }\n  fwrite(sums, sizeof sums, 1, stdout);\n}\n#endif")
}

// variables are a work-item's, in the order of its output.
func variables() (list []string) {
	for _, t := range scalars {
		for i := range perType {
			list = append(list, fmt.Sprintf("%s_%d", t.name, i))
		}
	}
	for i := range 8 {
		list = append(list, fmt.Sprintf("list[%d]", i), fmt.Sprintf("mine[%d]", i))
	}
	return append(list, "got")
}

// block_ writes statements.
func (p *program) block_(n int) {
	p.depth++
	for range n {
		p.statement()
	}
	p.depth--
}

func (p *program) indent() string { return strings.Repeat("  ", p.depth) }

func (p *program) statement() {
	in := p.indent()
	kind := p.r.IntN(12)
	if p.depth > 3 {
		kind = 11
	}
	switch kind {
	case 0, 1:
		p.line("%sif (%s) {", in, p.condition(2))
		p.block_(1 + p.r.IntN(3))
		if p.r.IntN(2) == 0 {
			p.line("%s} else {", in)
			p.block_(1 + p.r.IntN(3))
		}
		p.line("%s}", in)
	case 2:
		p.loops++
		p.line("%sfor (u32 k%d = 0; k%d < (%s & %d); k%d++) {", in, p.loops, p.loops, p.variable(scalars[1]), []int{1, 3, 7}[p.r.IntN(3)], p.loops)
		p.block_(1 + p.r.IntN(2))
		if p.r.IntN(3) == 0 {
			p.line("%s  if (%s) %s;", in, p.condition(1), p.pick("break", "continue"))
		}
		p.line("%s}", in)
	case 3:
		p.line("%sswitch (%s & 3) {", in, p.expr(scalars[1], 1))
		for i := range 3 {
			p.line("%scase %d:", in, i)
			p.block_(1)
			if p.r.IntN(3) > 0 {
				p.line("%s  break;", in)
			}
		}
		p.line("%s}", in)
	case 5:
		t := p.number()
		p.assign(p.memory(t), t)
	case 6:
		from, to := 16*p.r.IntN(4), 16*p.r.IntN(4)
		kind := p.pick("u32", "u64", "Quad", "Triple")
		p.assign(fmt.Sprintf("*(%s *)(mine + %d)", kind, to), scalar{name: fmt.Sprintf("*(%s *)(mine + %d)", kind, from)})
	case 4:
		p.assign(fmt.Sprintf("s->list[%s & 7]", p.expr(scalars[1], 1)), scalars[1])
	default:
		t := p.scalar()
		p.assign(p.variable(t), t)
	}
}

// assign writes an assignment, unless as many have been written as there are to be.
func (p *program) assign(to string, t scalar) {
	text := to + " = " + t.name + ";"
	if t.kind != 0 {
		text = fmt.Sprintf("%s = canonical<%s>(%s);", to, t.name, p.expr(t, 3)) // bytes of it may be read as another type
	}
	p.count++
	if p.count > p.limit {
		return
	}
	p.last = text
	p.line("%s%s", p.indent(), text)
}

func (p *program) scalar() scalar { return scalars[p.r.IntN(len(scalars))] }

func (p *program) pick(words ...string) string { return words[p.r.IntN(len(words))] }

func (p *program) variable(t scalar) string {
	return fmt.Sprintf("s->%s_%d", t.name, p.r.IntN(perType))
}

// memory is a place in the 64 bytes of global memory that a work-item has, for a value of a type.
func (p *program) memory(t scalar) string {
	return fmt.Sprintf("*(%s *)(mine + (%s & %d))", t.name, p.variable(scalars[1]), 64-t.bits/8)
}

// number is a type that has numbers.
func (p *program) number() scalar {
	return scalars[p.r.IntN(slices.IndexFunc(scalars, func(t scalar) bool { return t.kind == 'p' }))]
}

func (p *program) condition(depth int) string {
	if !p.same && p.r.IntN(4) == 0 {
		p.same = true
		defer func() { p.same = false }()
	}
	t := p.number()
	c := fmt.Sprintf("%s %s %s", p.expr(t, depth-1), p.pick("<", "<=", ">", ">=", "==", "!="), p.expr(t, depth-1))
	switch n := p.r.IntN(5); {
	case n == 0 && !p.same:
		return fmt.Sprintf("%s && %s", c, "(t & 5) != 1")
	case n == 1:
		return fmt.Sprintf("!(%s)", c)
	}
	return c
}
