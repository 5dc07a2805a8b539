from calculator import mean


def test_the_mean_of_equal_numbers_is_that_number():
    assert mean([4, 4, 4]) == 4


def test_the_mean_lies_between():
    assert mean([1, 2, 6]) == 3
