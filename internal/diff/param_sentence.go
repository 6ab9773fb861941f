package diff

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// argumentsSentence says which arguments have other shapes or types, came or went.
func argumentsSentence(v *Variant) string {
	var parts []string
	read := readByEdits(v)
	for _, p := range v.Params {
		switch {
		case read && (p.Old == nil || p.New == nil):
		case p.Old == nil && !bakedIn(&Variant{Old: v.New, New: v.Old}, p.New):
			parts = append(parts, p.Name+" is new: "+p.New.Shape)
		case p.Old == nil:
		case p.New == nil && !bakedIn(v, p.Old):
			parts = append(parts, p.Name+" is gone: "+p.Old.Shape)
		case p.New == nil:
		case p.Old.Shape != p.New.Shape:
			parts = append(parts, fmt.Sprintf("%s: %s → %s", p.Name, p.Old.Shape, p.New.Shape))
		case p.Old.Constant != p.New.Constant:
			parts = append(parts, fmt.Sprintf("%s: %s → %s", p.Name, p.Old.Constant, p.New.Constant))
		}
	}
	return strings.Join(phrase.Within(parts, 4), "; ")
}

// readByEdits says whether an argument that comes or goes does so for what was edited. One without a name is not handed over by the model: the
// framework passes whatever the operations read (PyTorch/XLA's tensors and Python's numbers, what a tf.function captures).
func readByEdits(v *Variant) bool {
	return len(v.Model.Edits) > 0 && countedNames(v.Old.Params) && countedNames(v.New.Params)
}

// bakedIn says whether an argument that is gone is a constant now, whole or in the parts that the compiler made of it; with the sides
// swapped, whether a new one was.
func bakedIn(v *Variant, p *facts.Parameter) bool {
	var parts int64
	dtype, _, _ := strings.Cut(p.Shape, "[")
	for _, c := range NewConstants(v) {
		if c.Bytes < notable {
			continue
		}
		if c.Shape == p.Shape {
			return true
		}
		if strings.HasPrefix(c.Shape, dtype+"[") {
			parts += c.Bytes
		}
	}
	return parts > 0 && parts == p.Bytes
}

// shardingSentence says which arguments are spread over the devices in another way.
func shardingSentence(v *Variant) string {
	var parts []string
	for _, p := range v.Params {
		if p.Old == nil || p.New == nil || alikeSpread(p.Old, p.New) {
			continue
		}
		is, was := spread(p.New), spread(p.Old)
		if is == was { // in the same parts, on other devices
			is, was = "sharded "+p.New.Sharding, "sharded "+p.Old.Sharding
		}
		parts = append(parts, fmt.Sprintf("%s is %s now, was %s", p.Name, is, was))
	}
	return strings.Join(phrase.Within(parts, 4), "; ")
}

// alikeSpread says whether two arguments lie on the devices in the same way: whole can be written in several ways, or not at all.
func alikeSpread(a, b *facts.Parameter) bool {
	return a.Sharding == b.Sharding || spread(a) == whole && spread(b) == whole
}

const whole = "whole on every device"

// spread says how an argument lies on the devices: "split on dimension 1 in 8", "whole on every device".
func spread(p *facts.Parameter) string {
	if p.Spec != "" {
		return "sharded " + p.Spec
	}
	tiles, ok := strings.CutPrefix(p.Sharding, "{devices=[")
	if !ok {
		if p.Sharding == "" || strings.Contains(p.Sharding, "replicated") {
			return whole
		}
		return "sharded " + p.Sharding
	}
	tiles, _, _ = strings.Cut(tiles, "]")
	var parts []string
	for d, n := range strings.Split(tiles, ",") {
		if n != "1" && d < len(dimensions(p.Shape)) {
			parts = append(parts, fmt.Sprintf("dimension %d in %s", d, n))
		}
	}
	if len(parts) == 0 {
		return whole
	}
	return "split on " + strings.Join(parts, ", ")
}

// donationSentence says how many arguments lend their buffers to results no longer, or do so now.
func donationSentence(v *Variant) string {
	var lost, gained []*facts.Parameter
	for _, p := range v.Params {
		switch {
		case p.Old == nil || p.New == nil:
		case p.Old.Aliased && !p.New.Aliased:
			lost = append(lost, p.New)
		case !p.Old.Aliased && p.New.Aliased:
			gained = append(gained, p.New)
		}
	}
	switch {
	case len(lost) > 0:
		return "no longer updated in place: " + strings.Join(phrase.Within(Trees(lost), 4), ", ")
	case len(gained) > 0:
		return "updated in place now: " + strings.Join(phrase.Within(Trees(gained), 4), ", ")
	}
	return ""
}

// notable is from how many bytes a new constant is worth naming.
const notable = 256

// constantsSentence names the largest constant that is new, and the argument that it was.
func constantsSentence(v *Variant) (facts.Constant, string) {
	var largest facts.Constant
	for _, c := range NewConstants(v) {
		if c.Bytes > largest.Bytes {
			largest = c
		}
	}
	if largest.Bytes < notable {
		return facts.Constant{}, ""
	}
	text := fmt.Sprintf("%s (%s) is baked in as a constant now", largest.Shape, phrase.Bytes(float64(largest.Bytes)))
	if name := FormerArgument(v, largest.Shape); name != "" {
		text += ", it was the argument " + name
	}
	return largest, text
}

// NewConstants are the constants that the old program has fewer of, by shape.
func NewConstants(v *Variant) []facts.Constant {
	had := map[string]int{}
	if v.Old != nil {
		for _, c := range v.Old.Constants {
			had[c.Shape]++
		}
	}
	var out []facts.Constant
	for _, c := range v.New.Constants {
		if had[c.Shape]--; had[c.Shape] < 0 {
			out = append(out, c)
		}
	}
	return out
}

// FormerArgument names the argument of a shape that is gone, or that nothing reads any more, else one that is gone and that all new
// constants together make up; "" when there is none.
func FormerArgument(v *Variant, shape string) string {
	for _, p := range v.Params {
		if p.Old == nil || p.Old.Shape != shape {
			continue
		}
		if p.New == nil || p.New.Unused && !p.Old.Unused {
			return p.Name
		}
	}
	for _, p := range v.Params {
		if p.New == nil && bakedIn(v, p.Old) {
			return p.Name
		}
	}
	return ""
}
