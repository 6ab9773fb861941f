package facts

import "testing"

// What commits of public projects did to programs over them: the steps before and after, in microseconds, least of many on one core. Those are here whose
// steps differ by a tenth and by four times their noise.
var pairsOfProjects = []struct {
	name          string
	before, after float64
}{
	{"jaxopt_1215db0_bfgs_backtracking", 117.9, 106.1},
	{"jaxopt_1215db0_lbfgs_backtracking", 58.8, 47.6},
	{"jaxopt_d1b7289_gradient_descent", 55.5, 46.4},
	{"jaxopt_d50de94_broyden", 315.2, 54546.1},
	{"rlax_f6ad6c4_epsilon_softmax_entropy", 11.9, 13.3},
	{"rlax_f6ad6c4_epsilon_softmax_logprob", 10.6, 12.4},
	{"rlax_eb71660_quantile_expected_sarsa", 81.5, 354.2},
	{"rlax_63982cf_squashed_gaussian_logprob", 13.1, 15.2},
	{"rlax_b6f1801_squashed_gaussian_logprob", 15.5, 17.6},
	{"rlax_69a77a8_discounted_returns", 11.5, 6.2},
	{"rlax_69a77a8_lambda_returns", 11.4, 6.4},
	{"rlax_69a77a8_truncated_generalized_advantage_estimation", 11.8, 6.5},
	{"rlax_19d8772_vtrace_td_error_and_advantage", 6.5, 7.2},
	{"rlax_9a07043_clipped_entropy_softmax_probs", 14.2, 16.3},
	{"rlax_9a07043_clipped_entropy_softmax_sample", 49.5, 55.8},
	{"rlax_9a07043_entropy_loss", 18.4, 24.7},
	{"rlax_9a07043_epsilon_greedy_entropy", 13.3, 14.9},
	{"rlax_9a07043_epsilon_greedy_logprob", 11.9, 15.2},
	{"rlax_9a07043_epsilon_greedy_probs", 12.5, 14.1},
	{"rlax_9a07043_epsilon_greedy_sample", 28.5, 60.7},
	{"rlax_9a07043_epsilon_softmax_sample", 31.2, 70.4},
	{"rlax_9a07043_greedy_entropy", 13.3, 15.4},
	{"rlax_9a07043_greedy_logprob", 11.7, 14.0},
	{"rlax_9a07043_greedy_sample", 28.5, 60.4},
	{"rlax_9a07043_softmax_probs", 13.6, 15.3},
}

// wrongOfProjects are those that the prediction has the wrong sign for, and why.
var wrongOfProjects = map[string]string{
	"rlax_9a07043_epsilon_greedy_sample":  "a cumulative sum by windows",
	"rlax_9a07043_epsilon_softmax_sample": "a cumulative sum by windows",
	"rlax_9a07043_greedy_sample":          "a cumulative sum by windows",
}

// Where a commit made a program slower or faster, the prediction says so.
func TestSignsAreThoseOfProjects(t *testing.T) {
	said := map[string]float64{}
	for _, p := range measuredDump(t, "testdata/cpu-projects.tar.xz").Programs {
		said[p.Name] = p.Variants[0].Facts[PriceStep] / 1e3
	}
	if len(said) != 2*len(pairsOfProjects) {
		t.Errorf("%d programs, %d were timed", len(said), 2*len(pairsOfProjects))
	}
	for _, p := range pairsOfProjects {
		before, after := said[p.name+".before"], said[p.name+".after"]
		right := before != after && (before < after) == (p.before < p.after)
		if why, known := wrongOfProjects[p.name]; right == known {
			t.Errorf("%s: %.1f → %.1f µs, took %.1f → %.1f %s", p.name, before, after, p.before, p.after, why)
		}
	}
}
