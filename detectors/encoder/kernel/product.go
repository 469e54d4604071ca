package kernel

// Group is how many rows of a matrix stand together in memory, and Panel how many columns.
const (
	Group = 4
	Panel = 16
)

// Columns are columns of integers in the order in which products need them: panels of 16 columns,
// each of them groups of 4 rows, each of them 4 numbers of every column. So the number in row k of
// column c is at (c/16)*Stride + (k/4)*64 + c%16*4 + k%4. The rows are a multiple of 16.
type Columns struct {
	Values []byte // integers from -127 to 127 as int8
	Stride int    // bytes from a panel to the next one
}

// Place returns where the number in a row of a column is.
func (c Columns) Place(row, column int) int {
	return column/Panel*c.Stride + row/Group*Group*Panel + column%Panel*Group + row%Group
}

// Product is a product of rows and Columns.
type Product struct {
	Rows   int     // how many rows A has
	Depth  int     // how many numbers a row has: a multiple of 16
	Panels int     // panels of columns
	A      []int16 // rows
	Step   int     // numbers from a row of A to the next one
	B      Columns
	Sums   []int32 // rows of 16 x Panels sums
}

// product is a Product whose slices have been checked.
type product = Product

// Mul computes the sums of a product of narrow integers.
func (p *Product) Mul() {
	if p.check() {
		active.mul(p)
	}
}

// MulWide computes the sums of a product whose A has integers from 0 to Wide; the depth is at most 512.
func (p *Product) MulWide() {
	if p.Depth > 512 {
		panic("kernel: the sums of a wide product may overflow")
	}
	if p.check() {
		active.mulWide(p)
	}
}

// check panics if a slice is too short for the product, and says whether there is anything to compute.
func (p *Product) check() bool {
	if p.Rows == 0 || p.Panels == 0 {
		return false
	}
	if p.Rows < 0 || p.Panels < 0 || p.Depth <= 0 || p.Depth%16 != 0 || p.Step < p.Depth && p.Rows > 1 ||
		p.B.Stride < p.Depth*Panel && p.Panels > 1 ||
		len(p.A) < (p.Rows-1)*p.Step+p.Depth ||
		len(p.B.Values) < (p.Panels-1)*p.B.Stride+p.Depth*Panel ||
		len(p.Sums) < p.Rows*p.Panels*Panel {
		panic("kernel: a product with matrices that do not fit")
	}
	return true
}
