package hlo

import (
	"bytes"
	"strings"
)

// defaults are the values of attributes that say what their absence says: XLA's printer leaves most of them out, a hand may write them,
// or leave out the others. A channel 0 is none.
var defaults = map[string]string{
	"api_version": "API_VERSION_ORIGINAL", "async_execution_thread": "main", "batch_group_count": "1", "channel_id": "0",
	"constrain_layout": "false", "control-predecessors": "{}", "custom_call_has_side_effect": "false", "feature_group_count": "1",
	"frontend_attributes": "{}", "indices_are_sorted": "false", "input_batching_dims": "{}", "is_associative": "false", "is_composite": "false",
	"is_cross_program_prefetch": "false", "is_host_transfer": "false", "is_reverse": "false", "is_stable": "false",
	"left_side": "false", "lhs_batch_dims": "{}", "lhs_contracting_dims": "{}", "lhs_ragged_dims": "{}", "lower": "false",
	"operand_batching_dims": "{}", "output_to_operand_aliasing": "{}", "replica_groups": "{}", "result_accuracy": "{mode=default}",
	"rhs_batch_dims": "{}", "rhs_contracting_dims": "{}", "rhs_group_dims": "{}",
	"scatter_indices_batching_dims": "{}", "schedule": "SCHEDULE_NONE", "start_indices_batching_dims": "{}",
	"unique_indices": "false", "unit_diagonal": "false", "use_global_device_ids": "false", "window": "{}",
}

// isDefault tells whether an attribute says what its absence says.
func isDefault(key string, value []byte) bool {
	if key == "operand_precision" {
		return len(bytes.ReplaceAll(bytes.Trim(value, "{}"), []byte("default"), nil)) == bytes.Count(value, []byte(","))
	}
	normal, known := defaults[key]
	return known && normal == string(value)
}

// canonicalWindow leaves out the parts of a window that are usual in all dimensions.
func canonicalWindow(window string) string {
	var parts []string
	for _, part := range strings.Fields(strings.Trim(window, "{}")) {
		name, value, _ := strings.Cut(part, "=")
		if strings.Trim(strings.ReplaceAll(value, usualWindow[name], ""), "x") != "" {
			parts = append(parts, part)
		}
	}
	return "{" + strings.Join(parts, " ") + "}"
}

var usualWindow = map[string]string{"stride": "1", "pad": "0_0", "lhs_dilate": "1", "rhs_dilate": "1", "rhs_reversal": "0"}

// canonicalSlice spells {[0:4:1], [0:2]} as {[0:4], [0:2]}: strides stand in all dimensions or in none.
func canonicalSlice(slice string) string {
	bounds := strings.Split(strings.TrimSuffix(strings.TrimPrefix(slice, "{["), "]}"), "], [")
	return "{[" + strings.Join(withThirds(bounds, ":", "1"), "], [") + "]}"
}

// canonicalPadding spells 1_1_0x0_2 as 1_1x0_2: paddings inside stand in all dimensions or in none.
func canonicalPadding(padding string) string {
	return strings.Join(withThirds(strings.Split(padding, "x"), "_", "0"), "x")
}

// withThirds gives all entries of numbers a third one, or none where all have the usual one.
func withThirds(entries []string, separator, usual string) []string {
	all, unusual := make([]string, len(entries)), false
	for i, entry := range entries {
		if strings.Count(entry, separator) < 2 {
			entry += separator + usual
		}
		all[i] = entry
		unusual = unusual || !strings.HasSuffix(entry, separator+usual)
	}
	for i, entry := range all {
		if !unusual {
			all[i] = strings.TrimSuffix(entry, separator+usual)
		}
	}
	return all
}
