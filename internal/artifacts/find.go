package artifacts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// AssemblerVariable is the environment variable with the path of the assembler, or with Off to use none.
const (
	AssemblerVariable = "XLAGATE_PTXAS"
	Off               = "off"
)

// FindAssembler returns the path of ptxas, "" if there is none. It looks at AssemblerVariable, PATH, pip's wheels in Python environments, and CUDA's
// own folder, in this order. It does not check a path in AssemblerVariable.
func FindAssembler(getenv func(string) string) string {
	switch named := getenv(AssemblerVariable); named {
	case "":
	case Off:
		return ""
	default:
		return named
	}
	folders := filepath.SplitList(getenv("PATH"))
	for _, folder := range folders {
		if found := program(filepath.Join(folder, "ptxas")); found != "" {
			return found
		}
	}
	for _, root := range environments(getenv, folders) {
		if found := inWheel(root); found != "" {
			return found
		}
	}
	for _, root := range []string{getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"} {
		if root == "" {
			continue
		}
		if found := program(filepath.Join(root, "bin", "ptxas")); found != "" {
			return found
		}
	}
	return ""
}

// environments returns the folders of Python environments: the active one, and those whose interpreter is in PATH.
func environments(getenv func(string) string, folders []string) []string {
	var roots []string
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if root := getenv(name); root != "" {
			roots = append(roots, root)
		}
	}
	for _, folder := range folders {
		if program(filepath.Join(folder, "python")) != "" || program(filepath.Join(folder, "python3")) != "" {
			roots = append(roots, filepath.Dir(folder))
		}
	}
	return roots
}

// inWheel finds the assembler of nvidia-cuda-nvcc: nvidia/cuda_nvcc/bin of CUDA 12, nvidia/cu13/bin of CUDA 13.
func inWheel(root string) string {
	for _, packages := range []string{"lib/python*/site-packages", "lib/python*/dist-packages", "Lib/site-packages"} {
		found, _ := filepath.Glob(filepath.Join(root, packages, "nvidia", "cu*", "bin", "ptxas*")) // the pattern is well formed
		for _, path := range found {
			if path = program(path); path != "" {
				return path
			}
		}
	}
	return ""
}

// program returns the path of a program, "" if no executable file is there.
func program(path string) string {
	if runtime.GOOS == "windows" && filepath.Ext(path) == "" {
		path += ".exe"
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return ""
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return ""
	}
	return found
}
