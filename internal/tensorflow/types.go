package tensorflow

// DataType is TensorFlow's number of an element type; a reference type is the same number plus 100.
type DataType int32

// The element types that matter to clustering.
const (
	Int32    DataType = 3
	String   DataType = 7
	Int64    DataType = 9
	Bool     DataType = 10
	Resource DataType = 20
	Variant  DataType = 21

	refOffset DataType = 100
)

// base returns the type that a reference refers to.
func (t DataType) base() DataType {
	if t > refOffset {
		return t - refOffset
	}
	return t
}

// dataTypes are the names that text graphs use.
var dataTypes = map[string]int64{
	"DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6, "DT_STRING": 7, "DT_COMPLEX64": 8,
	"DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14, "DT_QINT16": 15,
	"DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20, "DT_VARIANT": 21, "DT_UINT32": 22,
	"DT_UINT64": 23, "DT_FLOAT8_E5M2": 24, "DT_FLOAT8_E4M3FN": 25, "DT_INT4": 29, "DT_UINT4": 30,
	"DT_STRING_REF": 107, "DT_RESOURCE_REF": 120, "DT_VARIANT_REF": 121, "DT_FLOAT_REF": 101, "DT_INT32_REF": 103,
	"DT_INT64_REF": 109, "DT_BOOL_REF": 110,
}

// has reports whether the node's attributes name the type, or a reference to it.
func (n *Node) has(t DataType) bool {
	for _, have := range n.Types {
		if have.base() == t {
			return true
		}
	}
	return false
}

// addType notes a type once.
func (n *Node) addType(t DataType) {
	for _, have := range n.Types {
		if have == t {
			return
		}
	}
	n.Types = append(n.Types, t)
}
