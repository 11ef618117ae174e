"""Names of which less is better are asked about, and those that only look like it are not."""

import pytest

from betterthan.metrics.costs import cost_in

ASKED = (
    "crashed crash crashes timeout timeouts timed_out refused refusal refusals jailbroken "
    "jailbreak attack_success attack_success_rate asr ASR flagged hallucinated needs_review "
    "escalated truncated contaminated exceptions wall_clock TTFT ttft_ms secs spend energy_kwh "
    "co2 flops deletions insertions DER kl kl_score divergence deviation harm harmful refusal_rate"
)
NOT_ASKED = (
    "crash_free refusal_accuracy timeout_recovered not_flagged no_crash jailbreak_resisted "
    "attack_success_prevented hallucinated_f1 score order under spender harmony klue"
)


@pytest.mark.parametrize("name", ASKED.split())
def test_costs(name: str) -> None:
    assert cost_in(name)


@pytest.mark.parametrize("name", NOT_ASKED.split())
def test_no_costs(name: str) -> None:
    assert not cost_in(name)
