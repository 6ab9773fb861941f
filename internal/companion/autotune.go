package companion

import "slices"

// Autotuning is what the autotuner chose.
type Autotuning struct {
	Version int64
	Results int
	Devices []string // the devices it was tuned on, sorted, each once
}

// ReadAutotuneResults reads an .autotune_results.pbtxt.
func ReadAutotuneResults(data []byte) (*Autotuning, error) {
	root, err := readTextProto(data)
	if err != nil {
		return nil, err
	}
	a := &Autotuning{}
	if a.Version, err = root.int("version"); err != nil {
		return nil, err
	}
	for _, r := range root.all("results") {
		a.Results++
		a.Devices = append(a.Devices, r.text("device"))
	}
	slices.Sort(a.Devices)
	a.Devices = slices.Compact(a.Devices)
	return a, nil
}
