package tensorflow

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// systemOps are operations that may always stay outside the clusters: the model's arithmetic does not ask for them. What they have in
// common is named by the groups.
var systemOps = setOf(
	// The edges of a graph: arguments, results, what eager execution puts around them, constants.
	"_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "_EagerConst", "NoOp", "_SOURCE", "_SINK", "ControlTrigger",
	"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Const", "HostConst", "_HostConst", "ImmutableConst", "FakeParam",
	// Values handed on as they are.
	"Identity", "IdentityN", "_IdentityN", "StopGradient", "PreventGradient", "Snapshot", "EnsureShape",
	// Values moved between devices and processes.
	"_Send", "_Recv", "_HostSend", "_HostRecv", "Send", "Recv", "HostSend", "HostRecv", "_ParallelConcatStart", "CopyHost", "Copy",
	"_XlaSendFromHost", "_XlaRecvAtHost", "_ArrayToList", "_ListToArray",
	// The skeleton of loops and conditions after their bodies were laid out flat.
	"Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration",
	"RefNextIteration", "LoopCond",
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
	return systemOps[op] || isDatasetOp(op)
}

// isDatasetOp recognises the operations that build a tf.data pipeline: TensorSliceDataset, BatchDatasetV2, …
func isDatasetOp(op string) bool {
	stem := strings.TrimRight(op, "0123456789")
	if stem != op {
		stem = strings.TrimSuffix(stem, "V")
	}
	return strings.HasSuffix(stem, "Dataset")
}

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
