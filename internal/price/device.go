package price

// Family is the kind of a device: a module that was compiled for one kind is never run by another.
type Family string

// The families of devices.
const (
	CPU Family = "cpu"
	GPU Family = "gpu"
	TPU Family = "tpu"
)

// Device says how fast a device does each thing. Rates are peaks by its maker's data sheet unless said otherwise, per second; for a TPU those of
// the part that runs one program: a core of v2, v3 and tpu7x, a chip of the others.
type Device struct {
	Name   string
	Family Family
	Also   []string // what dumps call it, in small letters; a part of the name is enough. An architecture is a name where one chip alone has it: sm_8.9 is in many
	Source string   // of its numbers

	Rates
	Memories
	Network
	Delays
}

// Rates are how much a device does in a second.
type Rates struct {
	Products [Looped]float64 // flops a second of each kind of product
	Vector   float64         // simple operations on 32-bit elements
	Vector64 float64
	Special  float64 // exponentials
	Slow     float64 // functions such as sin and pow
	Scalar   float64 // steps that go their own way
	Serial   float64 // steps that go one by one only there; 0 where none do
	Units    float64 // processors, each of which computes a tile of a product or a step of a grid
	Atomic   float64 // atomic additions a second
	Clock    float64 // cycles a second, of which the compiler speaks
}

// Memories are where a device gets its data from.
type Memories struct {
	Core   Level   // the cache of one core
	Shared Level   // the cache that all cores share
	Memory Level   // the device's memory
	OnChip float64 // bytes a second of the memory on the chip that the compiler manages
	Host   float64 // bytes a second to the host's memory
	Line   float64 // bytes that one access moves at least
}

// Network is what connects devices.
type Network struct {
	Links  Link    // to the devices nearby
	Net    Link    // to all others, where all devices nearby send
	Domain float64 // how many devices are nearby
}

// Delays are what passes before or between the work of a device, in nanoseconds.
type Delays struct {
	Dispatch float64 // the host starts a program
	HandOver float64 // a thread of a CPU takes over a program that is not small
	Argument float64 // the host hands over an array
	Result   float64 // the host takes an array over
	Launch   float64 // one launch follows another
	Queue    float64 // the host of a GPU starts a launch by itself, not in a command buffer; that of a CPU takes it from a queue
	Fill     float64 // a product loads its first tiles
	Decision float64 // the host looks at a value of the device before it goes on
	Turn     float64 // an iteration of a loop begins
	Step     float64 // a step of a kernel's grid; a unit takes one step at a time
	Call     float64 // Python is called with one array
	Effect   float64 // the host starts a program whose calls have effects
}

// Level is a level of memory.
type Level struct {
	Size, Bandwidth float64 // bytes, bytes a second
}

// Cached says which share of the data that a run touches is in the cache of a core, and which in the one that all cores share.
type Cached struct{ Near, Mid float64 }

// Cached says what the caches hold of so many bytes that a run touches: as much of it as fits.
func (m *Memories) Cached(touched float64) (c Cached) {
	if touched <= 0 {
		return Cached{Near: 1}
	}
	c.Near = min(1, m.Core.Size/touched)
	c.Mid = max(0, min(1, m.Shared.Size/touched)-c.Near)
	return c
}

// Link is a way to other devices.
type Link struct {
	Bandwidth float64 // bytes a second, out of one device
	Latency   float64 // ns a message
}

// What a good program gets of a peak: of arithmetic, and of bandwidth.
const (
	attainedProduct   = 0.7
	attainedVector    = 0.5
	attainedBandwidth = 0.85
)
