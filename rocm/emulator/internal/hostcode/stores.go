package hostcode

// storeLanes emits a routine that stores the lanes' data, one lane after another, so that of several at an address the
// last stays. What another core sees of a lane's 64 bits is all of them or nothing.
func (e routineEmitter) storeLanes(a access) {
	switch {
	case e.some || a.size == 12:
		e.storeActive(a)
	case a.size == 16:
		e.storeFour()
	case a.size == 8:
		e.storeTwo()
	default:
		if a.size == 4 {
			e.storeNeighbours()
		}
		for i := range groupSize * 8 {
			e.alu(false, rax, wave(e.at.Free+4*i), opLoad)
			e.alu(false, rcx, rm{inRDI, 4*i + upper(a)}, opLoad)
			e.storeNarrow(a)
		}
		e.byte(0xc3)
	}
}

// upper is where in a register the data of an access begin.
func upper(a access) int {
	if a.half == upperHalf {
		return 2
	}
	return 0
}

// storeNarrow stores as many bytes of rcx, up to four.
func (e routineEmitter) storeNarrow(a access) {
	switch a.size {
	case 1:
		e.alu(false, rcx, rm{inRSIRAX, 0}, opStoreByte)
	case 2:
		e.alu(false, rcx, rm{inRSIRAX, 0}, 0x66, opStore)
	default:
		e.alu(false, rcx, rm{inRSIRAX, 0}, opStore)
	}
}

// storeActive stores the data of the active lanes in a loop.
func (e routineEmitter) storeActive(a access) {
	if e.some {
		e.alu(false, rdx, e.s(e.at.Exec), opLoad)
	} else {
		e.number(rdx, 1<<32-1)
	}
	again := len(e.code)
	e.byte(0xf3)
	e.alu(false, rcx, register(rdx), 0x0f, 0xbc) // tzcnt
	e.alu(false, rax, rm{inWaveRCX, e.at.Free}, opLoad)
	word := func(k int) rm { return rm{inRDIRCX, 128 * k} }
	if a.size <= 4 {
		e.alu(false, rcx, rm{inRDIRCX, upper(a)}, opLoad)
		e.storeNarrow(a)
	} else {
		e.vexHalf(vWord, 0, 0, word(0))
		for k := 1; k < a.size/4; k++ {
			e.vexHalf(vPut, 0, 0, word(k), byte(k))
		}
		switch a.size {
		case 8:
			e.vexHalf(vTwoStore, 0, 0, rm{inRSIRAX, 0})
		case 12:
			e.vexHalf(vTwoStore, 0, 0, rm{inRSIRAX, 0})
			e.vexHalf(vTake, 0, 0, rm{inRSIRAX, 8}, 2)
		case 16:
			e.vexHalf(vMovStore, 0, 0, rm{inRSIRAX, 0})
		}
	}
	e.vexHalf(vLowest, 1, rdx, register(rdx)) // without the lowest bit
	e.back(ifNotZero, again)
	e.byte(0xc3)
}

// storeNeighbours stores whole registers where it can, and returns.
func (e routineEmitter) storeNeighbours() {
	otherwise := e.neighbours(4)
	for c := range groupSize {
		e.alu(false, rax, e.free(c), opLoad)
		e.vex(vMovLoad, 0, 0, rm{inRDI, 32 * c})
		e.vex(vMovStore, 0, 0, rm{inRSIRAX, 0})
	}
	e.byte(0xc3)
	e.patch(otherwise)
}

func (e routineEmitter) storeTwo() {
	for c := range groupSize {
		e.vex(vMovLoad, 0, 0, rm{inRDI, 32 * c})
		e.vex(vMovLoad, 1, 0, rm{inRDI, 128 + 32*c})
		e.vex(vLow, 2, 0, register(1))  // lanes 0 1, 4 5
		e.vex(vHigh, 3, 0, register(1)) // lanes 2 3, 6 7
		for i := range 8 {
			r := 2 + i>>1&1
			if i == 4 {
				e.vex(vExtract, 2, 0, register(2), 1)
				e.vex(vExtract, 3, 0, register(3), 1)
			}
			e.alu(false, rax, e.lane32(c, i), opLoad)
			o := vTwoStore
			if i&1 != 0 {
				o = vUpperOut
			}
			e.vexHalf(o, r, 0, rm{inRSIRAX, 0})
		}
	}
	e.byte(0xc3)
}

func (e routineEmitter) storeFour() {
	for c := range groupSize {
		for k := range 4 {
			e.vex(vMovLoad, k, 0, rm{inRDI, 128*k + 32*c})
		}
		e.transpose()
		for i := range 8 {
			e.alu(false, rax, e.lane32(c, i), opLoad)
			if i < 4 {
				e.vexHalf(vMovStore, i, 0, rm{inRSIRAX, 0})
			} else {
				e.vex(vExtract, i-4, 0, rm{inRSIRAX, 0}, 1)
			}
		}
	}
	e.byte(0xc3)
}
