//go:build !purego

#include "textflag.h"

// What happens between the products, where 16 lanes in one register are faster than 8 in each of two: in long chains of
// operations that wait for each other. ·terms has the constants, 4 bytes each; its places are in portable.go.

// TERM is a step of a polynomial.
#define TERM(y, x, term) \
	VMULPS x, y, y    \
	VADDPS term, y, y

// TREEMAX sets the first lane of xa, the lower part of a and ya, to the largest of all.
#define TREEMAX(a, ya, xa, yb, xb) \
	VEXTRACTF64X4 $1, a, yb    \
	VMAXPS        yb, ya, ya   \
	VEXTRACTF128  $1, ya, xb   \
	VMAXPS        xb, xa, xa   \
	VMOVHLPS      xa, xa, xb   \
	VMAXPS        xb, xa, xa   \
	VMOVSHDUP     xa, xb       \
	VMAXSS        xb, xa, xa

// func geluAVX512(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·geluAVX512(SB), NOSPLIT, $0-104
	MOVQ         y_base+0(FP), DI
	MOVQ         y_len+8(FP), CX
	MOVQ         sums_base+24(FP), SI
	MOVQ         weights_base+48(FP), R8
	VBROADCASTSS s+72(FP), Z15
	MOVQ         bias_base+80(FP), R9
	SHLQ         $2, CX
	XORQ         AX, AX
	VBROADCASTSS ·terms+0(SB), Z14
	VBROADCASTSS ·terms+4(SB), Z13
	VBROADCASTSS ·terms+8(SB), Z12
	VBROADCASTSS ·terms+12(SB), Z4
	VBROADCASTSS ·terms+16(SB), Z5
	VBROADCASTSS ·terms+20(SB), Z6
	VBROADCASTSS ·terms+24(SB), Z7
	VBROADCASTSS ·terms+28(SB), Z8
	VBROADCASTSS ·terms+32(SB), Z9
	VBROADCASTSS ·terms+36(SB), Z10
	VBROADCASTSS ·terms+40(SB), Z11
	VBROADCASTSS ·terms+44(SB), Z16

loop:
	VCVTDQ2PS (SI)(AX*1), Z0
	VMULPS    (R8)(AX*1), Z15, Z1
	VMULPS    Z1, Z0, Z0
	VADDPS    (R9)(AX*1), Z0, Z0
	VMAXPS    Z13, Z0, Z1
	VMINPS    Z14, Z1, Z1
	VMULPS    Z1, Z1, Z2
	VMULPS    Z2, Z16, Z3
	VADDPS    Z11, Z3, Z3
	TERM(Z3, Z2, Z10)
	TERM(Z3, Z2, Z9)
	TERM(Z3, Z2, Z8)
	TERM(Z3, Z2, Z7)
	TERM(Z3, Z2, Z6)
	TERM(Z3, Z2, Z5)
	TERM(Z3, Z2, Z4)
	TERM(Z3, Z1, Z12)
	VMULPS    Z0, Z3, Z3
	VMOVUPS   Z3, (DI)(AX*1)
	ADDQ      $64, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

DATA ·lanes+0(SB)/8, $0x0000000100000000
DATA ·lanes+8(SB)/8, $0x0000000300000002
DATA ·lanes+16(SB)/8, $0x0000000500000004
DATA ·lanes+24(SB)/8, $0x0000000700000006
DATA ·lanes+32(SB)/8, $0x0000000900000008
DATA ·lanes+40(SB)/8, $0x0000000B0000000A
DATA ·lanes+48(SB)/8, $0x0000000D0000000C
DATA ·lanes+56(SB)/8, $0x0000000F0000000E
GLOBL ·lanes(SB), RODATA, $64

// func exponentsAVX512(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)
TEXT ·exponentsAVX512(SB), NOSPLIT, $0-120
	MOVQ         e_base+0(FP), DI
	MOVQ         e_len+8(FP), CX
	MOVQ         sums_base+24(FP), SI
	MOVQ         keys_base+48(FP), R8
	MOVQ         values_base+72(FP), R9
	VPBROADCASTD n+96(FP), Z11
	VBROADCASTSS s+104(FP), Z15
	VBROADCASTSS ·terms+76(SB), Z13
	MOVL         $16, AX
	VPBROADCASTD AX, Z10
	VMOVDQU32    ·lanes(SB), Z12
	VMOVAPS      Z13, Z0
	SHLQ         $2, CX
	XORQ         AX, AX

	// The scores, those of places that are not there as Z13 has them, and the largest in Z0. Z12 has the places.
scores:
	VCVTDQ2PS (SI)(AX*1), Z1
	VMULPS    (R8)(AX*1), Z15, Z2
	VMULPS    Z2, Z1, Z1
	VPCMPGTD  Z12, Z11, K1
	VPADDD    Z10, Z12, Z12
	VBLENDMPS Z1, Z13, K1, Z1
	VMAXPS    Z1, Z0, Z0
	VMOVUPS   Z1, (DI)(AX*1)
	ADDQ      $64, AX
	CMPQ      AX, CX
	JLT       scores
	TREEMAX(Z0, Y0, X0, Y1, X1)

	VBROADCASTSS X0, Z15
	VBROADCASTSS ·terms+68(SB), Z14
	VBROADCASTSS ·terms+72(SB), Z13
	VMOVDQU32    ·lanes(SB), Z12
	VBROADCASTSS ·terms+64(SB), Z5
	VBROADCASTSS ·terms+60(SB), Z9
	VBROADCASTSS ·terms+56(SB), Z8
	VBROADCASTSS ·terms+52(SB), Z7
	VBROADCASTSS ·terms+48(SB), Z6
	VPXOR        X0, X0, X0
	VPXOR        X1, X1, X1
	XORQ         AX, AX

	// The powers, 0 behind the last position. Their sum is in Z0, the largest product of a power and its scale in Z1.
powers:
	VMOVUPS  (DI)(AX*1), Z2
	VSUBPS   Z15, Z2, Z2
	VMAXPS   Z14, Z2, Z2
	VADDPS   Z13, Z2, Z4
	VSUBPS   Z13, Z4, Z3
	VSUBPS   Z3, Z2, Z3
	VPSLLD   $23, Z4, Z4
	VMULPS   Z3, Z5, Z2
	VADDPS   Z9, Z2, Z2
	TERM(Z2, Z3, Z8)
	TERM(Z2, Z3, Z7)
	TERM(Z2, Z3, Z6)
	VPCMPGTD Z12, Z11, K1
	VPADDD   Z10, Z12, Z12
	VPADDD.Z Z4, Z2, K1, Z2
	VADDPS   Z2, Z0, Z0
	VMULPS.Z (R9)(AX*1), Z2, K1, Z2
	VMAXPS   Z2, Z1, Z1
	VMOVUPS  Z2, (DI)(AX*1)
	ADDQ     $64, AX
	CMPQ     AX, CX
	JLT      powers
	VEXTRACTF64X4 $1, Z0, Y2
	VADDPS        Y2, Y0, Y0
	VEXTRACTF128  $1, Y0, X2
	VADDPS        X2, X0, X0
	VMOVHLPS      X0, X0, X2
	VADDPS        X2, X0, X0
	VMOVSHDUP     X0, X2
	VADDSS        X2, X0, X0
	VMOVSS        X0, total+112(FP)
	TREEMAX(Z1, Y1, X1, Y2, X2)
	VMOVSS        X1, peak+116(FP)
	VZEROUPPER
	RET
