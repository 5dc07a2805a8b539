"""The tests of the model find what is wrong in it: each mutant breaks a law."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import test_model
from support.model_mutants import BY_LAWS, Mutant, mutated

LAWS = (
    test_model.test_layers_behave_as_the_flat_tree_and_the_overlays_walk_finds_the_same,
    test_model.test_clean_merges_are_trees_commute_and_can_be_stored,
    test_model.test_a_world_of_scopes_is_a_world_of_copied_trees,
    test_model.test_a_merged_directory_over_a_whiteout_hides_what_is_below,
)


@pytest.mark.parametrize("mutant", BY_LAWS, ids=lambda mutant: mutant.about)
def test_a_mutant_breaks_a_law(mutant: Mutant) -> None:
    with mutated(mutant):
        assert any(breaks(law) for law in LAWS)


def breaks(law: Callable[[], None]) -> bool:
    try:
        law()
    except (AssertionError, KeyError):
        return True
    return False
