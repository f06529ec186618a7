package hostcode

// loadLanes emits a routine that loads the lanes' data. Loads of less than a word read a word, and those of three words
// read four: there is memory behind what belongs to an allocation, and to a workgroup.
func (e routineEmitter) loadLanes(a access) {
	switch {
	case a.size > 8:
		e.loadFour(a.size / 4)
		return
	case a.size == 8:
		e.loadTwo()
		return
	}
	if !e.some && a.half == whole {
		e.loadNeighbours(a)
	}
	const x, ones = 4, 5
	for c := range groupSize {
		e.vex(vMovLoad, c, 0, e.free(c))
		e.vex(vEqual8, ones, ones, register(ones))
		e.gather(x, c, ones, rm{inRSI, 0})
		e.narrow(a, x, c)
		e.put(x, 0, c)
	}
	e.byte(0xc3)
}

// put stores lanes 8c to 8c+7 of the k-th register at rdi. It uses register 15.
func (e routineEmitter) put(r, k, c int) {
	to := rm{inRDI, 128*k + 32*c}
	if e.some {
		e.vex(vMovLoad, 15, 0, e.mask(c))
		e.vex(vBlend, r, r, to, 15<<4)
	}
	e.vex(vMovStore, r, 0, to)
}

// narrow makes what a load puts into a register of the words that begin with its bytes. It uses register 15.
func (e routineEmitter) narrow(a access, x, c int) {
	if a.size == 4 {
		return
	}
	shift := byte(32 - 8*a.size)
	e.vex(vShift8, leftBy, x, register(x), shift)
	right := rightBy
	if a.signed {
		right = arithmeticBy
	}
	keep := uint32(0xffff0000)
	switch a.half {
	case whole:
		e.vex(vShift8, right, x, register(x), shift)
		return
	case lowerHalf:
		e.vex(vShift8, right, x, register(x), shift)
		e.vex(vAnd, x, x, e.same(0xffff))
	case upperHalf:
		keep = 0xffff
		if shift > 16 {
			e.vex(vShift8, right, x, register(x), shift-16)
		}
		e.vex(vAnd, x, x, e.same(0xffff0000))
	}
	e.vex(vMovLoad, 15, 0, e.same(keep))
	e.vex(vAnd, 15, 15, rm{inRDI, 32 * c})
	e.vex(vOr, x, x, register(15))
}

// neighbours jumps ahead if the lanes of eight are not at addresses that follow each other, for some of the eights.
func (e routineEmitter) neighbours(size int) (otherwise int) {
	const first = 4
	for c := range groupSize {
		e.vex(vMovLoad, c, 0, e.free(c))
		e.vex(vSpread, first, 0, e.free(c))
		e.vex(vSub8, c, c, register(first))
		e.vex(vXor, c, c, e.words(func(i int) uint32 { return uint32(size * i) }))
		if c > 0 {
			e.vex(vOr, 0, 0, register(c))
		}
	}
	e.vex(vTest, 0, 0, register(0))
	return e.ahead(ifNotZero)
}

var extensions = map[access]vop{{size: 1}: {0x31, 1, 2, 0}, {size: 1, signed: true}: {0x21, 1, 2, 0},
	{size: 2}: {0x33, 1, 2, 0}, {size: 2, signed: true}: {0x23, 1, 2, 0}, {size: 4}: vMovLoad}

// loadNeighbours loads whole registers where it can, and returns.
func (e routineEmitter) loadNeighbours(a access) {
	otherwise := e.neighbours(a.size)
	for c := range groupSize {
		e.alu(false, rax, e.free(c), opLoad)
		e.vex(extensions[a], 0, 0, rm{inRSIRAX, 0})
		e.vex(vMovStore, 0, 0, rm{inRDI, 32 * c})
	}
	e.byte(0xc3)
	e.patch(otherwise)
}

// loadTwo loads two registers.
func (e routineEmitter) loadTwo() {
	for c := range groupSize {
		for k := range 4 { // lanes 2k and 2k+1 of eight
			e.alu(false, rax, e.lane32(c, 2*k), opLoad)
			e.vexHalf(vTwo, k, 0, rm{inRSIRAX, 0})
			e.alu(false, rax, e.lane32(c, 2*k+1), opLoad)
			e.vexHalf(vUpper, k, k, rm{inRSIRAX, 0})
		}
		e.vex(vInsert, 0, 0, register(2), 1)
		e.vex(vInsert, 1, 1, register(3), 1)
		e.vex(vShuffle, 4, 0, register(1), 0x88)
		e.vex(vShuffle, 5, 0, register(1), 0xdd)
		e.put(4, 0, c)
		e.put(5, 1, c)
	}
	e.byte(0xc3)
}

// lane32 is where Free has the number of lane 8c+i.
func (e routineEmitter) lane32(c, i int) rm { return wave(e.at.Free + 32*c + 4*i) }

// loadFour loads three or four registers.
func (e routineEmitter) loadFour(words int) {
	for c := range groupSize {
		for k := range 4 { // lanes k and k+4
			e.alu(false, rax, e.lane32(c, k), opLoad)
			e.vexHalf(vMovLoad, k, 0, rm{inRSIRAX, 0})
			e.alu(false, rax, e.lane32(c, k+4), opLoad)
			e.vex(vInsert, k, k, rm{inRSIRAX, 0}, 1)
		}
		e.transpose()
		for k := range words {
			e.put(k, k, c)
		}
	}
	e.byte(0xc3)
}

// transpose makes of registers 0 to 3, of which each has four words of two lanes, those that have one word of eight
// lanes, and the other way round. It uses registers 4 to 7.
func (e routineEmitter) transpose() {
	e.vex(vLow, 4, 0, register(1))
	e.vex(vHigh, 5, 0, register(1))
	e.vex(vLow, 6, 2, register(3))
	e.vex(vHigh, 7, 2, register(3))
	e.vex(vLow4, 0, 4, register(6))
	e.vex(vHigh4, 1, 4, register(6))
	e.vex(vLow4, 2, 5, register(7))
	e.vex(vHigh4, 3, 5, register(7))
}
