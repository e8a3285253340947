"""A neighbour that takes messages and brings no receipts back is avoided."""

from garden.peers.reputation import MAX_WATCHED, Reputation


def sent(reputation, neighbour, number, now):
    message_id = number.to_bytes(16, "little")
    reputation.passed_on(neighbour, message_id, 0, now)
    return message_id


def test_reputation__avoids_whoever_brings_no_receipt():
    reputation = Reputation(patience=100)
    for number in range(5):
        sent(reputation, 7, number, now=number)
        reputation.receipt(8, sent(reputation, 8, number, now=number), 0)
    assert reputation.avoided == frozenset()
    reputation.expire(now=1_000)
    assert reputation.avoided == {7}


def test_reputation__a_receipt_from_another_neighbour_does_not_count():
    reputation = Reputation(patience=100)
    for number in range(5):
        reputation.receipt(8, sent(reputation, 7, number, now=0), 0)
    reputation.expire(now=1_000)
    assert reputation.avoided == {7}


def test_reputation__is_won_back_by_receipts():
    reputation = Reputation(patience=100)
    for number in range(4):
        sent(reputation, 7, number, now=0)
    reputation.expire(now=1_000)
    assert reputation.avoided == {7}
    for number in range(10, 20):
        reputation.receipt(7, sent(reputation, 7, number, now=2_000), 0)
    assert reputation.avoided == frozenset()


def test_reputation__a_refused_message_speaks_against_nobody():
    reputation = Reputation(patience=100)
    for number in range(5):
        reputation.refused(7, sent(reputation, 7, number, now=0), 0)
    reputation.expire(now=1_000)
    assert reputation.avoided == frozenset()


def test_reputation__later_attempts_know_where_earlier_ones_went():
    reputation = Reputation(patience=100)
    message_id = sent(reputation, 7, 1, now=0)
    assert reputation.used_before(message_id, 0) == frozenset()
    assert reputation.used_before(message_id, 1) == {7}


def test_reputation__keeps_no_more_than_its_limit():
    reputation = Reputation(patience=100)
    for number in range(MAX_WATCHED + 50):
        sent(reputation, 7, number, now=0)
    assert len(reputation._waiting) == len(reputation._used) == MAX_WATCHED
