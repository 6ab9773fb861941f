package config

import (
	"os"
	"testing"
)

// TestWorkflowIsTheExample keeps the workflow that init writes from growing apart from the one that is tested.
func TestWorkflowIsTheExample(t *testing.T) {
	example, err := os.ReadFile("../../examples/workflows/xlagate.yml")
	if err != nil {
		t.Fatal(err)
	}
	if workflow != string(example) {
		t.Error("examples/workflows/xlagate.yml is not what init writes")
	}
}
