package dump

import "strings"

// Backend is the module's backend: "cpu", "gpu", "tpu", or another that a tag names; "" when nothing says so.
func (m *Module) Backend() string {
	for i := range m.Stages {
		if tag := m.Stages[i].Tag; tag != "" {
			return backendOfTag(tag)
		}
	}
	for _, f := range m.Companions {
		if backend, ok := companionBackends[f.Kind]; ok {
			return backend
		}
	}
	switch {
	case m.Stage(StageBeforeAssignment) != nil, m.Stage(StageAfterCodegen) != nil, m.spelled != cutChangelist(m.spelled):
		return "tpu"
	}
	for i := range m.Stages {
		if m.Stages[i].Pass.Pipeline == "IPU" {
			return "ipu"
		}
	}
	return ""
}

// Build is the compiler's own version where the file names hold it: "cl/1003875606" of libtpu; "" elsewhere.
func (m *Module) Build() string {
	if n, ok := strings.CutPrefix(m.spelled[len(cutChangelist(m.spelled)):], ".cl_"); ok {
		return "cl/" + n
	}
	return ""
}

// companionBackends are the files that only one backend writes.
var companionBackends = map[Kind]string{
	KindTPU:               "tpu",
	KindFlagFile:          "tpu",
	KindTPU.asProto():     "tpu",
	KindTargetConfig:      "gpu",
	KindAutotuneResults:   "gpu",
	KindThunks:            "gpu",
	KindThunksAfterPasses: "gpu",
	KindThunkMetadata:     "gpu",
	KindThunkSchedule:     "gpu",
	KindPTX:               "gpu",
	KindDeviceObject:      "gpu",
	KindObject:            "cpu",
}

// backendOfTag reads "cpu", "gpu", "sm_9.0a_gpu" and "gfx942_gpu".
func backendOfTag(tag string) string {
	if tag == "gpu" || strings.HasSuffix(tag, "_gpu") {
		return "gpu"
	}
	return tag
}
