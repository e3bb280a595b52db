"""The recipe of the BERT pretraining page: weights from one seed, the recorded examples, and what must hold of them."""

import json
from pathlib import Path

import numpy as np
import torch
from model import HEADS, LENGTH, ReducedBert

import cutaway
from cutaway.number import show

SEED = 23
CLS, SEP, MASK = 1, 2, 3
IS_NEXT, NOT_NEXT = 0, 1
NO_TARGET = -100  # torch's ignore_index
OTHER = 7  # the id that takes a token's place when we ask what a change does

ORIGINAL = [CLS, 4, 5, SEP, 6, SEP]
SEGMENTS = [0, 0, 0, 0, 1, 1]
LOGITS = "masked_token.decoder.output"
TIED = "embeddings.token.weight"

gradients = ["mlm_loss"]


def model():
    torch.manual_seed(SEED)
    return ReducedBert()


def pair(name, replaced, targets=(2,), label=IS_NEXT, causal=False):
    """The original pair with some ids replaced; targets are the positions that the masked-token loss reads."""
    bias = torch.zeros(LENGTH, LENGTH)
    if causal:
        bias = bias.masked_fill(torch.ones(LENGTH, LENGTH).triu(1).bool(), float("-inf"))
    return cutaway.Example(
        name,
        torch.tensor([replaced.get(i, token) for i, token in enumerate(ORIGINAL)]),
        torch.tensor(SEGMENTS),
        bias,
        torch.ones(HEADS),
        torch.tensor([token if i in targets else NO_TARGET for i, token in enumerate(ORIGINAL)]),
        torch.tensor(label),
    )


def run(model):
    yield pair("reference", {2: MASK})
    yield pair("not-next", {2: MASK}, label=NOT_NEXT).without_gradients()
    yield pair("two-targets", {2: MASK, 4: MASK}, targets=(2, 4)).without_gradients()
    yield pair("later-token", {2: MASK, 4: OTHER}).without_gradients()
    yield pair("fate-mask", {2: MASK}).without_gradients()
    yield pair("fate-random", {2: 11}).without_gradients()
    yield pair("fate-kept", {}).without_gradients()
    yield pair("causal", {2: MASK}, causal=True).without_gradients()
    yield pair("causal-later-token", {2: MASK, 4: OTHER}, causal=True).without_gradients()
    for i in range(LENGTH):
        yield pair(f"change-{i}", {2: MASK, i: OTHER}).keep(LOGITS)
    for i in range(LENGTH):
        yield pair(f"causal-change-{i}", {2: MASK, i: OTHER}, causal=True).keep(LOGITS)

    yield cutaway.Check("looks-right", "A later token changes the logits of earlier rows.", later_token_matters)
    yield cutaway.Check(
        "looks-left-only", "Under the causal mask a later token changes no earlier row.", later_token_is_hidden
    )
    yield cutaway.Check(
        "unselected-logits", "Logits of rows without a target add nothing to the masked-token loss.", unselected_logits
    )
    yield cutaway.Check(
        "unselected-gradient",
        "The masked-token loss sends no gradient into logits of rows without a target.",
        unselected_gradient,
    )
    yield cutaway.Check("tied-storage", "The decoder reads the token embedding's own storage.", tied_storage)
    yield cutaway.Check(
        "tied-gradient",
        "The masked-token loss teaches the shared table, also for tokens that are not in the input.",
        tied_gradient,
    )
    yield cutaway.Check(
        "packed-output", "The packed output is 96 masked-token logits and then 2 pair logits.", packed_output
    )
    yield cutaway.Check("pair-sums-to-one", "The two pair probabilities sum to one.", pair_sums_to_one)
    yield cutaway.Check(
        "loss-arithmetic",
        "Each loss is the mean of minus the logarithm of the probability of the truth.",
        loss_arithmetic,
    )
    yield cutaway.Check(
        "reference-figures",
        "Every figure of the reference example is reproduced to its last printed digit.",
        reference_figures,
    )


def largest_change(record, changed, base, rows):
    """The largest absolute difference of any logit in these rows between two examples."""
    return float(abs(record.array(changed, LOGITS)[rows] - record.array(base, LOGITS)[rows]).max())


def later_token_matters(record, replay):
    change = largest_change(record, "later-token", "reference", slice(0, 4))
    return cutaway.Measured(change > 0, change, "largest change of a logit in rows 0 to 3 when position 4 changes")


def later_token_is_hidden(record, replay):
    hidden = largest_change(record, "causal-later-token", "causal", slice(0, 4))
    seen = largest_change(record, "causal-later-token", "causal", slice(4, 6))
    words = f"largest change of a logit in rows 0 to 3 when position 4 changes; rows 4 and 5 change by {show(seen)}"
    return cutaway.Measured(hidden == 0 and seen > 0, hidden, words)


def unselected_logits(record, replay):
    logits = record.array("reference", LOGITS).copy()
    loss = replay("reference", {LOGITS: logits})["mlm_loss"]  # not the recorded one: both from this machine's kernel
    logits[[0, 1, 3, 4, 5]] = np.linspace(-50, 50, 5 * logits.shape[1], dtype=np.float32).reshape(5, -1)
    unmoved = float(abs(replay("reference", {LOGITS: logits})["mlm_loss"] - loss))
    logits[2] = logits[0]
    moved = float(abs(replay("reference", {LOGITS: logits})["mlm_loss"] - loss))
    told = show(moved)
    words = (
        f"change of the loss, with logits from -50 to 50 in the other rows; in the target row they change it by {told}"
    )
    return cutaway.Measured(unmoved == 0 and moved > 0, unmoved, words)


def unselected_gradient(record, replay):
    gradient = abs(record.array("reference", f"grad(mlm_loss, {LOGITS})"))
    elsewhere, target = float(gradient[[0, 1, 3, 4, 5]].max()), float(gradient[2].max())
    words = f"largest gradient in the other five rows; {show(target)} in the target row"
    return cutaway.Measured(elsewhere == 0 and target > 0, elsewhere, words)


def tied_storage(record, replay):
    graph = record.graphs[0]
    table = graph.ids[TIED]
    readers = [op.function.rpartition(".")[2] for op in graph.ops if table in op.reads]
    tied = graph.values[table].also == ("masked_token.decoder.weight",) and readers == ["embedding", "linear"]
    return cutaway.Measured(tied, len(readers), f"ops read {TIED}: {' and '.join(readers)}")


def tied_gradient(record, replay):
    gradient = record.array("reference", f"grad(mlm_loss, {TIED})").astype(np.float64)
    absent = [i for i in range(len(gradient)) if i not in record.array("reference", "input_ids")]
    taught = int((abs(gradient[absent]).max(axis=1) > 0).sum())
    norm = float(np.sqrt((gradient**2).sum()))
    words = f"norm of the gradient; {taught} of {len(absent)} tokens that are not in the input get some"
    return cutaway.Measured(norm > 0 and taught == len(absent), norm, words)


def packed_output(record, replay):
    packed = record.array("reference", "packed")
    mlm, nsp = record.array("reference", "mlm_logits"), record.array("reference", "nsp_logits")
    same = packed.shape == (98,) and (packed[:96] == mlm.reshape(-1)).all() and (packed[96:] == nsp).all()
    return cutaway.Measured(bool(same) and mlm.shape == (6, 16), packed.size, "numbers, equal to the two heads' logits")


def pair_sums_to_one(record, replay):
    gaps = [abs(float(record.array(e.name, "nsp_probs").astype(np.float64).sum()) - 1) for e in full_examples(record)]
    return cutaway.Measured(max(gaps) < 1e-6, max(gaps), f"largest distance from 1 in {len(gaps)} examples")


def loss_arithmetic(record, replay):
    gaps = []
    for example in full_examples(record):
        labels = record.array(example.name, "labels")
        truth = [(i, label) for i, label in enumerate(labels) if label != NO_TARGET]
        probs = record.array(example.name, "mlm_probs").astype(np.float64)
        mlm = -np.mean([np.log(probs[i, label]) for i, label in truth])
        pair_label = int(record.array(example.name, "next_sentence_label"))
        nsp = -np.log(record.array(example.name, "nsp_probs").astype(np.float64)[pair_label])
        gaps += [abs(mlm - record.array(example.name, "mlm_loss")), abs(nsp - record.array(example.name, "nsp_loss"))]
    return cutaway.Measured(
        max(gaps) < 1e-5, float(max(gaps)), f"largest distance between {len(gaps)} losses and their arithmetic"
    )


def full_examples(record):
    return [
        example
        for example in record.examples
        if all(example.tensors[i] is not None for i in record.graphs[0].ops[-1].makes)
    ]


def reference_figures(record, replay):
    """reference.json holds the printed figures by value name, one string a number."""
    expected = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))["figures"]
    right, total, first = 0, 0, ""
    for name, figures in expected.items():
        value, _, index = name.rstrip("]").partition("[")
        array = record.array("reference", value)
        cells = np.atleast_1d(array[int(index)] if index else array)
        printed = np.vectorize(show, otypes=[object])(cells)
        wanted = np.atleast_1d(np.array(figures, dtype=object))
        total += wanted.size
        agree = printed.shape == wanted.shape and printed == wanted
        right += int(np.sum(agree))
        first = first or ("" if np.all(agree) else f"; {name} differs")
    return cutaway.Measured(right == total and total > 0, f"{right} of {total}", f"figures agree{first}")
