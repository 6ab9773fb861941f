package dump

import (
	"strings"
)

// helperNames are the functions and primitives of jax.lax, jax.numpy, jax.random, jax.nn and jax.scipy that JAX compiles as
// programs of their own when they are called outside of any jit; without leading underscores.
var helperNames = setOf(`
abs absolute accum_grad_in_ref accumulate acos acosh add add_any addupdate after_all all all_gather all_gather_done
all_gather_invariant all_gather_reduced all_gather_reduced_start all_gather_start all_to_all all_to_all_done
all_to_all_start allclose amax amin and angle any append approx_max_k approx_min_k approx_top_k arange arccos arccosh
arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array_equal array_equiv
array_split asarray asin asinh associative_scan astype at atan atan2 atanh atleast_1d atleast_2d atleast_3d average
axis_index axis_size ball bartlett batch_matmul bernoulli bessel_i0e bessel_i1e bessel_jn beta betainc betaln bfloat16
bincount binom binomial binomial_inversion bitcast_convert_type bits bitwise_and bitwise_count bitwise_invert
bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block block_diag bool bool_ boxcox
boxcox1p broadcast broadcast_arrays broadcast_in_dim broadcast_like broadcast_to broadcasted_iota btrs buffer_callback
calc_P_Q call call_vectorized categorical cauchy cbrt cdf ceil celu chisquare cho_factor cho_solve choice cholesky
cholesky_update choose circulant clamp clip clone closed_call cluster clz collapse column_stack comb complex
complex128 complex64 complex_ complex_loggamma_scipy composite compress compute_on concat concatenate cond conj
conjugate constant conv conv_general_dilated conv_general_dilated_local conv_general_dilated_patches conv_transpose
conv_with_general_padding convert_element_type convolution_matrix convolve copy copysign corrcoef correlate cos cosh
count_nonzero cov create_token cross cumlogsumexp cummax cummin cumprod cumsum cumsum_with_promotion cumulative_prod
cumulative_reduction cumulative_sum custom_jvp_call custom_jvp_call_jaxpr custom_linear_solve custom_partitioning
custom_root custom_transpose_call custom_vjp_call custom_vjp_call_jaxpr custom_vmap_call dawsn dce_sink debug_callback
deg2rad degrees delete delta_orthogonal det device_put device_put_reshard dft diag diag_indices diag_indices_from
diagflat diagonal diff digamma digitize dimension_size dirichlet div divide divmod dot dot_general
dot_product_attention dot_product_attention_bwd dot_product_attention_bwd_wrapper dot_product_attention_fp8_bwd
dot_product_attention_fp8_bwd_wrapper dot_product_attention_fp8_fwd dot_product_attention_fp8_fwd_wrapper
dot_product_attention_fwd dot_product_attention_fwd_wrapper double_sided_maxwell dsplit dstack dynamic_index_in_dim
dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
ediff1d eig eigh eigh_jacobi eigh_tridiagonal eigh_work eigvals eigvalsh einsum elu empty empty_like empty_ref entr
entropy eq equal erf erf_inv erfc erfcinv erfcinv_impl erfcx erfinv eval_jaxpr exp exp1 exp2 expand_dims expi expi_jvp
expit expm expm1 expm_frechet expn expn_jvp exponential extract eye fabs factorial ffi_call fft fft2 fftfreq fftn
fftshift fiedler fiedler_companion fill_diagonal fix flatnonzero flip fliplr flipud float16 float32 float4_e2m1fn
float64 float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz
float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float_ float_power floor floor_divide fmax fmin fmod fn fold_in fori_loop
free_ref freeze fresnel frexp from_dlpack from_edtype full full_like funm gamma gamma_approx gammainc gammaincc
gammaln gammasgn gather gcd ge gelu gen_associated_legendre gen_derivatives generalized_normal geometric geomspace
geqp3 geqrf glorot_normal glorot_uniform glu gradient greater greater_equal gt gumbel hadamard hamming hankel hanning
hard_sigmoid hard_silu hard_swish hard_tanh he_normal he_uniform heaviside helmert hessenberg hfft hilbert histogram
histogram2d histogram_bin_edges histogramdd householder_product hsplit hstack hyp1f1 hyp1f1_a_derivative
hyp1f1_b_derivative hyp1f1_x_derivative hyp2f1 hyp2f1_a_derivative hyp2f1_b_derivative hyp2f1_c_derivative
hyp2f1_x_derivative hypot i0 i0e i1 i1e identity identity_fn ifft ifft2 ifftn ifftshift igamma igamma_grad_a igammac
ihfft imag in1d index_in_dim index_take indices infeed inner insert int1 int16 int2 int32 int4 int64 int8 int_
integer_pow integrate interp interpolate intersect1d intersect1d_size intersect1d_sorted_mask inv invert invhilbert
invpascal io_callback iota iota_2x32_shape irfft irfft2 irfftn is_finite isclose iscomplex iscomplexobj isfinite isin
isinf isnan isneginf isposinf isreal isrealobj isscalar ix_ kaiming_normal kaiming_uniform kaiser key key_data kl_div
kron laplace layout_constraint lcm ldexp le leaky_relu lecun_normal lecun_uniform left_shift leslie less less_equal
lexsort lgamma lgamma_impl linear_call linspace log log10 log1mexp log1p log2 log_ndtr log_sigmoid log_softmax
logaddexp logaddexp2 logcdf loggamma logical_and logical_not logical_or logical_xor logistic logit logmeanexp
lognormal logpdf logpmf logsf logspace logsumexp lpmn lpmn_values lstsq lt lu lu_factor lu_pivots_to_permutation
lu_solve map map_coordinates mask_indices matmul matrix_norm matrix_power matrix_rank matrix_transpose matvec max
maximum maxwell mean median meshgrid min minimum mish mod mode modf moveaxis mul mulhi multi_dot multi_slice
multigammaln multinomial multiply multivariate_normal mutable_array nan_to_num nanargmax nanargmin nancumprod
nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndtr ndtri ne neg
negative new_ref nextafter nonzero norm normal normal_real not not_equal one_hot ones ones_like optimization_barrier
or ormqr orthogonal outer outfeed owens_t packbits pad padtype_to_pads pareto partition pascal pbroadcast
pbroadcast_done pbroadcast_dynamic pbroadcast_start pcast pdot percentile permutation permute_dims pgather philox2x32
philox2x32_fold_in philox2x32_random_bits philox2x32_seed philox2x32_split philox4x32 philox4x32_fold_in
philox4x32_random_bits philox4x32_seed philox4x32_split piecewise pinv pjit pmax pmean pmin poch poisson
poisson_approx poisson_knuth poisson_rejection polar polar_2d poly polyadd polyder polydiv polyfit polygamma polyint
polymul polysub polyval population_count positive pow power ppermute ppermute_done ppermute_start precv preduced prod
psend pshuffle psum psum_done psum_invariant psum_invariant_start psum_scatter psum_start pswapaxes ptp pure_callback
put put_along_axis pvary qdwh qr qr_multiply quantile rad2deg rademacher radians ragged_all_to_all ragged_dot
ragged_dot_general randint random_bits random_clone random_fold_in random_gamma random_gamma_grad random_seed
random_split random_unwrap random_wrap rankdata ravel ravel_multi_index rayleigh real reciprocal reduce reduce_all
reduce_and reduce_any reduce_bitwise_and reduce_bitwise_or reduce_bitwise_xor reduce_logical_and reduce_logical_or
reduce_logical_xor reduce_max reduce_min reduce_minmax reduce_or reduce_precision reduce_prod reduce_scatter
reduce_scatter_done reduce_scatter_start reduce_sum reduce_window reduce_window_max reduce_window_min
reduce_window_shape_tuple reduce_window_sum reduce_xor reduceat regularized_incomplete_beta rel_entr rel_entr_jvp
relayout relu relu6 rem remainder remat2 repeat resample reshape reshard resize rev rfft rfft2 rfft_transpose rfftfreq
rfftn right_shift rint rng_bit_generator rng_uniform roll roll_dynamic roll_static rollaxis roots roots_no_zeros
roots_with_zeros rot90 round round_ rsf2csf rsf2csf_2d rsqrt scale_and_translate scaled_dot scaled_dot_general
scaled_matmul scaled_matmul_wrapper scan scatter scatter_add scatter_apply scatter_max scatter_min scatter_mul
scatter_sub schur searchsorted searchsorted_compare_all_impl searchsorted_scan_impl searchsorted_sort_impl segment_max
segment_min segment_prod segment_sum select select_and_gather_add select_and_scatter select_and_scatter_add select_n
selu sem setdiff1d setxor1d setxor1d_size sf shard_alike shard_map sharding_constraint shift_left
shift_right_arithmetic shift_right_logical shuffle sici sici_jvp sigmoid sign signbit silu sin sinc
sincospisquaredhalf sinh size slice slice_in_dim slogdet soft_sign softmax softplus solve solve_sylvester
solve_sylvester_2d solve_triangular sort sort_complex sort_key_val spacing sparse_plus sparse_sigmoid spence sph_harm
sph_harm_y split sqrt sqrtm sqrtm_triu square squareplus squaring squeeze stack stage standardize std stop_gradient
sub subtract sum svd svd_tall_and_square_input svdvals swap swapaxes swish switch symmetric_product take
take_along_axis tan tanh tensordot tensorinv tensorsolve threefry2x32 threefry4x32 threefry4x32_fold_in
threefry4x32_random_bits threefry4x32_seed threefry4x32_split threefry_2x32 threefry_fold_in
threefry_random_bits_original threefry_seed threefry_split threefry_split_foldlike threefry_split_original tie tile
to_edtype toeplitz top_k tpu_custom_call transpose trapezoid tri triangular triangular_solve tridiagonal
tridiagonal_solve tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc
truncated_normal uint uint1 uint16 uint2 uint32 uint4 uint64 uint8 uniform union1d unique unique_all unique_counts
unique_inverse unique_sorted_mask unique_values unpackbits unravel_index unreduced_pmax unreduced_pmin unreduced_psum
unreduced_psum_start unreduced_reduce_scatter unreduced_reduce_scatter_start unstack vander var variance_scaling vdot
vecdot vecmat vector_norm vectorize vsplit vstack wald weibull_min where while while_loop with_memory_space_constraint
with_sharding_constraint wofz wrap_key_data xavier_normal xavier_uniform xeinsum xlog1py xlogy xor zeros zeros_like
zeros_like_array zeta
`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// ProgramName is what the user calls a module: its name without everything that changes from run to run or from one version of
// a framework to the next.
func ProgramName(module string) string {
	name := cutInstructionID(cutChangelist(module))
	if f, ok := tensorFlowName(name); ok && f != "" {
		return f
	}
	for _, transform := range []string{"jit_", "pjit_", "pmap_", "xla_computation_"} {
		if f, ok := strings.CutPrefix(name, transform); ok && f != "" {
			return jaxName(f)
		}
	}
	if name == "" {
		return module
	}
	return name
}

// IsHelperName tells the names that frameworks give to their own one-operation programs. A program may be called so by its
// author as well: judge by its size and source, too.
func IsHelperName(program string) bool {
	return helperNames[strings.ReplaceAll(strings.TrimLeft(program, "_"), "-", "_")] // primitives may have dashes: "scatter-add"
}

// commonNames are those of helperNames that a model's own functions have as well, and that JAX made no programs of before it told of every
// operation which functions it comes from.
var commonNames = setOf(`accumulate at ball`)

// IsCommonName tells names of helpers that say nothing by themselves, however small the program is.
func IsCommonName(program string) bool { return commonNames[program] }

// cutInstructionID cuts off the ".<n>" that building HLO adds to a module's name.
func cutInstructionID(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 && allDigits(name[i+1:]) {
		return name[:i]
	}
	return name
}

// jaxName undoes a difference between versions: "<lambda>" became "_lambda_" once and is "_lambda" now.
func jaxName(f string) string {
	if trimmed := strings.TrimRight(f, "_"); trimmed != "" {
		return trimmed
	}
	return f
}

// tensorFlowName undoes what TensorFlow does to the name of a function or cluster that it hands to XLA: the attributes behind
// it, the prefix before it, and the number of the trace.
//
//	a_inference_train_step_1234__XlaMustCompile_true_config_proto_…
//	a_inference___backward_f_12_34__XlaMustCompile_true_…
//	a_forward_f_34__XlaMustCompile_true_…
//	cluster_0__XlaCompiledKernel_true__XlaHasReferenceVars_false_…
func tensorFlowName(module string) (name string, ok bool) {
	if cluster, _, ok := strings.Cut(module, "__XlaCompiledKernel_"); ok {
		return cluster, true
	}
	name, _, _ = strings.Cut(module, "__XlaMustCompile_")
	f, traced := strings.CutPrefix(name, "a_inference_")
	if f == name {
		if f, traced = strings.CutPrefix(name, "a_forward_"); traced {
			f = "__forward_" + f
		}
	}
	if !traced {
		return name, name != module
	}
	return traceName(f), true
}

// traceName cuts the number of the trace off a function's name. That of a backward function holds the forward function's, too.
func traceName(f string) string {
	numbered := strings.TrimSuffix(f, "__")
	cut := cutTraceNumber(numbered)
	if cut == numbered {
		return f
	}
	if strings.HasPrefix(cut, "__backward_") {
		cut = cutTraceNumber(cut)
	}
	if strings.HasSuffix(cut, "_lambda_") {
		cut = strings.TrimSuffix(cut, "_")
	}
	return cut
}

func cutTraceNumber(f string) string {
	if i := strings.LastIndexByte(f, '_'); i > 0 && allDigits(f[i+1:]) {
		return f[:i]
	}
	return f
}
