package hlo

import "bytes"

// defaults are the values of attributes that XLA's printer leaves out and a hand may write. A channel 0 is none.
var defaults = map[string]string{
	"api_version": "API_VERSION_ORIGINAL", "async_execution_thread": "main", "batch_group_count": "1", "channel_id": "0",
	"constrain_layout": "false", "control-predecessors": "{}", "custom_call_has_side_effect": "false", "feature_group_count": "1",
	"frontend_attributes": "{}", "indices_are_sorted": "false", "input_batching_dims": "{}", "is_composite": "false",
	"is_cross_program_prefetch": "false", "is_host_transfer": "false", "is_reverse": "false", "is_stable": "false",
	"left_side": "false", "lhs_batch_dims": "{}", "lhs_ragged_dims": "{}", "lower": "false", "operand_batching_dims": "{}",
	"output_to_operand_aliasing": "{}", "result_accuracy": "{mode=default}", "rhs_batch_dims": "{}", "rhs_group_dims": "{}",
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
