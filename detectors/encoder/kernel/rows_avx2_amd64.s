//go:build !purego

#include "textflag.h"

// What happens between the products, 16 numbers at a time: lanes 0 to 7 in one register and 8 to 15 in another.
// ·terms has the constants, 4 bytes each; its places are in portable.go.

// VALUE sets y to what 8 sums stand for. Y15 has s in every lane.
#define VALUE(sums, weights, bias, y, t) \
	VCVTDQ2PS sums, y         \
	VMULPS    weights, Y15, t \
	VMULPS    t, y, y         \
	VADDPS    bias, y, y

// VECTORS loads what scale, add and gelu are called with.
#define VECTORS \
	MOVQ         y_base+0(FP), DI       \
	MOVQ         y_len+8(FP), CX        \
	MOVQ         sums_base+24(FP), SI   \
	MOVQ         weights_base+48(FP), R8 \
	VBROADCASTSS s+72(FP), Y15          \
	MOVQ         bias_base+80(FP), R9   \
	SHLQ         $2, CX                 \
	XORQ         AX, AX

// TREE adds the 16 lanes of a and b into the first lane of xa, the lower half of a.
#define TREE(a, b, xa, xb) \
	VADDPS       b, a, a       \
	VEXTRACTF128 $1, a, xb     \
	VADDPS       xb, xa, xa    \
	VMOVHLPS     xa, xa, xb    \
	VADDPS       xb, xa, xa    \
	VMOVSHDUP    xa, xb        \
	VADDSS       xb, xa, xa

// TREEMAX does the same with the largest.
#define TREEMAX(a, b, xa, xb) \
	VMAXPS       b, a, a       \
	VEXTRACTF128 $1, a, xb     \
	VMAXPS       xb, xa, xa    \
	VMOVHLPS     xa, xa, xb    \
	VMAXPS       xb, xa, xa    \
	VMOVSHDUP    xa, xb        \
	VMAXSS       xb, xa, xa

// func scaleAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-104
	VECTORS

loop:
	VALUE((SI)(AX*1), (R8)(AX*1), (R9)(AX*1), Y0, Y1)
	VALUE(32(SI)(AX*1), 32(R8)(AX*1), 32(R9)(AX*1), Y2, Y3)
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y2, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·addAVX2(SB), NOSPLIT, $0-104
	VECTORS

loop:
	VALUE((SI)(AX*1), (R8)(AX*1), (R9)(AX*1), Y0, Y1)
	VALUE(32(SI)(AX*1), 32(R8)(AX*1), 32(R9)(AX*1), Y2, Y3)
	VADDPS  (DI)(AX*1), Y0, Y0
	VADDPS  32(DI)(AX*1), Y2, Y2
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y2, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// TERM is a step of a polynomial.
#define TERM(y, x, term) \
	VMULPS x, y, y    \
	VADDPS term, y, y

// func geluAVX2(y []float32, sums []int32, weights []float32, s float32, bias []float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-104
	VECTORS
	VBROADCASTSS ·terms+0(SB), Y14
	VBROADCASTSS ·terms+4(SB), Y13
	VBROADCASTSS ·terms+8(SB), Y12
	VBROADCASTSS ·terms+12(SB), Y4
	VBROADCASTSS ·terms+16(SB), Y5
	VBROADCASTSS ·terms+20(SB), Y6
	VBROADCASTSS ·terms+24(SB), Y7
	VBROADCASTSS ·terms+28(SB), Y8
	VBROADCASTSS ·terms+32(SB), Y9
	VBROADCASTSS ·terms+36(SB), Y10
	VBROADCASTSS ·terms+40(SB), Y11

loop:
	VALUE((SI)(AX*1), (R8)(AX*1), (R9)(AX*1), Y0, Y1)
	VBROADCASTSS ·terms+44(SB), Y3
	VMAXPS       Y13, Y0, Y1
	VMINPS       Y14, Y1, Y1
	VMULPS       Y1, Y1, Y2
	TERM(Y3, Y2, Y11)
	TERM(Y3, Y2, Y10)
	TERM(Y3, Y2, Y9)
	TERM(Y3, Y2, Y8)
	TERM(Y3, Y2, Y7)
	TERM(Y3, Y2, Y6)
	TERM(Y3, Y2, Y5)
	TERM(Y3, Y2, Y4)
	TERM(Y3, Y1, Y12)
	VMULPS       Y0, Y3, Y3
	VMOVUPS      Y3, (DI)(AX*1)
	ADDQ         $32, AX
	CMPQ         AX, CX
	JLT          loop
	VZEROUPPER
	RET

// func peaksAVX2(peaks, x []float32)
TEXT ·peaksAVX2(SB), NOSPLIT, $0-48
	MOVQ peaks_base+0(FP), DI
	MOVQ peaks_len+8(FP), R8
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), AX
	XORQ DX, DX
	DIVQ R8
	SHRQ $4, AX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD   $1, Y15, Y15

parts:
	MOVQ  AX, CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

loop:
	VANDPS (SI), Y15, Y2
	VANDPS 32(SI), Y15, Y3
	VMAXPS Y2, Y0, Y0
	VMAXPS Y3, Y1, Y1
	ADDQ   $64, SI
	DECQ   CX
	JNZ    loop
	TREEMAX(Y0, Y1, X0, X1)
	VMOVSS X0, (DI)
	ADDQ   $4, DI
	DECQ   R8
	JNZ    parts
	VZEROUPPER
	RET

// func quantizeAVX2(q []int16, x, peaks []float32, most float32)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-76
	MOVQ q_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), AX
	MOVQ peaks_base+48(FP), R9
	MOVQ peaks_len+56(FP), R8
	XORQ DX, DX
	DIVQ R8
	SHRQ $4, AX

parts:
	MOVQ         AX, CX
	VMOVSS       (R9), X0
	VMOVSS       most+72(FP), X1
	VDIVSS       X0, X1, X1
	VMOVSS       ·terms+88(SB), X2
	VCMPSS       $1, X0, X2, X2 // tiny < peak
	VANDPS       X2, X1, X1
	VBROADCASTSS X1, Y15

loop:
	VMULPS    (SI), Y15, Y0
	VMULPS    32(SI), Y15, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xD8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	ADDQ      $4, R9
	DECQ      R8
	JNZ       parts
	VZEROUPPER
	RET

// func normAVX2(x, gain, shift []float32)
TEXT ·normAVX2(SB), NOSPLIT, $0-72
	MOVQ      x_base+0(FP), DI
	MOVQ      x_len+8(FP), CX
	MOVQ      gain_base+24(FP), SI
	MOVQ      shift_base+48(FP), R8
	VCVTSI2SSQ CX, X15, X15
	SHLQ      $2, CX
	VPXOR     Y0, Y0, Y0
	VPXOR     Y1, Y1, Y1
	XORQ      AX, AX

sum:
	VADDPS (DI)(AX*1), Y0, Y0
	VADDPS 32(DI)(AX*1), Y1, Y1
	ADDQ   $64, AX
	CMPQ   AX, CX
	JLT    sum
	TREE(Y0, Y1, X0, X1)
	VDIVSS X15, X0, X0
	VBROADCASTSS X0, Y4
	VPXOR  Y0, Y0, Y0
	VPXOR  Y1, Y1, Y1
	XORQ   AX, AX

squares:
	VMOVUPS (DI)(AX*1), Y2
	VMOVUPS 32(DI)(AX*1), Y3
	VSUBPS  Y4, Y2, Y2
	VSUBPS  Y4, Y3, Y3
	VMOVUPS Y2, (DI)(AX*1)
	VMOVUPS Y3, 32(DI)(AX*1)
	VMULPS  Y2, Y2, Y2
	VMULPS  Y3, Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     squares
	TREE(Y0, Y1, X0, X1)
	VDIVSS  X15, X0, X0
	VADDSS  ·terms+84(SB), X0, X0
	VSQRTSS X0, X0, X0
	VMOVSS  ·terms+80(SB), X1
	VDIVSS  X0, X1, X1
	VBROADCASTSS X1, Y4
	XORQ    AX, AX

apply:
	VMULPS  (DI)(AX*1), Y4, Y0
	VMULPS  32(DI)(AX*1), Y4, Y1
	VMULPS  (SI)(AX*1), Y0, Y0
	VMULPS  32(SI)(AX*1), Y1, Y1
	VADDPS  (R8)(AX*1), Y0, Y0
	VADDPS  32(R8)(AX*1), Y1, Y1
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y1, 32(DI)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     apply
	VZEROUPPER
	RET

// func dotAVX2(x, y []float32) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-52
	MOVQ  x_base+0(FP), SI
	MOVQ  x_len+8(FP), CX
	MOVQ  y_base+24(FP), DI
	SHLQ  $2, CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  AX, AX

loop:
	VMOVUPS (SI)(AX*1), Y2
	VMOVUPS 32(SI)(AX*1), Y3
	VMULPS  (DI)(AX*1), Y2, Y2
	VMULPS  32(DI)(AX*1), Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, AX
	CMPQ    AX, CX
	JLT     loop
	TREE(Y0, Y1, X0, X1)
	VMOVSS  X0, ret+48(FP)
	VZEROUPPER
	RET

DATA ·places+0(SB)/4, $0
DATA ·places+4(SB)/4, $1
DATA ·places+8(SB)/4, $2
DATA ·places+12(SB)/4, $3
DATA ·places+16(SB)/4, $4
DATA ·places+20(SB)/4, $5
DATA ·places+24(SB)/4, $6
DATA ·places+28(SB)/4, $7
GLOBL ·places(SB), RODATA, $32

DATA ·eight+0(SB)/4, $8
GLOBL ·eight(SB), RODATA, $4

// SCORE stores 8 scores, those of places that are not there as Y13 has them, and keeps the largest in most.
// Y12 has the places, Y11 their number in every lane.
#define SCORE(at, y, t, most) \
	VCVTDQ2PS at(SI)(AX*1), y         \
	VMULPS    at(R8)(AX*1), Y15, t    \
	VMULPS    t, y, y                 \
	VPCMPGTD  Y12, Y11, t             \
	VPADDD    Y10, Y12, Y12           \
	VBLENDVPS t, y, Y13, y            \
	VMAXPS    y, most, most           \
	VMOVUPS   y, at(DI)(AX*1)

// POWER sets 8 scores to powers of two, 0 where a place is not there, adds them to total, and weighs them.
#define POWER(at, y, f, t, total, peak) \
	VMOVUPS  at(DI)(AX*1), y      \
	VSUBPS   Y15, y, y            \
	VMAXPS   Y14, y, y            \
	VADDPS   Y13, y, t            \
	VSUBPS   Y13, t, f            \
	VSUBPS   f, y, f              \
	VPSLLD   $23, t, t            \
	VBROADCASTSS ·terms+64(SB), y \
	TERM(y, f, Y9)                \
	TERM(y, f, Y8)                \
	TERM(y, f, Y7)                \
	TERM(y, f, Y6)                \
	VPADDD   t, y, y              \
	VPCMPGTD Y12, Y11, t          \
	VPADDD   Y10, Y12, Y12        \
	VANDPS   t, y, y              \
	VADDPS   y, total, total      \
	VMULPS   at(R9)(AX*1), y, y   \
	VANDPS   t, y, y              \
	VMAXPS   y, peak, peak        \
	VMOVUPS  y, at(DI)(AX*1)

// func exponentsAVX2(e []float32, sums []int32, keys, values []float32, n int, s float32) (total, peak float32)
TEXT ·exponentsAVX2(SB), NOSPLIT, $0-120
	MOVQ         e_base+0(FP), DI
	MOVQ         e_len+8(FP), CX
	MOVQ         sums_base+24(FP), SI
	MOVQ         keys_base+48(FP), R8
	MOVQ         values_base+72(FP), R9
	VPBROADCASTD n+96(FP), Y11
	VBROADCASTSS s+104(FP), Y15
	VBROADCASTSS ·terms+76(SB), Y13
	VPBROADCASTD ·eight(SB), Y10
	VMOVDQU      ·places(SB), Y12
	VMOVAPS      Y13, Y0
	VMOVAPS      Y13, Y1
	SHLQ         $2, CX
	XORQ         AX, AX

scores:
	SCORE(0, Y2, Y3, Y0)
	SCORE(32, Y4, Y5, Y1)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  scores
	TREEMAX(Y0, Y1, X0, X1)

	VBROADCASTSS X0, Y15
	VBROADCASTSS ·terms+68(SB), Y14
	VBROADCASTSS ·terms+72(SB), Y13
	VMOVDQU      ·places(SB), Y12
	VBROADCASTSS ·terms+60(SB), Y9
	VBROADCASTSS ·terms+56(SB), Y8
	VBROADCASTSS ·terms+52(SB), Y7
	VBROADCASTSS ·terms+48(SB), Y6
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1
	VPXOR        Y2, Y2, Y2
	XORQ         AX, AX

powers:
	POWER(0, Y3, Y4, Y5, Y0, Y2)
	POWER(32, Y3, Y4, Y5, Y1, Y2)
	ADDQ   $64, AX
	CMPQ   AX, CX
	JLT    powers
	TREE(Y0, Y1, X0, X1)
	VMOVSS X0, total+112(FP)
	TREEMAX(Y2, Y2, X2, X1)
	VMOVSS X2, peak+116(FP)
	VZEROUPPER
	RET
