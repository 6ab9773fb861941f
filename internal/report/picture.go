package report

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// Picture is an SVG for a comment. It holds words and numbers of ours alone, nothing that a dump names.
type Picture struct {
	Name, Alt string
	SVG       []byte
}

// Pictures draws the variant whose step moved the most: the parts of its time before and after, and where its module is there the memory
// that is alive over its schedule. There are none where no step moved.
func Pictures(r *result.Result, looked []webpage.Looked) []Picture {
	target, v := movedMost(r)
	if v == nil {
		return nil
	}
	list := []Picture{stepPicture(v.Base, v.Facts)}
	for _, l := range looked {
		for _, p := range l.Programs {
			for _, d := range p.Variants {
				if l.Target != target || d.New == nil || d.New.Signature != v.Signature {
					continue
				}
				if p, ok := memoryPicture(live(d.Old), live(d.New)); ok {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

func movedMost(r *result.Result) (target string, most *result.Variant) {
	by := 0.0
	for i := range r.Targets {
		for j := range r.Targets[i].Programs {
			variants := r.Targets[i].Programs[j].Variants
			for k := range variants {
				v := &variants[k]
				if moved := math.Abs(v.Facts[stepTime] - v.Base[stepTime]); v.Base[stepTime] > 0 && moved > by {
					by, target, most = moved, r.Targets[i].Name, v
				}
			}
		}
	}
	return target, most
}

func live(v *facts.Variant) []int64 {
	if v == nil {
		return nil
	}
	if s := v.Schedule(); s != nil {
		return s.Live()
	}
	return nil
}

// pictureWidth is that of a comment; what is left and right of a bar is for words.
const (
	pictureWidth = 720
	barLeft      = 60
	barRight     = 630
)

// pictureStyle has the colours of the page.
const pictureStyle = `text{font:13px system-ui,sans-serif;fill:#1b2027}.dim{fill:#59636f}.axis{stroke:#b3bcc8;fill:none}` +
	`.launches{fill:#e69f00}.compute{fill:#0072b2}.memory{fill:#56b4e9}.network{fill:#009e73}.host{fill:#cc79a7}` +
	`.now{fill:#56b4e9;fill-opacity:.35;stroke:#0072b2;stroke-width:1.5}.was{fill:none;stroke:#a8430a;stroke-width:1.5;stroke-dasharray:5 3}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.dim{fill:#a3aebb}.axis{stroke:#5d6875}.was{stroke:#f5a070}}`

// drawing is an SVG in the making.
type drawing struct {
	strings.Builder
}

func (d *drawing) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(d, `<text x="%.0f" y="%.0f" class="%s" text-anchor="%s">%s</text>`, x, y, class, anchor, html.EscapeString(text))
}

func (d *drawing) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, x, y, width, height)
}

func (d *drawing) picture(name, alt string, height int) Picture {
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s"><style>%s</style>%s</svg>`,
		pictureWidth, height, pictureWidth, height, html.EscapeString(alt), pictureStyle, d.String())
	return Picture{name, alt, []byte(svg + "\n")}
}

// stepPicture is the step as a bar before and after, each part in its colour.
func stepPicture(was, is facts.Values) Picture {
	var d drawing
	most := max(was[stepTime], is[stepTime])
	for i, side := range []struct {
		label string
		facts facts.Values
	}{{"before", was}, {"after", is}} {
		x, y := float64(barLeft), float64(8+28*i)
		d.text(0, y+15, "dim", "start", side.label)
		for _, part := range priceParts {
			width := side.facts[part.fact] / most * (barRight - barLeft)
			d.rect(part.text, x, y, width, 20)
			x += width
		}
		d.text(pictureWidth, y+15, "", "end", phrase.Nanoseconds(side.facts[stepTime]))
	}
	x := float64(barLeft)
	for _, part := range priceParts {
		d.rect(part.text, x, 70, 10, 10)
		d.text(x+15, 80, "dim", "start", part.text)
		x += 90
	}
	moved := growth(is[stepTime]-was[stepTime], was[stepTime])
	d.text(pictureWidth, 80, "", "end", moved)
	return d.picture("step.svg", fmt.Sprintf("The predicted step, %s before and %s after, by part", phrase.Nanoseconds(was[stepTime]), phrase.Nanoseconds(is[stepTime])), 90)
}

// maxPoints bounds a curve; more steps than that are joined by their highest.
const maxPoints = 300

// memoryPicture is the memory that is alive over the schedule. It is only drawn of what is there now; what was is a line before it.
func memoryPicture(was, is []int64) (Picture, bool) {
	was, is = coarse(was), coarse(is)
	if len(is) < 2 {
		return Picture{}, false
	}
	const top, bottom = 24.0, 150.0
	peak, before := highest(is), highest(was)
	most := float64(max(peak, before, 1))
	var d drawing
	line := func(list []int64) string {
		points := make([]string, len(list))
		for i, n := range list {
			points[i] = fmt.Sprintf("%.1f,%.1f", float64(i)/float64(len(list)-1)*pictureWidth, bottom-float64(n)/most*(bottom-top))
		}
		return strings.Join(points, " ")
	}
	fmt.Fprintf(&d, `<polygon class="now" points="0,%[1]v %[2]s %[3]d,%[1]v"/>`, bottom, line(is), pictureWidth)
	said := "at most " + phrase.Bytes(float64(peak)) + " of arrays"
	if len(was) > 1 {
		fmt.Fprintf(&d, `<polyline class="was" points="%s"/>`, line(was))
		said += ", before " + phrase.Bytes(float64(before)) + " (dashed)"
	}
	fmt.Fprintf(&d, `<path class="axis" d="M0,%v H%d"/>`, bottom, pictureWidth)
	d.text(0, 14, "", "start", said)
	d.text(0, bottom+18, "dim", "start", "the schedule's first instruction")
	d.text(pictureWidth, bottom+18, "dim", "end", "its last")
	return d.picture("memory.svg", "The memory that is alive over the schedule: "+said, 176), true
}

func highest(list []int64) int64 {
	most := int64(0)
	for _, n := range list {
		most = max(most, n)
	}
	return most
}

func coarse(list []int64) []int64 {
	if len(list) <= maxPoints {
		return list
	}
	out := make([]int64, maxPoints)
	for i, n := range list {
		at := i * maxPoints / len(list)
		out[at] = max(out[at], n)
	}
	return out
}
