//go:build !purego

#include "textflag.h"
#include "funcdata.h"

// A tile is 1 to 18 rows of A times one panel of columns after the other. A group of a panel, 4 numbers of 16
// columns, is a vector, and the 16 sums of a row are one. VPDPBUSD multiplies bytes without a sign by bytes with one
// and adds four products to each sum, exactly: it gets the weights + 128, and the sums begin at -128 x the numbers of
// the row.
//
// Rows are packed first, 512 numbers of each at a time: their narrow integers as bytes, 16 numbers of the first row,
// then 16 of the second, and so on. This memory is on the stack, and behind it is what the sums begin at.
//
//	DX   rows of A                R8   bytes from a row of A to the next
//	DI   a row of sums            SI   bytes from a row of sums to the next
//	BX   panel                    R10  bytes from a panel to the next
//	R11  numbers of a row left    R12  panels left
//	R9   numbers of a row that are packed
//	AX   packed numbers           R14  weights
//	K1   whether the sums of earlier numbers are in memory
#define PACKED 0
#define BEGINS (18*512)

// ROWS multiplies a group of every row by the weights in Z30.
#define ROWS1(at) \
	VPDPBUSD.BCST 0+at(AX), Z30, Z0
#define ROWS2(at) ROWS1(at) \
	VPDPBUSD.BCST 16+at(AX), Z30, Z1
#define ROWS3(at) ROWS2(at) \
	VPDPBUSD.BCST 32+at(AX), Z30, Z2
#define ROWS4(at) ROWS3(at) \
	VPDPBUSD.BCST 48+at(AX), Z30, Z3
#define ROWS5(at) ROWS4(at) \
	VPDPBUSD.BCST 64+at(AX), Z30, Z4
#define ROWS6(at) ROWS5(at) \
	VPDPBUSD.BCST 80+at(AX), Z30, Z5
#define ROWS7(at) ROWS6(at) \
	VPDPBUSD.BCST 96+at(AX), Z30, Z6
#define ROWS8(at) ROWS7(at) \
	VPDPBUSD.BCST 112+at(AX), Z30, Z7
#define ROWS9(at) ROWS8(at) \
	VPDPBUSD.BCST 128+at(AX), Z30, Z8
#define ROWS10(at) ROWS9(at) \
	VPDPBUSD.BCST 144+at(AX), Z30, Z9
#define ROWS11(at) ROWS10(at) \
	VPDPBUSD.BCST 160+at(AX), Z30, Z10
#define ROWS12(at) ROWS11(at) \
	VPDPBUSD.BCST 176+at(AX), Z30, Z11
#define ROWS13(at) ROWS12(at) \
	VPDPBUSD.BCST 192+at(AX), Z30, Z12
#define ROWS14(at) ROWS13(at) \
	VPDPBUSD.BCST 208+at(AX), Z30, Z13
#define ROWS15(at) ROWS14(at) \
	VPDPBUSD.BCST 224+at(AX), Z30, Z14
#define ROWS16(at) ROWS15(at) \
	VPDPBUSD.BCST 240+at(AX), Z30, Z15
#define ROWS17(at) ROWS16(at) \
	VPDPBUSD.BCST 256+at(AX), Z30, Z16
#define ROWS18(at) ROWS17(at) \
	VPDPBUSD.BCST 272+at(AX), Z30, Z17

// BEGIN sets the sums to what they begin at.
#define BEGIN1 \
	VPBROADCASTD BEGINS+0(SP), Z0
#define BEGIN2 BEGIN1 \
	VPBROADCASTD BEGINS+4(SP), Z1
#define BEGIN3 BEGIN2 \
	VPBROADCASTD BEGINS+8(SP), Z2
#define BEGIN4 BEGIN3 \
	VPBROADCASTD BEGINS+12(SP), Z3
#define BEGIN5 BEGIN4 \
	VPBROADCASTD BEGINS+16(SP), Z4
#define BEGIN6 BEGIN5 \
	VPBROADCASTD BEGINS+20(SP), Z5
#define BEGIN7 BEGIN6 \
	VPBROADCASTD BEGINS+24(SP), Z6
#define BEGIN8 BEGIN7 \
	VPBROADCASTD BEGINS+28(SP), Z7
#define BEGIN9 BEGIN8 \
	VPBROADCASTD BEGINS+32(SP), Z8
#define BEGIN10 BEGIN9 \
	VPBROADCASTD BEGINS+36(SP), Z9
#define BEGIN11 BEGIN10 \
	VPBROADCASTD BEGINS+40(SP), Z10
#define BEGIN12 BEGIN11 \
	VPBROADCASTD BEGINS+44(SP), Z11
#define BEGIN13 BEGIN12 \
	VPBROADCASTD BEGINS+48(SP), Z12
#define BEGIN14 BEGIN13 \
	VPBROADCASTD BEGINS+52(SP), Z13
#define BEGIN15 BEGIN14 \
	VPBROADCASTD BEGINS+56(SP), Z14
#define BEGIN16 BEGIN15 \
	VPBROADCASTD BEGINS+60(SP), Z15
#define BEGIN17 BEGIN16 \
	VPBROADCASTD BEGINS+64(SP), Z16
#define BEGIN18 BEGIN17 \
	VPBROADCASTD BEGINS+68(SP), Z17

// STORE adds the sums to those of earlier numbers, if there are any, and stores them.
#define STORE1 \
	VPADDD (AX), Z0, K1, Z0 \
	VMOVDQU32 Z0, (AX)
#define STORE2 STORE1 \
	ADDQ SI, AX \
	VPADDD (AX), Z1, K1, Z1 \
	VMOVDQU32 Z1, (AX)
#define STORE3 STORE2 \
	ADDQ SI, AX \
	VPADDD (AX), Z2, K1, Z2 \
	VMOVDQU32 Z2, (AX)
#define STORE4 STORE3 \
	ADDQ SI, AX \
	VPADDD (AX), Z3, K1, Z3 \
	VMOVDQU32 Z3, (AX)
#define STORE5 STORE4 \
	ADDQ SI, AX \
	VPADDD (AX), Z4, K1, Z4 \
	VMOVDQU32 Z4, (AX)
#define STORE6 STORE5 \
	ADDQ SI, AX \
	VPADDD (AX), Z5, K1, Z5 \
	VMOVDQU32 Z5, (AX)
#define STORE7 STORE6 \
	ADDQ SI, AX \
	VPADDD (AX), Z6, K1, Z6 \
	VMOVDQU32 Z6, (AX)
#define STORE8 STORE7 \
	ADDQ SI, AX \
	VPADDD (AX), Z7, K1, Z7 \
	VMOVDQU32 Z7, (AX)
#define STORE9 STORE8 \
	ADDQ SI, AX \
	VPADDD (AX), Z8, K1, Z8 \
	VMOVDQU32 Z8, (AX)
#define STORE10 STORE9 \
	ADDQ SI, AX \
	VPADDD (AX), Z9, K1, Z9 \
	VMOVDQU32 Z9, (AX)
#define STORE11 STORE10 \
	ADDQ SI, AX \
	VPADDD (AX), Z10, K1, Z10 \
	VMOVDQU32 Z10, (AX)
#define STORE12 STORE11 \
	ADDQ SI, AX \
	VPADDD (AX), Z11, K1, Z11 \
	VMOVDQU32 Z11, (AX)
#define STORE13 STORE12 \
	ADDQ SI, AX \
	VPADDD (AX), Z12, K1, Z12 \
	VMOVDQU32 Z12, (AX)
#define STORE14 STORE13 \
	ADDQ SI, AX \
	VPADDD (AX), Z13, K1, Z13 \
	VMOVDQU32 Z13, (AX)
#define STORE15 STORE14 \
	ADDQ SI, AX \
	VPADDD (AX), Z14, K1, Z14 \
	VMOVDQU32 Z14, (AX)
#define STORE16 STORE15 \
	ADDQ SI, AX \
	VPADDD (AX), Z15, K1, Z15 \
	VMOVDQU32 Z15, (AX)
#define STORE17 STORE16 \
	ADDQ SI, AX \
	VPADDD (AX), Z16, K1, Z16 \
	VMOVDQU32 Z16, (AX)
#define STORE18 STORE17 \
	ADDQ SI, AX \
	VPADDD (AX), Z17, K1, Z17 \
	VMOVDQU32 Z17, (AX)

#define WEIGHTS(at) VPXORQ at(R14), Z31, Z30

#define TILE(rows, BEGINALL, ROWSALL, STOREALL) \
	NO_LOCAL_POINTERS               \
	MOVQ         sumStep+8(FP), SI  \
	MOVQ         a+16(FP), DX       \
	MOVQ         aStep+24(FP), R8   \
	MOVQ         b+32(FP), BX       \
	MOVQ         stride+40(FP), R10 \
	MOVQ         depth+48(FP), R11  \
	MOVL         $0x80808080, AX    \
	VPBROADCASTD AX, Z31            \
	MOVL         $0xFF80FF80, AX    \
	VPBROADCASTD AX, Y29            \
	KXORW        K1, K1, K1         \
chunk:                              \
	MOVQ         $512, R9           \
	CMPQ         R11, R9            \
	CMOVQLT      R11, R9            \
	LEAQ         PACKED(SP), R14    \
	LEAQ         BEGINS(SP), R12    \
	MOVQ         DX, R13            \
	MOVQ         $rows, CX          \
pack:                               \
	MOVQ         R13, R15           \
	MOVQ         R14, AX            \
	MOVQ         R9, DI             \
	VPXOR        X0, X0, X0         \
numbers:                            \
	VMOVDQU      (R15), Y1          \
	VPDPWSSD     Y29, Y1, Y0        \
	VPMOVWB      Y1, (AX)           \
	ADDQ         $32, R15           \
	ADDQ         $(16*rows), AX     \
	SUBQ         $16, DI            \
	JNZ          numbers            \
	VEXTRACTI128 $1, Y0, X1         \
	VPADDD       X1, X0, X0         \
	VPSHUFD      $0x4E, X0, X1      \
	VPADDD       X1, X0, X0         \
	VPSHUFD      $0xB1, X0, X1      \
	VPADDD       X1, X0, X0         \
	VMOVD        X0, (R12)          \
	ADDQ         $4, R12            \
	ADDQ         $16, R14           \
	ADDQ         R8, R13            \
	DECQ         CX                 \
	JNZ          pack               \
	MOVQ         sums+0(FP), DI     \
	MOVQ         panels+56(FP), R12 \
	MOVQ         BX, R13            \
panel:                              \
	BEGINALL                        \
	LEAQ         PACKED(SP), AX     \
	MOVQ         R13, R14           \
	LEAQ         (R13)(R10*1), R15  \
	MOVQ         R9, CX             \
	PCALIGN      $32                \
groups:                             \
	PREFETCHT0   (R15)              \
	WEIGHTS(0)                      \
	ROWSALL(0)                      \
	PREFETCHT0   64(R15)            \
	WEIGHTS(64)                     \
	ROWSALL(4)                      \
	PREFETCHT0   128(R15)           \
	WEIGHTS(128)                    \
	ROWSALL(8)                      \
	PREFETCHT0   192(R15)           \
	WEIGHTS(192)                    \
	ROWSALL(12)                     \
	ADDQ         $256, R14          \
	ADDQ         $256, R15          \
	ADDQ         $(16*rows), AX     \
	SUBQ         $16, CX            \
	JNZ          groups             \
	MOVQ         DI, AX             \
	STOREALL                        \
	ADDQ         $64, DI            \
	ADDQ         R10, R13           \
	DECQ         R12                \
	JNZ          panel              \
	KXNORW       K1, K1, K1         \
	LEAQ         (DX)(R9*2), DX     \
	MOVQ         R9, AX             \
	SHLQ         $4, AX             \
	ADDQ         AX, BX             \
	SUBQ         R9, R11            \
	JNZ          chunk              \
	VZEROUPPER                      \
	RET

// func vnni1(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni1(SB), 0, $9288-64
	TILE(1, BEGIN1, ROWS1, STORE1)

// func vnni2(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni2(SB), 0, $9288-64
	TILE(2, BEGIN2, ROWS2, STORE2)

// func vnni3(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni3(SB), 0, $9288-64
	TILE(3, BEGIN3, ROWS3, STORE3)

// func vnni4(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni4(SB), 0, $9288-64
	TILE(4, BEGIN4, ROWS4, STORE4)

// func vnni5(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni5(SB), 0, $9288-64
	TILE(5, BEGIN5, ROWS5, STORE5)

// func vnni6(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni6(SB), 0, $9288-64
	TILE(6, BEGIN6, ROWS6, STORE6)

// func vnni7(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni7(SB), 0, $9288-64
	TILE(7, BEGIN7, ROWS7, STORE7)

// func vnni8(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni8(SB), 0, $9288-64
	TILE(8, BEGIN8, ROWS8, STORE8)

// func vnni9(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni9(SB), 0, $9288-64
	TILE(9, BEGIN9, ROWS9, STORE9)

// func vnni10(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni10(SB), 0, $9288-64
	TILE(10, BEGIN10, ROWS10, STORE10)

// func vnni11(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni11(SB), 0, $9288-64
	TILE(11, BEGIN11, ROWS11, STORE11)

// func vnni12(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni12(SB), 0, $9288-64
	TILE(12, BEGIN12, ROWS12, STORE12)

// func vnni13(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni13(SB), 0, $9288-64
	TILE(13, BEGIN13, ROWS13, STORE13)

// func vnni14(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni14(SB), 0, $9288-64
	TILE(14, BEGIN14, ROWS14, STORE14)

// func vnni15(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni15(SB), 0, $9288-64
	TILE(15, BEGIN15, ROWS15, STORE15)

// func vnni16(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni16(SB), 0, $9288-64
	TILE(16, BEGIN16, ROWS16, STORE16)

// func vnni17(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni17(SB), 0, $9288-64
	TILE(17, BEGIN17, ROWS17, STORE17)

// func vnni18(sums *int32, sumStep int, a *int16, aStep int, b *byte, stride, depth, panels int)
TEXT ·vnni18(SB), 0, $9288-64
	TILE(18, BEGIN18, ROWS18, STORE18)
