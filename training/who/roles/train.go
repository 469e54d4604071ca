package roles

import (
	"math"
	"math/rand/v2"

	"sotto/detectors/encoder"
	"sotto/detectors/encoder/kernel"
)

const (
	passes = 8
	// batch is how many names a step learns from.
	batch = 128
	// rate is the size of steps at the beginning; it falls to zero with the passes.
	rate = 1e-3
	// decay draws the weights towards zero (decoupled decay; Loshchilov and Hutter 2019).
	decay = 0.05
	// dropped is the share of the hidden numbers that a step leaves out.
	dropped = 0.3
)

// Example is a name, and the role that it has.
type Example struct {
	Name
	Role encoder.Role
}

// Train trains a network by stochastic gradient descent (Adam; Kingma and Ba 2015). Equal examples, in the same order, give an equal one.
func Train(all []Example, width int) *encoder.Roles {
	l := newLearner(width, float64(passes*((len(all)+batch-1)/batch)))
	for range passes {
		order := l.random.Perm(len(all))
		for at := 0; at < len(order); at += batch {
			part := order[at:min(at+batch, len(order))]
			for i := range l.parts {
				clear(l.parts[i].gradient)
			}
			for _, i := range part {
				l.learn(&all[i])
			}
			l.move(1 / float32(len(part)))
		}
	}
	return &l.Roles
}

// Chances returns how probable each role of a name is, in hundredths. The order is that of encoder.Role.
func Chances(r *encoder.Roles, n *Name, width int) (p [encoder.NumRoles]uint8) {
	l := learner{Roles: *r, width: width, memory: newMemory(width)}
	if !n.IsRead() {
		return p
	}
	for y, v := range l.forward(n, nil) {
		p[y] = uint8(math.RoundToEven(float64(v * 100)))
	}
	return p
}

// part is some of the numbers of the network, and the state of Adam.
type part struct{ numbers, gradient, mean, variance []float32 }

// memory is what is computed of a name.
type memory struct {
	own            []float32
	around         [len(encoder.RolesAround)][]float32
	sums, upward   [len(encoder.RolesAround) * encoder.RolesSums]float32
	hidden, change [encoder.RolesHidden]float32
	out            [encoder.NumRoles]float32
}

func newMemory(width int) *memory {
	m := &memory{own: make([]float32, width)}
	for i := range m.around {
		m.around[i] = make([]float32, width)
	}
	return m
}

type learner struct {
	encoder.Roles
	*memory
	width       int
	parts       []part // of Word, Around, Bias, Out and OutBias
	random      *rand.Rand
	step, steps float64
}

func newLearner(width int, steps float64) *learner {
	l := &learner{width: width, memory: newMemory(width), random: rand.New(rand.NewPCG(1, 1)), steps: steps}
	l.Layers = layers
	const around = len(encoder.RolesAround) * encoder.RolesSums
	l.Word = l.initial((encoder.RolesHidden+encoder.RolesSums)*width, width)
	l.Around, l.Bias = l.initial(encoder.RolesHidden*around, width+around), make([]float32, encoder.RolesHidden)
	l.Out, l.OutBias = l.initial(encoder.NumRoles*encoder.RolesHidden, encoder.RolesHidden), make([]float32, encoder.NumRoles)
	for _, numbers := range [][]float32{l.Word, l.Around, l.Bias, l.Out, l.OutBias} {
		n := len(numbers)
		l.parts = append(l.parts, part{numbers, make([]float32, n), make([]float32, n), make([]float32, n)})
	}
	return l
}

// initial returns n random numbers that are the smaller the more of them are added up.
func (l *learner) initial(n, added int) []float32 {
	x, most := make([]float32, n), float32(1/math.Sqrt(float64(added)))
	for i := range x {
		x[i] = float32((2*l.random.Float32() - 1) * most)
	}
	return x
}

// forward returns the probabilities of the roles of a name. Hidden numbers where kept is 0 are left out, and others are multiplied by it; nil
// keeps all.
func (l *learner) forward(n *Name, kept *[encoder.RolesHidden]float32) []float32 {
	n.own.unpack(l.own)
	clear(l.sums[:])
	for d, w := range n.around {
		if w == nil {
			continue
		}
		w.unpack(l.around[d])
		for s := range encoder.RolesSums {
			l.sums[d*encoder.RolesSums+s] = kernel.Dot(l.row(l.Word, encoder.RolesHidden+s, l.width), l.around[d])
		}
	}
	for j := range l.hidden {
		v := kernel.Dot(l.row(l.Word, j, l.width), l.own) + kernel.Dot(l.row(l.Around, j, len(l.sums)), l.sums[:]) + l.Bias[j]
		if l.hidden[j] = max(0, v); kept != nil {
			l.hidden[j] = float32(l.hidden[j] * kept[j])
		}
	}
	top := float32(math.Inf(-1))
	for y := range l.out {
		l.out[y] = kernel.Dot(l.row(l.Out, y, len(l.hidden)), l.hidden[:]) + l.OutBias[y]
		top = max(top, l.out[y])
	}
	total := float32(0)
	for y, v := range l.out {
		l.out[y] = kernel.Exp2(float32((v - top) * math.Log2E))
		total += l.out[y]
	}
	for y := range l.out {
		l.out[y] /= total
	}
	return l.out[:]
}

func (l *learner) row(x []float32, i, n int) []float32 { return x[i*n : (i+1)*n] }

// learn adds the gradient of the loss of an example.
func (l *learner) learn(e *Example) {
	var kept [encoder.RolesHidden]float32
	for j := range kept {
		if l.random.Float32() >= dropped {
			kept[j] = 1 / (1 - dropped)
		}
	}
	p := l.forward(&e.Name, &kept)
	clear(l.change[:])
	for y, g := range p {
		if y == int(e.Role) {
			g--
		}
		add(l.row(l.parts[3].gradient, y, len(l.hidden)), g, l.hidden[:])
		add(l.change[:], g, l.row(l.Out, y, len(l.hidden)))
		l.parts[4].gradient[y] += g
	}
	clear(l.upward[:])
	for j, g := range l.change {
		if l.hidden[j] == 0 {
			continue
		}
		g = float32(g * kept[j])
		add(l.row(l.parts[0].gradient, j, l.width), g, l.own)
		add(l.row(l.parts[1].gradient, j, len(l.sums)), g, l.sums[:])
		add(l.upward[:], g, l.row(l.Around, j, len(l.sums)))
		l.parts[2].gradient[j] += g
	}
	for d, w := range e.around {
		if w == nil {
			continue
		}
		for s := range encoder.RolesSums {
			add(l.row(l.parts[0].gradient, encoder.RolesHidden+s, l.width), l.upward[d*encoder.RolesSums+s], l.around[d])
		}
	}
}

// add adds g times x.
func add(to []float32, g float32, x []float32) {
	to = to[:len(x)]
	for i, v := range x {
		to[i] += float32(g * v)
	}
}

// move makes a step of Adam with the mean of the gradients of a batch.
func (l *learner) move(share float32) {
	const mean, variance, least = 0.9, 0.999, 1e-8
	l.step++
	size := rate * (1 - (l.step-1)/l.steps)
	scaled := float32(size * math.Sqrt(1-math.Pow(variance, l.step)) / (1 - math.Pow(mean, l.step)))
	for _, p := range l.parts {
		for i, sum := range p.gradient {
			g := float32(sum * share)
			p.mean[i] = float32(mean*p.mean[i]) + float32((1-mean)*g)
			p.variance[i] = float32(variance*p.variance[i]) + float32(float32((1-variance)*g)*g)
			p.numbers[i] -= float32(float32(size*decay)*p.numbers[i]) + float32(scaled*p.mean[i])/(float32(math.Sqrt(float64(p.variance[i])))+least)
		}
	}
}
