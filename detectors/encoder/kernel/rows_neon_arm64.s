//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// What happens between the products, 16 numbers at a time: lanes 0 to 3 in the first of 4 registers, and so on.
// ·terms has the constants, 4 bytes each; its places are in portable.go. No product is fused with an addition.

// FOUR applies an instruction to 4 registers in a row, with another operand that is the same for all.
#define FOUR(OP, d, n, m) \
	OP(d, n, m)     \
	OP(d+1, n+1, m) \
	OP(d+2, n+2, m) \
	OP(d+3, n+3, m)

// EACH applies an instruction to 4 registers in a row, with 4 others.
#define EACH(OP, d, n, m) \
	OP(d, n, m)       \
	OP(d+1, n+1, m+1) \
	OP(d+2, n+2, m+2) \
	OP(d+3, n+3, m+3)

#define CONVERT(OP, d, n) \
	OP(d, n)     \
	OP(d+1, n+1) \
	OP(d+2, n+2) \
	OP(d+3, n+3)

// VECTORS loads what scale, add and gelu are called with; V28 has s in every lane.
#define VECTORS \
	MOVD  y_base+0(FP), R0       \
	MOVD  y_len+8(FP), R1        \
	MOVD  sums_base+24(FP), R2   \
	MOVD  weights_base+48(FP), R3 \
	FMOVS s+72(FP), F28          \
	MOVD  bias_base+80(FP), R4   \
	DUP(28, 28, 0)

// VALUES sets V0 to V3 to what 16 sums stand for.
#define VALUES \
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]   \
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]   \
	VLD1.P 64(R4), [V8.S4, V9.S4, V10.S4, V11.S4] \
	CONVERT(SCVTF, 0, 0)  \
	FOUR(FMUL, 4, 4, 28)  \
	EACH(FMUL, 0, 0, 4)   \
	EACH(FADD, 0, 0, 8)

// TREE adds the 16 lanes of 4 registers from a on into lane 0 of the first one.
#define TREE(a) \
	FADD(a, a, a+2)     \
	FADD(a+1, a+1, a+3) \
	FADD(a, a, a+1)     \
	EXT8(a+1, a)        \
	FADD(a, a, a+1)     \
	DUP(a+1, a, 1)      \
	FADD(a, a, a+1)

// CONSTANT loads a constant into all lanes.
#define CONSTANT(place, v) \
	ADD   $(4*place), R10, R11 \
	VLD1R (R11), [v.S4]

#define CLEAR4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16 \
	VEOR b.B16, b.B16, b.B16 \
	VEOR c.B16, c.B16, c.B16 \
	VEOR d.B16, d.B16, d.B16

// func scaleNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·scaleNEON(SB), NOSPLIT, $0-104
	VECTORS

loop:
	VALUES
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R1
	BNE    loop
	RET

// func addNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·addNEON(SB), NOSPLIT, $0-104
	VECTORS

loop:
	VALUES
	VLD1   (R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	EACH(FADD, 0, 0, 4)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R1
	BNE    loop
	RET

// TERM is a step of 4 polynomials: those from y on times those from x on, plus a constant.
#define TERM(y, x, term) \
	EACH(FMUL, y, y, x)    \
	FOUR(FADD, y, y, term)

// func geluNEON(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·geluNEON(SB), NOSPLIT, $0-104
	VECTORS
	MOVD $·terms(SB), R10
	CONSTANT(0, V16)
	CONSTANT(1, V17)
	CONSTANT(2, V18)
	CONSTANT(3, V19)
	CONSTANT(4, V20)
	CONSTANT(5, V21)
	CONSTANT(6, V22)
	CONSTANT(7, V23)
	CONSTANT(8, V24)
	CONSTANT(9, V25)
	CONSTANT(10, V26)
	CONSTANT(11, V27)

loop:
	VALUES
	FOUR(FMAX, 4, 0, 17)
	FOUR(FMIN, 4, 4, 16)
	EACH(FMUL, 8, 4, 4)
	VMOV   V27.B16, V12.B16
	VMOV   V27.B16, V13.B16
	VMOV   V27.B16, V14.B16
	VMOV   V27.B16, V15.B16
	TERM(12, 8, 26)
	TERM(12, 8, 25)
	TERM(12, 8, 24)
	TERM(12, 8, 23)
	TERM(12, 8, 22)
	TERM(12, 8, 21)
	TERM(12, 8, 20)
	TERM(12, 8, 19)
	TERM(12, 4, 18)
	EACH(FMUL, 0, 0, 12)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R1
	BNE    loop
	RET

// func peaksNEON(peaks, x []float32)
TEXT ·peaksNEON(SB), NOSPLIT, $0-48
	MOVD peaks_base+0(FP), R0
	MOVD peaks_len+8(FP), R1
	MOVD x_base+24(FP), R2
	MOVD x_len+32(FP), R3
	UDIV R1, R3, R3

parts:
	MOVD R3, R4
	CLEAR4(V0, V1, V2, V3)

loop:
	VLD1.P 64(R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	CONVERT(FABS, 4, 4)
	EACH(FMAX, 0, 0, 4)
	SUBS   $16, R4
	BNE    loop
	FMAX(0, 0, 2)
	FMAX(1, 1, 3)
	FMAX(0, 0, 1)
	FMAXV(0, 0)
	FMOVS  F0, (R0)
	ADD    $4, R0
	SUBS   $1, R1
	BNE    parts
	RET

// func quantizeNEON(q []int16, x, peaks []float32, most float32)
TEXT ·quantizeNEON(SB), NOSPLIT, $0-76
	MOVD  q_base+0(FP), R0
	MOVD  x_base+24(FP), R2
	MOVD  x_len+32(FP), R3
	MOVD  peaks_base+48(FP), R5
	MOVD  peaks_len+56(FP), R1
	FMOVS most+72(FP), F16
	DUP(16, 16, 0)
	MOVD  $·terms(SB), R10
	CONSTANT(22, V17)
	UDIV  R1, R3, R3

parts:
	MOVD  R3, R4
	VLD1R (R5), [V18.S4]
	ADD   $4, R5
	FDIV(19, 16, 18)
	FCMGT(18, 18, 17)      // the peak is more than tiny
	AND(19, 19, 18)

loop:
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	FOUR(FMUL, 0, 0, 19)
	CONVERT(FCVTNS, 0, 0)
	SQXTN(4, 0)
	SQXTN2(4, 1)
	SQXTN(5, 2)
	SQXTN2(5, 3)
	VST1.P [V4.H8, V5.H8], 32(R0)
	SUBS   $16, R4
	BNE    loop
	SUBS   $1, R1
	BNE    parts
	RET

// func normNEON(x, gain, shift []float32)
TEXT ·normNEON(SB), NOSPLIT, $0-72
	MOVD   x_base+0(FP), R0
	MOVD   x_len+8(FP), R1
	MOVD   gain_base+24(FP), R2
	MOVD   shift_base+48(FP), R3
	SCVTFS R1, F24
	DUP(24, 24, 0)
	MOVD   $·terms(SB), R10
	CONSTANT(20, V25)
	CONSTANT(21, V26)
	CLEAR4(V0, V1, V2, V3)
	MOVD   R0, R4
	MOVD   R1, R5

sum:
	VLD1.P 64(R4), [V4.S4, V5.S4, V6.S4, V7.S4]
	EACH(FADD, 0, 0, 4)
	SUBS   $16, R5
	BNE    sum
	TREE(0)
	FDIV(0, 0, 24)
	DUP(16, 0, 0)
	CLEAR4(V0, V1, V2, V3)
	MOVD   R0, R4
	MOVD   R1, R5

squares:
	VLD1   (R4), [V4.S4, V5.S4, V6.S4, V7.S4]
	FOUR(FSUB, 4, 4, 16)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R4)
	EACH(FMUL, 4, 4, 4)
	EACH(FADD, 0, 0, 4)
	SUBS   $16, R5
	BNE    squares
	TREE(0)
	FDIV(0, 0, 24)
	FADD(0, 0, 26)
	FSQRT(0, 0)
	FDIV(0, 25, 0)
	DUP(16, 0, 0)

apply:
	VLD1   (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R3), [V8.S4, V9.S4, V10.S4, V11.S4]
	FOUR(FMUL, 0, 0, 16)
	EACH(FMUL, 0, 0, 4)
	EACH(FADD, 0, 0, 8)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R1
	BNE    apply
	RET

// func dotNEON(x, y []float32) float32
TEXT ·dotNEON(SB), NOSPLIT, $0-52
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R1
	MOVD y_base+24(FP), R2
	CLEAR4(V0, V1, V2, V3)

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R2), [V8.S4, V9.S4, V10.S4, V11.S4]
	EACH(FMUL, 4, 4, 8)
	EACH(FADD, 0, 0, 4)
	SUBS   $16, R1
	BNE    loop
	TREE(0)
	FMOVS  F0, ret+48(FP)
	RET

DATA ·places+0(SB)/4, $0
DATA ·places+4(SB)/4, $1
DATA ·places+8(SB)/4, $2
DATA ·places+12(SB)/4, $3
DATA ·places+16(SB)/4, $4
DATA ·places+20(SB)/4, $5
DATA ·places+24(SB)/4, $6
DATA ·places+28(SB)/4, $7
DATA ·places+32(SB)/4, $8
DATA ·places+36(SB)/4, $9
DATA ·places+40(SB)/4, $10
DATA ·places+44(SB)/4, $11
DATA ·places+48(SB)/4, $12
DATA ·places+52(SB)/4, $13
DATA ·places+56(SB)/4, $14
DATA ·places+60(SB)/4, $15
GLOBL ·places(SB), RODATA, $64

// func exponentsNEON(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)
//
// V20 to V23 have the places of the lanes, V24 their number, V25 16, V8 to V11 ones where a place is there.
TEXT ·exponentsNEON(SB), NOSPLIT, $0-120
	MOVD  e_base+0(FP), R0
	MOVD  e_len+8(FP), R1
	MOVD  sums_base+24(FP), R2
	MOVD  keys_base+48(FP), R3
	MOVD  values_base+72(FP), R4
	MOVD  n+96(FP), R5
	FMOVS s+104(FP), F28
	DUP(28, 28, 0)
	VDUP  R5, V24.S4
	MOVD  $16, R5
	VDUP  R5, V25.S4
	MOVD  $·places(SB), R12
	VLD1  (R12), [V20.S4, V21.S4, V22.S4, V23.S4]
	MOVD  $·terms(SB), R10
	CONSTANT(19, V26)
	VMOV  V26.B16, V16.B16
	VMOV  V26.B16, V17.B16
	VMOV  V26.B16, V18.B16
	VMOV  V26.B16, V19.B16
	MOVD  R0, R6
	MOVD  R1, R7

scores:
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	CONVERT(SCVTF, 0, 0)
	FOUR(FMUL, 4, 4, 28)
	EACH(FMUL, 0, 0, 4)
	CMGT(8, 24, 20)
	CMGT(9, 24, 21)
	CMGT(10, 24, 22)
	CMGT(11, 24, 23)
	FOUR(ADD4, 20, 20, 25)
	FOUR(BSL, 8, 0, 26)
	EACH(FMAX, 16, 16, 8)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R6)
	SUBS   $16, R7
	BNE    scores
	FMAX(16, 16, 18)
	FMAX(17, 17, 19)
	FMAX(16, 16, 17)
	FMAXV(16, 16)
	DUP(31, 16, 0)

	// V31 has the largest score, V30 the least exponent, V29 what rounds, V16 to V19 and V26 to V28 other things:
	// totals, the terms of 2^x are in V27, V28, V26, V15 and V14.
	CONSTANT(17, V30)
	CONSTANT(18, V29)
	CONSTANT(16, V14)
	CONSTANT(15, V15)
	CONSTANT(14, V26)
	CONSTANT(13, V27)
	CONSTANT(12, V28)
	VLD1 (R12), [V20.S4, V21.S4, V22.S4, V23.S4]
	CLEAR4(V16, V17, V18, V19)
	VEOR V13.B16, V13.B16, V13.B16
	MOVD R0, R6

powers:
	VLD1 (R6), [V0.S4, V1.S4, V2.S4, V3.S4]
	FOUR(FSUB, 0, 0, 31)
	FOUR(FMAX, 0, 0, 30)
	FOUR(FADD, 4, 0, 29)      // whole
	FOUR(FSUB, 8, 4, 29)
	EACH(FSUB, 0, 0, 8)       // f
	FOUR(SHL4, 4, 4, 23)
	VMOV V14.B16, V8.B16
	VMOV V14.B16, V9.B16
	VMOV V14.B16, V10.B16
	VMOV V14.B16, V11.B16
	TERM(8, 0, 15)
	TERM(8, 0, 26)
	TERM(8, 0, 27)
	TERM(8, 0, 28)
	EACH(ADD4, 8, 8, 4)
	CMGT(4, 24, 20)
	CMGT(5, 24, 21)
	CMGT(6, 24, 22)
	CMGT(7, 24, 23)
	FOUR(ADD4, 20, 20, 25)
	EACH(AND, 8, 8, 4)
	EACH(FADD, 16, 16, 8)
	VLD1.P 64(R4), [V0.S4, V1.S4, V2.S4, V3.S4]
	EACH(FMUL, 8, 8, 0)
	EACH(AND, 8, 8, 4)
	FMAX(13, 13, 8)
	FMAX(13, 13, 9)
	FMAX(13, 13, 10)
	FMAX(13, 13, 11)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R6)
	SUBS $16, R1
	BNE  powers
	TREE(16)
	FMOVS F16, total+112(FP)
	FMAXV(13, 13)
	FMOVS F13, peak+116(FP)
	RET
