package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// xsdElement is what a schema says of an element: its attributes (true: required), its children, and whether it holds text.
type xsdElement struct {
	attributes map[string]bool
	children   map[string]bool
	text       bool
}

// readXSD reads as much of XML Schema as junit-10.xsd uses.
func readXSD(t *testing.T, file string) map[string]*xsdElement {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	elements := map[string]*xsdElement{}
	var current *xsdElement
	depth := 0
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			switch e.Name.Local {
			case "element":
				if depth == 2 {
					current = &xsdElement{map[string]bool{}, map[string]bool{}, attribute(e, "type") == "xs:string"}
					elements[attribute(e, "name")] = current
				} else if current != nil {
					current.children[attribute(e, "ref")] = true
				}
			case "complexType":
				if depth == 2 {
					current = nil
				} else if current != nil {
					current.text = attribute(e, "mixed") == "true"
				}
			case "attribute":
				if current != nil {
					current.attributes[attribute(e, "name")] = attribute(e, "use") == "required"
				}
			}
		case xml.EndElement:
			depth--
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// checkXML holds a document to a schema.
func checkXML(schema map[string]*xsdElement, r io.Reader) error {
	var stack []string
	for d := xml.NewDecoder(r); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.StartElement:
			known := schema[e.Name.Local]
			if known == nil || len(stack) > 0 && !schema[stack[len(stack)-1]].children[e.Name.Local] {
				return fmt.Errorf("<%s> must not stand in %v", e.Name.Local, stack)
			}
			given := map[string]bool{}
			for _, a := range e.Attr {
				given[a.Name.Local] = true
				if _, ok := known.attributes[a.Name.Local]; !ok {
					return fmt.Errorf("<%s> has no attribute %s", e.Name.Local, a.Name.Local)
				}
			}
			for name, required := range known.attributes {
				if required && !given[name] {
					return fmt.Errorf("<%s> lacks %s", e.Name.Local, name)
				}
			}
			stack = append(stack, e.Name.Local)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && strings.TrimSpace(string(e)) != "" && !schema[stack[len(stack)-1]].text {
				return fmt.Errorf("<%s> holds no text, got %q", stack[len(stack)-1], e)
			}
		}
	}
}

func TestJUnitSchema(t *testing.T) {
	schema := readXSD(t, "testdata/junit-10.xsd")
	for name, r := range map[string]*result.Result{"failing": failing(), "passing": passing(), "incomplete": incomplete(), "ugly": ugly(), "empty": {}} {
		var out bytes.Buffer
		if err := Result.Render(&out, r, "junit", Options{}); err != nil {
			t.Fatal(err)
		}
		if err := checkXML(schema, &out); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJUnitCounts(t *testing.T) {
	r := ugly()
	var out bytes.Buffer
	if err := Result.Render(&out, r, "junit", Options{}); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if all.Failures != 5 || all.Errors != 1 || all.Tests != 12 {
		t.Errorf("%d tests, %d failures, %d errors", all.Tests, all.Failures, all.Errors)
	}
	// a run that fails on warnings alone was told to
	r = failing()
	c := &r.Changes[0]
	c.Level, r.Summary.Errors, r.Summary.Warnings = "warning", 0, 1
	if changeCase(index(r), "", c).Failure == nil {
		t.Error("the warning that failed the gate is no failure")
	}
	r.Verdict = "pass"
	if changeCase(index(r), "", c).Failure != nil {
		t.Error("a warning that passed is a failure")
	}
}
