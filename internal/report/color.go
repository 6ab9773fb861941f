package report

import "github.com/fatih/color"

// colors underline the voices on a terminal.
var colors = map[voice][]color.Attribute{
	strong: {color.Bold},
	dim:    {color.Faint},
	bad:    {color.FgRed},
	warn:   {color.FgYellow},
	good:   {color.FgGreen},
}

// painter colours text by its voice, or leaves it as it is. Whether colour is wanted was decided by the caller, so the library's
// own look at the environment is overruled.
func painter(wanted bool) func(voice, string) string {
	pens := map[voice]*color.Color{}
	if wanted {
		for v, attributes := range colors {
			pens[v] = color.New(attributes...)
			pens[v].EnableColor()
		}
	}
	return func(v voice, text string) string {
		if pen := pens[v]; pen != nil && text != "" {
			return pen.Sprint(text)
		}
		return text
	}
}
