"""Models of many kinds, recorded, written, read back, verified and shown, without a lesson."""

from pathlib import Path

import pytest
import torch
from families import FAMILIES, make

import cutaway
from cutaway import export

pytestmark = pytest.mark.zoo


@pytest.mark.parametrize("name", FAMILIES)
def test_a_recording_reads_back_and_every_check_of_it_passes(name: str, tmp_path: Path) -> None:
    model, args, kwargs = make(name)
    record = cutaway.record(model, *args, **kwargs)
    model_again = cutaway.read(cutaway.write(record, tmp_path / "bundle"))
    verdict = cutaway.verify(model_again.record)
    assert [row for row in verdict.rows if row.status == "failed"] == []
    assert verdict.passed > 0


@pytest.mark.parametrize("name", FAMILIES)
def test_the_recorded_output_is_what_a_plain_run_gives(name: str) -> None:
    model, args, kwargs = make(name)
    state = torch.get_rng_state()
    plain = model(*args, **kwargs)
    model, args, kwargs = make(name)
    torch.set_rng_state(state)
    record = cutaway.record(model, *args, **kwargs)
    assert record.plain_run["largest_difference"] < 1e-5
    assert plain is not None


@pytest.mark.parametrize("name", FAMILIES)
def test_recording_leaves_the_model_and_the_random_generator_as_they_were(name: str) -> None:
    model, args, kwargs = make(name)
    before = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    modes = [part.training for part in model.modules()]
    state = torch.get_rng_state()
    cutaway.record(model, *args, **kwargs)
    assert torch.equal(state, torch.get_rng_state())
    assert modes == [part.training for part in model.modules()]
    after = model.state_dict()
    assert all(torch.equal(tensor, after[key]) for key, tensor in before.items())


@pytest.mark.parametrize("name", FAMILIES)
def test_a_page_without_a_lesson_is_made(name: str, tmp_path: Path) -> None:
    model, args, kwargs = make(name)
    bundle = cutaway.write(cutaway.record(model, *args, **kwargs), tmp_path / "bundle")
    export.export_html(bundle, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="architecture"' in page
    assert page.count("<svg") >= 1
