package facts

import (
	"slices"

	"github.com/xlagate/xlagate/internal/price"
)

// DeviceOf is the device that a variant is priced on: the one that was chosen, else the one that the dump names, else the reference of its kind;
// a program that was compiled for another kind of device, as for the host of a GPU, runs on that kind's reference. It is nil for a device that no
// price is known of.
func (r *Report) DeviceOf(v *Variant) *price.Device {
	family := price.Family(orElse(v.Backend, r.Toolchain.Backend))
	if d := price.Named(r.Device); d != nil && d.Family == family {
		return d
	}
	if called := r.Toolchain.Device; called != "" && family != price.CPU {
		return price.Of(string(family), called)
	}
	return price.Reference(family)
}

// PricedOn is the name of the device that the programs are priced on, "" where no price is known of it, and whether that is assumed: nobody
// chose it, and the dump names none.
func (r *Report) PricedOn() (name string, assumed bool) {
	name = r.priced()
	return name, name != "" && r.Device == "" && r.Toolchain.Device == ""
}

// priced is the name of the device that the programs are priced on, "" where no price is known of it.
func (r *Report) priced() string {
	if r.Device != "" {
		return r.Device
	}
	if d := r.DeviceOf(&Variant{Backend: r.Toolchain.Backend}); d != nil {
		return d.Name
	}
	return ""
}

// PriceAll sets the facts of all variants that say what a run is predicted to take.
func (r *Report) PriceAll() {
	for _, p := range slices.Concat(r.Programs, r.Helpers) {
		for _, v := range p.Variants {
			if d := r.DeviceOf(v); d != nil && v.WorkVersion > 0 {
				v.PriceOn(d)
			}
		}
	}
}

// PriceAlike prices what was accepted earlier on the device of what is fresh, and by the same measure: a kernel that another version of xlagate
// measured asks for what a fresh one of the same print does.
func PriceAlike(old, fresh *Report) {
	known := map[string]price.Work{}
	for _, p := range fresh.Programs {
		for _, v := range p.Variants {
			for i := range v.Kernels {
				known[v.Kernels[i].Print] = v.Kernels[i].Work
			}
		}
	}
	for _, p := range old.Programs {
		for _, v := range p.Variants {
			if v.WorkVersion > 0 && v.WorkVersion != price.Version {
				v.measureAs(known)
			}
		}
	}
	old.Device, fresh.Device = fresh.priced(), fresh.priced()
	old.PriceAll()
	fresh.PriceAll()
}

// measureAs gives kernels the work that is known of their print.
func (v *Variant) measureAs(known map[string]price.Work) {
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if w, ok := known[k.Print]; ok && w != k.Work {
			form := *k.Form
			form.Work = w
			k.Form = &form
		}
	}
}
