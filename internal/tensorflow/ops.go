package tensorflow

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Separation reports whether an operation outside of the clusters may be what keeps them apart.
type Separation int

// The values of Separation: the greater, the likelier.
const (
	SeparatesNothing Separation = iota // its function holds fewer than two clusters, or it only feeds another operation that is outside
	MaySeparate                        // XLA could compile it
	Separates
)

// severalClusters reports whether operations of more than one cluster are among the nodes. What was compiled because it was asked for is apart for that alone.
func (s *sorter) severalClusters(nodes []*Node) bool {
	first := ""
	for _, n := range nodes {
		name := s.clusterOf(n)
		switch {
		case name == "" || s.mustCompile(n):
		case first == "":
			first = name
		case name != first:
			return true
		}
	}
	return false
}

// clusterOf is the cluster that a node is in or represents, "" if there is none.
func (s *sorter) clusterOf(n *Node) string {
	switch {
	case n.Cluster != "":
		return n.Cluster
	case s.compiled[callee(n)], s.mustCompile(n):
		return callee(n)
	case n.Kernel:
		return n.Op
	}
	return s.runs[n.Name]
}

// separation judges a node outside the clusters by itself and by what reads it.
func (r *reasons) separation(i int) Separation {
	switch {
	case SystemOp(r.nodes[i].Op):
		return SystemSeparation(r.nodes[i].Op)
	case len(r.data.behind[i]) > 0 && !slices.ContainsFunc(r.data.behind[i], func(user int) bool {
		n := r.nodes[user]
		return n.Cluster != "" || n.Kernel || SystemOp(n.Op)
	}): // its results go to nothing but operations of the model that no cluster took, as a text's do that is printed
		return SeparatesNothing
	case r.compilable(i):
		return MaySeparate
	}
	return Separates
}

// SystemSeparation judges a system operation. Only the branches of a condition part clusters, and what counts or steps a variable may.
func SystemSeparation(op string) Separation {
	switch op {
	case "Switch":
		return Separates
	case "AssignAddVariableOp", "AssignSubVariableOp":
		return MaySeparate
	}
	return SeparatesNothing
}

// collectivePrefixes begin the names of operations by which TensorFlow's own runtime, NCCL or Horovod exchange data between devices.
var collectivePrefixes = []string{"Collective", "Nccl", "Horovod"}

// collectiveKinds tell by a part of an operation's name what it exchanges, as XLA calls it; the first that is in it has it. What only
// prepares an exchange or asks for the number of processes is none.
var collectiveKinds = []struct{ part, kind string }{
	{"reducescatter", "reduce-scatter"},
	{"reduce", "all-reduce"},
	{"gather", "all-gather"},
	{"alltoall", "all-to-all"},
	{"permute", "collective-permute"},
	{"bcast", "collective-broadcast"},
	{"broadcast", "collective-broadcast"},
}

// collectiveKind is what an operation outside of XLA exchanges between devices, "" when it is no collective.
func collectiveKind(op string) string {
	for _, prefix := range collectivePrefixes {
		name, ok := strings.CutPrefix(op, prefix)
		if !ok {
			continue
		}
		name = strings.ToLower(name)
		for _, k := range collectiveKinds {
			if strings.Contains(name, k.part) {
				return k.kind
			}
		}
	}
	return ""
}

// reached finds the compiled functions and clusters that come next before a node, or behind it.
func (s *sorter) reached(nodes []*Node, start int, next [][]int) (found []string) {
	seen := make([]bool, len(nodes))
	for queue := slices.Clone(next[start]); len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		name := s.clusterOf(nodes[at])
		switch {
		case name == "":
			queue = append(queue, next[at]...)
		case !slices.Contains(found, name):
			found = append(found, name)
		}
	}
	return found
}

// systemOps are operations that may always stay outside the clusters: the model's arithmetic does not ask for them. The groups say what they have in common.
var systemOps = setOf(
	// The edges of a graph: arguments, results, what eager execution puts around them, constants.
	"_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "_EagerConst", "NoOp", "_SOURCE", "_SINK", "ControlTrigger",
	"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Const", "HostConst", "_HostConst", "ImmutableConst", "FakeParam",
	// Values handed on as they are.
	"Identity", "IdentityN", "_IdentityN", "StopGradient", "PreventGradient", "Snapshot", "EnsureShape",
	// Values moved between devices and processes.
	"_Send", "_Recv", "_HostSend", "_HostRecv", "Send", "Recv", "HostSend", "HostRecv", "_ParallelConcatStart", "CopyHost", "Copy",
	"_XlaSendFromHost", "_XlaRecvAtHost", "_ArrayToList", "_ListToArray",
	// Variables: handles, reads and writes. A cluster reads and writes them itself where it can.
	"AssignAddVariableOp", "AssignSubVariableOp", "VarHandleOp", "_VarHandlesOp", "ReadVariableOp", "_ReadVariablesOp", "AssignVariableOp", "VarIsInitializedOp",
	"IsVariableInitialized", "DestroyResourceOp", "DisableCopyOnRead", "Variable", "VariableV2", "AutoReloadVariable", "Assign",
	// The input pipeline; every operation whose name ends in Dataset is one of it too.
	"IteratorGetNext", "IteratorGetNextSync", "IteratorGetNextAsOptional", "Iterator", "IteratorV2", "OneShotIterator",
	"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", "MakeIterator", "DeleteIterator", "IteratorToStringHandle",
	"IteratorFromStringHandle", "IteratorFromStringHandleV2", "SerializeIterator", "DeserializeIterator", "OptionalGetValue",
	"OptionalHasValue", "OptionalFromValue", "OptionalNone", "MultiDeviceIterator", "AnonymousMultiDeviceIterator",
	"AnonymousMultiDeviceIteratorV3", "MultiDeviceIteratorInit", "MultiDeviceIteratorGetNextFromShard",
	"MultiDeviceIteratorToStringHandle", "MultiDeviceIteratorFromStringHandle", "DeleteMultiDeviceIterator", "AnonymousMemoryCache",
	"DeleteMemoryCache", "DummyMemoryCache", "AnonymousSeedGenerator", "DeleteSeedGenerator", "AnonymousRandomSeedGenerator",
	"DeleteRandomSeedGenerator", "DummySeedGenerator", "DatasetToGraph", "DatasetToGraphV2", "DatasetFromGraph",
	"QueueDequeue", "QueueDequeueV2", "QueueDequeueMany", "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2",
	// Checkpoints.
	"SaveV2", "RestoreV2", "ShardedFilename", "ShardedFilespec", "MergeV2Checkpoints",
	// What BuildXlaOps puts in a cluster's place.
	"_XlaCompile", "_XlaRun", "_XlaMerge", "_XlaLaunch", "XlaLaunch", "XlaLaunchV2",
)

// SystemOp reports whether an operation may always stay outside the clusters.
func SystemOp(op string) bool {
	return systemOps[op] || controlFlow[op] || dataset.MatchString(op)
}

// dataset matches the operations that build a tf.data pipeline: TensorSliceDataset, BatchDatasetV2, …
var dataset = regexp.MustCompile(`Dataset(V?\d+)?$`)

// controlFlow is the skeleton of loops and conditions after their bodies were laid out flat.
var controlFlow = setOf("Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration",
	"RefNextIteration", "LoopCond")

// pythonOps call back into the Python interpreter.
var pythonOps = setOf("PyFunc", "PyFuncStateless", "EagerPyFunc")

// randomOps draw from a generator with state, which XLA would seed in another way.
var randomOps = setOf("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "RandomShuffle", "RandomGamma", "RandomGammaGrad",
	"RandomPoisson", "RandomPoissonV2", "TruncatedNormal", "ParameterizedTruncatedNormal", "Multinomial", "VarHandleRng",
	"StatefulUniform", "StatefulUniformInt", "StatefulUniformFullInt", "StatefulStandardNormalV2", "StatefulTruncatedNormal")

// dynamicOps have results whose shape depends on the data.
var dynamicOps = setOf("Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2", "Where", "ListDiff", "DynamicPartition",
	"NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5", "RaggedRange",
	"RaggedGather", "CombinedNonMaxSuppression")

// callOps call functions of the library; their bodies are looked into.
var callOps = setOf("PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf", "Case",
	"StatelessCase", "RemoteCall", "SymbolicGradient", "MapDefun", "For", "BatchFunction", "MultiDeviceCall")

// loopOps are what counting and comparing loop variables takes.
var loopOps = setOf("Add", "AddV2", "Sub", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "LogicalAnd",
	"LogicalOr", "LogicalNot")

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// kernelList names, one a line and sorted, the operations for which TensorFlow 2.21 registers an XLA_CPU_JIT kernel; the GPU list
// differs in a handful. It is only used to say why an operation stayed outside, never to decide whether it did.
//
// Made with: [k.op for k in tensorflow.python.framework.kernels.get_all_registered_kernels().kernel if k.device_type == "XLA_CPU_JIT"]
// after one jit_compile=True function ran.
//
//go:embed kernels.txt
var kernelList string

var kernels = sync.OnceValue(func() []string { return strings.Fields(kernelList) })

// hasKernel reports whether XLA can compile the operation at all.
func hasKernel(op string) bool {
	_, found := slices.BinarySearch(kernels(), op)
	return found
}
