//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// A tile is 1 to 4 rows of A times one panel of columns after the other. Its sums stay in V0 to V15, 4 registers
// for the 16 columns of a row. 16 numbers of a row are narrowed to bytes at a time, which is enough for 4 groups;
// SDOT multiplies a group of a row with the weights of 4 columns.
//
//	R0  sums                R1   bytes from a row of sums to the next
//	R2  A                   R3   bytes from a row of A to the next
//	R4  panel               R5   bytes from a panel to the next
//	R6  numbers of a row    R7   panels
//	R8  weights             R9   fours of groups left
//	R10 to R13  rows of A   R14  a row of sums

// NUMBERS narrows 16 numbers of a row to the bytes of register d.
#define NUMBERS(row, d) \
	VLD1.P 32(row), [V24.H8, V25.H8] \
	UZP1(d, 24, 25)

// WEIGHTS loads a group of 16 columns.
#define WEIGHTS VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]

// ROW multiplies a group of a row; its sums begin at register d.
#define ROW(d, numbers, i) \
	SDOT(d, 16, numbers, i)   \
	SDOT(d+1, 17, numbers, i) \
	SDOT(d+2, 18, numbers, i) \
	SDOT(d+3, 19, numbers, i)

#define ROW1(i) ROW(0, 20, i)
#define ROW2(i) ROW1(i) \
	ROW(4, 21, i)
#define ROW3(i) ROW2(i) \
	ROW(8, 22, i)
#define ROW4(i) ROW3(i) \
	ROW(12, 23, i)

#define LOAD1 NUMBERS(R10, 20)
#define LOAD2 LOAD1 \
	NUMBERS(R11, 21)
#define LOAD3 LOAD2 \
	NUMBERS(R12, 22)
#define LOAD4 LOAD3 \
	NUMBERS(R13, 23)

#define CLEAR(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16 \
	VEOR b.B16, b.B16, b.B16 \
	VEOR c.B16, c.B16, c.B16 \
	VEOR d.B16, d.B16, d.B16
#define CLEAR1 CLEAR(V0, V1, V2, V3)
#define CLEAR2 CLEAR1 \
	CLEAR(V4, V5, V6, V7)
#define CLEAR3 CLEAR2 \
	CLEAR(V8, V9, V10, V11)
#define CLEAR4 CLEAR3 \
	CLEAR(V12, V13, V14, V15)

#define STORE1 \
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
#define STORE2 STORE1 \
	ADD  R1, R0, R14                          \
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R14)
#define STORE3 STORE2 \
	ADD  R1, R14                              \
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R14)
#define STORE4 STORE3 \
	ADD  R1, R14                              \
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R14)

#define ARGUMENTS \
	MOVD sums+0(FP), R0     \
	MOVD sumStep+8(FP), R1  \
	MOVD a+16(FP), R2       \
	MOVD aStep+24(FP), R3   \
	MOVD b+32(FP), R4       \
	MOVD stride+40(FP), R5  \
	MOVD depth+48(FP), R6   \
	MOVD panels+56(FP), R7

#define TILE(CLEARS, LOADS, ROWS, STORES) \
	ARGUMENTS               \
panel:                    \
	MOVD R4, R8             \
	MOVD R2, R10            \
	ADD  R3, R10, R11       \
	ADD  R3, R11, R12       \
	ADD  R3, R12, R13       \
	LSR  $4, R6, R9         \
	CLEARS                  \
groups:                   \
	LOADS                   \
	WEIGHTS                 \
	ROWS(0)                 \
	WEIGHTS                 \
	ROWS(1)                 \
	WEIGHTS                 \
	ROWS(2)                 \
	WEIGHTS                 \
	ROWS(3)                 \
	SUBS $1, R9             \
	BNE  groups             \
	STORES                  \
	ADD  $64, R0            \
	ADD  R5, R4             \
	SUBS $1, R7             \
	BNE  panel              \
	RET

// func tile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile1(SB), NOSPLIT, $0-64
	TILE(CLEAR1, LOAD1, ROW1, STORE1)

// func tile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile2(SB), NOSPLIT, $0-64
	TILE(CLEAR2, LOAD2, ROW2, STORE2)

// func tile3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile3(SB), NOSPLIT, $0-64
	TILE(CLEAR3, LOAD3, ROW3, STORE3)

// func tile4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·tile4(SB), NOSPLIT, $0-64
	TILE(CLEAR4, LOAD4, ROW4, STORE4)

// A wide number is 128 x its upper 7 bits + its lower 7 bits. Each half has sums of its own: V0 to V3 and V4 to V7
// for the lower halves of two rows, V8 to V11 and V12 to V15 for the upper ones. V26 has 127 in every byte.

// HALVES divides 16 numbers of a row: their lower halves go to register low, the upper ones to register high.
#define HALVES(row, low, high) \
	VLD1.P 32(row), [V24.H8, V25.H8] \
	UZP1(low, 24, 25)                \
	AND(low, low, 26)                \
	USHR8(24, 24, 7)                 \
	USHR8(25, 25, 7)                 \
	UZP1(high, 24, 25)

#define WIDEROW1(i) \
	ROW(0, 20, i) \
	ROW(8, 22, i)
#define WIDEROW2(i) WIDEROW1(i) \
	ROW(4, 21, i)  \
	ROW(12, 23, i)

#define WIDELOAD1 HALVES(R10, 20, 22)
#define WIDELOAD2 WIDELOAD1 \
	HALVES(R11, 21, 23)

// JOIN adds the sums of upper halves to those of lower ones.
#define JOIN(d, high) \
	SHL4(high, high, 7) \
	ADD4(d, d, high)
#define JOIN1 \
	JOIN(0, 8)  \
	JOIN(1, 9)  \
	JOIN(2, 10) \
	JOIN(3, 11)
#define WIDESTORE1 JOIN1 \
	STORE1
#define WIDESTORE2 JOIN1 \
	JOIN(4, 12) \
	JOIN(5, 13) \
	JOIN(6, 14) \
	JOIN(7, 15) \
	STORE2

// func wideTile1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·wideTile1(SB), NOSPLIT, $0-64
	VMOVI $127, V26.B16
	TILE(CLEAR4, WIDELOAD1, WIDEROW1, WIDESTORE1)

// func wideTile2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·wideTile2(SB), NOSPLIT, $0-64
	VMOVI $127, V26.B16
	TILE(CLEAR4, WIDELOAD2, WIDEROW2, WIDESTORE2)
