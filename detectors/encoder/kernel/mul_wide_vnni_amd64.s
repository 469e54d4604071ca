//go:build !purego

#include "textflag.h"

// A wide tile is 1 to 6 rows of A times one panel of columns after the other. VPDPWSSD multiplies 16 bits by 16 bits
// and adds two products to each sum: half a group of a column. A row has two vectors of sums, for 8 columns each.
//
//	DX, R9   rows 0 and 3 of A    R8   bytes from a row of A to the next
//	DI       a row of sums        SI   bytes from a row of sums to the next
//	BX       panel                R10  bytes from a panel to the next
//	R11      bytes of a row of A  R12  panels
//	R14      weights              CX   groups left

// WIDEROW multiplies 4 numbers of a row by the weights of 16 columns.
#define WIDEROW(numbers, sum0, sum1) \
	VPBROADCASTQ numbers, Z26       \
	VPDPWSSD     Z24, Z26, sum0     \
	VPDPWSSD     Z25, Z26, sum1

#define WIDEROWS1 WIDEROW((DX), Z0, Z1)
#define WIDEROWS2 WIDEROWS1 \
	WIDEROW((DX)(R8*1), Z2, Z3)
#define WIDEROWS3 WIDEROWS2 \
	WIDEROW((DX)(R8*2), Z4, Z5)
#define WIDEROWS4 WIDEROWS3 \
	WIDEROW((R9), Z6, Z7)
#define WIDEROWS5 WIDEROWS4 \
	WIDEROW((R9)(R8*1), Z8, Z9)
#define WIDEROWS6 WIDEROWS5 \
	WIDEROW((R9)(R8*2), Z10, Z11)

#define CLEAR1 \
	VPXORQ Z0, Z0, Z0 \
	VPXORQ Z1, Z1, Z1

#define CLEAR2 CLEAR1 \
	VPXORQ Z2, Z2, Z2 \
	VPXORQ Z3, Z3, Z3
#define CLEAR3 CLEAR2 \
	VPXORQ Z4, Z4, Z4 \
	VPXORQ Z5, Z5, Z5
#define CLEAR4 CLEAR3 \
	VPXORQ Z6, Z6, Z6 \
	VPXORQ Z7, Z7, Z7
#define CLEAR5 CLEAR4 \
	VPXORQ Z8, Z8, Z8 \
	VPXORQ Z9, Z9, Z9
#define CLEAR6 CLEAR5 \
	VPXORQ Z10, Z10, Z10 \
	VPXORQ Z11, Z11, Z11

// WIDESTORE adds the two sums of each column, and stores them. Z27 has the order in which pairs of them are.
#define WIDESTORE(sum0, sum1) \
	VSHUFPS   $0x88, sum1, sum0, Z24 \
	VSHUFPS   $0xDD, sum1, sum0, Z25 \
	VPADDD    Z25, Z24, Z24          \
	VPERMQ    Z24, Z27, Z24          \
	VMOVDQU32 Z24, (AX)

#define WIDESTORE1 WIDESTORE(Z0, Z1)
#define WIDESTORE2 WIDESTORE1 \
	ADDQ SI, AX \
	WIDESTORE(Z2, Z3)
#define WIDESTORE3 WIDESTORE2 \
	ADDQ SI, AX \
	WIDESTORE(Z4, Z5)
#define WIDESTORE4 WIDESTORE3 \
	ADDQ SI, AX \
	WIDESTORE(Z6, Z7)
#define WIDESTORE5 WIDESTORE4 \
	ADDQ SI, AX \
	WIDESTORE(Z8, Z9)
#define WIDESTORE6 WIDESTORE5 \
	ADDQ SI, AX \
	WIDESTORE(Z10, Z11)

DATA ·pairs+0(SB)/8, $0
DATA ·pairs+8(SB)/8, $2
DATA ·pairs+16(SB)/8, $4
DATA ·pairs+24(SB)/8, $6
DATA ·pairs+32(SB)/8, $1
DATA ·pairs+40(SB)/8, $3
DATA ·pairs+48(SB)/8, $5
DATA ·pairs+56(SB)/8, $7
GLOBL ·pairs(SB), RODATA, $64

#define WIDETILE(CLEAR, ROWS, STORES) \
	MOVQ      sums+0(FP), DI     \
	MOVQ      sumStep+8(FP), SI  \
	MOVQ      a+16(FP), DX       \
	MOVQ      aStep+24(FP), R8   \
	MOVQ      b+32(FP), BX       \
	MOVQ      stride+40(FP), R10 \
	MOVQ      depth+48(FP), R11  \
	MOVQ      panels+56(FP), R12 \
	VMOVDQU64 ·pairs(SB), Z27    \
	ADDQ      R11, R11           \
	LEAQ      (R8)(R8*2), R9     \
	ADDQ      DX, R9             \
panel:                           \
	CLEAR                        \
	MOVQ      BX, R14            \
	MOVQ      R11, CX            \
	SHRQ      $3, CX             \
groups:                          \
	VPMOVSXBW (R14), Z24         \
	VPMOVSXBW 32(R14), Z25       \
	ROWS                         \
	ADDQ      $64, R14           \
	ADDQ      $8, DX             \
	ADDQ      $8, R9             \
	DECQ      CX                 \
	JNZ       groups             \
	MOVQ      DI, AX             \
	STORES                       \
	SUBQ      R11, DX            \
	SUBQ      R11, R9            \
	ADDQ      $64, DI            \
	ADDQ      R10, BX            \
	DECQ      R12                \
	JNZ       panel              \
	VZEROUPPER                   \
	RET

// func vnniWide1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide1(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR1, WIDEROWS1, WIDESTORE1)

// func vnniWide2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide2(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR2, WIDEROWS2, WIDESTORE2)

// func vnniWide3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide3(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR3, WIDEROWS3, WIDESTORE3)

// func vnniWide4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide4(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR4, WIDEROWS4, WIDESTORE4)

// func vnniWide5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide5(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR5, WIDEROWS5, WIDESTORE5)

// func vnniWide6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnniWide6(SB), NOSPLIT, $0-64
	WIDETILE(CLEAR6, WIDEROWS6, WIDESTORE6)
