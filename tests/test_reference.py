"""The reference figures: one file, kept twice, complete, and consistent with its own arithmetic."""

import json
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden" / "reference_example.json"
SHIPPED = ROOT / "src" / "cutaway" / "lessons" / "bert-pretraining" / "reference.json"
HALF_UNIT = 0.5e-4  # the largest rounding error of a figure below 1 with four significant digits


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(GOLDEN.read_bytes())
    return parsed


def leaves(figures: Any) -> list[str]:
    if isinstance(figures, str):
        return [figures]
    return [leaf for item in figures for leaf in leaves(item)]


def test_the_lesson_ships_the_golden_file_byte_for_byte() -> None:
    assert SHIPPED.read_bytes() == GOLDEN.read_bytes()


def test_every_figure_is_there(reference: dict[str, Any]) -> None:
    figures = reference["figures"]
    assert [len(row) for row in figures["encoder.attention.probs[0]"]] == [6] * 6
    counts = {name: len(leaves(value)) for name, value in figures.items()}
    assert counts == {
        "encoder.attention.probs[0]": 36, "mlm_probs[2]": 16, "nsp_probs": 2, "mlm_loss": 1, "nsp_loss": 1, "loss": 1,
    }  # fmt: skip


def test_every_figure_is_a_string_of_at_most_four_significant_digits(reference: dict[str, Any]) -> None:
    for figure in leaves(list(reference["figures"].values())):
        assert re.fullmatch(r"\d\.\d*[1-9]", figure), figure
        assert len(Decimal(figure).as_tuple().digits) <= 4, figure


def test_the_ids_follow_from_the_configuration(reference: dict[str, Any]) -> None:
    config, length = reference["config"], reference["config"]["sequence_length"]
    for name in ("original_ids", "input_ids", "segments", "token_type_ids", "labels"):
        assert len(reference[name]) == length, name
    assert max(reference["original_ids"] + reference["input_ids"]) < config["vocab_size"]
    assert [("A", "B")[i] for i in reference["token_type_ids"]] == reference["segments"]


def test_the_masked_position_is_the_only_one_that_was_changed_and_is_a_target(reference: dict[str, Any]) -> None:
    original, corrupted, at = reference["original_ids"], reference["input_ids"], reference["masked_position"]
    assert [i for i in range(len(original)) if original[i] != corrupted[i]] == [at]
    assert reference["special_tokens"][str(corrupted[at])] == "[MASK]"
    assert reference["labels"] == [original[i] if i == at else -100 for i in range(len(original))]


def test_the_packed_size_is_one_logit_a_token_and_word_and_two_for_the_pair(reference: dict[str, Any]) -> None:
    config, sizes = reference["config"], reference["packed_size"]
    assert sizes["mlm_logits"] == config["sequence_length"] * config["vocab_size"]
    assert sizes["packed"] == sizes["mlm_logits"] + sizes["nsp_logits"]


def test_probabilities_sum_to_one_within_their_rounding(reference: dict[str, Any]) -> None:
    figures = reference["figures"]
    for row in [*figures["encoder.attention.probs[0]"], figures["mlm_probs[2]"], figures["nsp_probs"]]:
        assert abs(sum(map(float, row)) - 1) <= len(row) * HALF_UNIT


def test_the_printed_range_is_the_smallest_and_largest_attention(reference: dict[str, Any]) -> None:
    cells = sorted(leaves(reference["figures"]["encoder.attention.probs[0]"]), key=float)
    assert reference["attention_range"] == {"smallest": cells[0], "largest": cells[-1]}


def test_each_loss_is_minus_the_logarithm_of_the_true_probability(reference: dict[str, Any]) -> None:
    figures, at = reference["figures"], reference["masked_position"]
    token = float(figures["mlm_probs[2]"][reference["labels"][at]])
    pair = float(figures["nsp_probs"][reference["next_sentence_label"]])
    assert -math.log(token) == pytest.approx(float(figures["mlm_loss"]), rel=5e-4)
    assert -math.log(pair) == pytest.approx(float(figures["nsp_loss"]), rel=5e-4)
    assert float(figures["mlm_loss"]) + float(figures["nsp_loss"]) == pytest.approx(float(figures["loss"]), rel=5e-4)
