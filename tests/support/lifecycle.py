"""What must hold of every trace, counted plainly: a sanity check that knows nothing of programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eclogue.core.trace import (
    Closing,
    Completion,
    ContinuationResume,
    EffectCapture,
    EffectDeclaration,
    Failure,
    HandlerSelection,
    HostObservation,
    Record,
    ResumeReturn,
    ResumptionHandle,
    RunEnd,
    SelectionClosed,
)


def check_lifecycle(records: Sequence[Record]) -> None:
    """Raise `AssertionError` where the records of one run break a lifecycle rule."""
    resumed, returned, ended = Counter[int](), Counter[int](), Counter[int]()
    answered: Counter[int] = Counter()
    for number, record in enumerate(records):
        match record:
            case HandlerSelection(declaration, captured):
                assert isinstance(records[declaration], EffectDeclaration)
                assert declaration < number
                assert (
                    0
                    <= captured
                    <= sum(isinstance(other, HandlerSelection) for other in records[:number])
                    - sum(ended.values())
                )
                answered[declaration] += 1
            case HostObservation(declaration):
                assert isinstance(records[declaration], EffectDeclaration)
                assert declaration < number
                answered[declaration] += 1
            case ResumptionHandle(selection):
                assert selection == number - 1
                assert isinstance(records[selection], HandlerSelection)
            case ContinuationResume(selection):
                _is_open(records, selection, number, ended)
                resumed[selection] += 1
            case ResumeReturn(selection):
                _is_open(records, selection, number, ended)
                assert resumed[selection] == 1
                returned[selection] += 1
            case EffectCapture(how, selection):
                _is_open(records, selection, number, ended)
                assert returned[selection] == (how is Completion.RETURN)
                assert resumed[selection] == (how is Completion.RETURN)
                ended[selection] += 1
            case SelectionClosed(why, selection, cause):
                _is_open(records, selection, number, ended)
                assert cause < number
                if why is Closing.FAILED:
                    assert isinstance(records[cause], Failure)
                else:
                    cause_record = records[cause]
                    assert isinstance(cause_record, EffectCapture)
                    assert cause_record.how is not Completion.RETURN
                ended[selection] += 1
            case Failure():
                assert all(isinstance(other, (SelectionClosed, RunEnd)) for other in records[number + 1 :])
            case RunEnd():
                assert number == len(records) - 1
    assert all(times == 1 for counter in (resumed, returned, ended, answered) for times in counter.values())
    if records and isinstance(records[-1], RunEnd):
        assert set(ended) == {n for n, record in enumerate(records) if isinstance(record, HandlerSelection)}


def _is_open(records: Sequence[Record], selection: int, number: int, ended: Counter[int]) -> None:
    assert selection < number
    assert isinstance(records[selection], HandlerSelection)
    assert not ended[selection]
