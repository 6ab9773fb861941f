package main

import "testing"

// The model of a module stays in memory as long as it is held, and what was measured of it is less.
func TestHeldBy(t *testing.T) {
	t.Chdir("../..")
	in, err := madeModule(t.TempDir(), text, 4)
	if err != nil {
		t.Fatal(err)
	}
	model, err := heldBy(in, modelled)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := heldBy(in, measured)
	if err != nil {
		t.Fatal(err)
	}
	if kept <= 0 || model <= kept || model > 2 {
		t.Errorf("the model holds %.3f of the file, what was measured %.3f", model, kept)
	}
	nothing, err := heldBy(in, func([]byte, string) (any, error) { return nil, nil })
	if err != nil || nothing > kept/2 {
		t.Errorf("nothing holds %.3f, %v", nothing, err)
	}
}
