package facts

import (
	"reflect"
	"sync"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What equals another thing is that thing, and what differs in anything is not.
func TestStockKeepsOneOfEach(t *testing.T) {
	s := newInterner()
	at := Site{OpName: "jit(f)/tanh", OpType: "Tanh", Source: hlo.Location{File: "m.py", Line: 3}, Stack: &Stack{Caller: &Stack{}}, Times: 2, Loop: "jit(f)/while", InLoop: true}
	form := Form{Kind: "loop", Do: OpcodesOf("add", "tanh"), Root: "tanh", Out: "f32[8]", In: []string{"f32[8]"}, Print: "aa", Config: []string{"epilogue=GELU"}, Handwritten: Handwritten{Written: map[string]int{"math.exp": 1}}}
	site, kept := s.site(at), s.form(form)
	if s.site(at) != site || s.form(form) != kept || *site != at || !kept.equal(&form) {
		t.Error("the same thing twice")
	}
	outer := s.stack(Stack{Location: hlo.Location{File: "m.py", Line: 9}})
	if inner := s.stack(Stack{Location: at.Source, Caller: outer}); inner != s.stack(Stack{Location: at.Source, Caller: outer}) || inner == s.stack(Stack{Location: at.Source}) || inner.Caller != outer {
		t.Error("a stack is its line and what called it")
	}
	for i := range reflect.TypeFor[Site]().NumField() {
		other := at
		change(reflect.ValueOf(&other).Elem().Field(i))
		if s.site(other) == s.site(at) || *s.site(other) != other {
			t.Errorf("a site with another %s", reflect.TypeFor[Site]().Field(i).Name)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Form]()) {
		if field.Anonymous {
			continue
		}
		other := form
		change(reflect.ValueOf(&other).Elem().FieldByIndex(field.Index))
		if s.form(other).equal(s.form(form)) || !reflect.DeepEqual(*s.form(other), other) {
			t.Errorf("a form with another %s", field.Name)
		}
	}
}

// change makes any value another one.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "'")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Array:
		change(v.Index(0))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetZero()
	}
}

// Modules that are measured at the same time may take from one stock.
func TestStockSideBySide(t *testing.T) {
	s := newInterner()
	var jobs sync.WaitGroup
	for range 8 {
		jobs.Go(func() {
			for i := range int32(1000) {
				at := Site{OpName: "jit(f)/tanh", Source: hlo.Location{File: "m.py", Line: i % 100}}
				if *s.site(at) != at {
					t.Error("another site")
				}
			}
		})
	}
	jobs.Wait()
}
