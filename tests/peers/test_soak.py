"""All faults at once, for a long time: what is sent ends once, and nothing piles up."""

import gc
import random

import pytest

import garden
from garden.experiments.peers.cut import ready_contender
from garden.experiments.peers.trial import PeerTrial, region
from garden.peers.config import AgentConfig
from garden.peers.faults import Faults, Partition

CONFIG = AgentConfig(max_repairs=1)


def all_faults(trial, start, length):
    part = frozenset(trial.keys[node] for node in region(trial.graph, len(trial.keys) // 5, 0))
    parted = Partition(start + length // 3, start + length // 2, part)
    return Faults(
        loss=0.05, duplication=0.05, reordering=0.05, slow=0.02, clock_skew=10_000,
        partitions=(parted,),
    )  # fmt: skip


def kept_by(trial):
    """Messages, records and timers of all agents together."""
    agents = trial.network.agents.values()
    return sum(
        agent._delivery.num_records + agent.num_held + len(agent._timers._heap) for agent in agents
    )


class Soak:
    """Messages at a pace while peers come and go."""

    def __init__(self, spec, churn_per_minute, pace):
        graph = garden.load(spec)
        slow = Faults(slow=0.02, clock_skew=10_000)
        contender = ready_contender(graph, "beacons+backtrack")
        self.trial = PeerTrial(graph, contender, 0, slow, CONFIG)
        self.trial.settle()
        self.random = random.Random(0)
        self.pace, self.sent, self.down = pace, {}, []
        self.gap = 60_000 / (churn_per_minute * graph.num_nodes)
        self.next_churn = self.trial.network.now

    def run(self, length, churns=True):
        """Send for so long; the most that agents kept in each tenth of it."""
        network, kept = self.trial.network, []
        start = network.now
        for tenth in range(1, 11):
            while network.now < start + length * tenth // 10:
                if churns:
                    self.churn(network.now)
                self.send()
                network.run_until(network.now + self.pace)
            held = max(agent.num_held for agent in network.agents.values())
            assert held <= CONFIG.max_held
            kept.append(kept_by(self.trial))
        return kept

    def churn(self, now):
        while self.down and self.down[0][0] <= now:
            self.trial.bring_back(self.down.pop(0)[1])
        while self.next_churn <= now:
            self.next_churn += self.gap
            node = self.random.randrange(len(self.trial.keys))
            if self.trial.lives(node):
                self.trial.take_down(node, says_goodbye=self.random.random() < 0.5)
                self.down.append((now + 60_000, node))

    def send(self):
        source, target = self.random.sample(range(len(self.trial.keys)), 2)
        if self.trial.lives(source) and self.trial.lives(target):
            message_id = self.trial.send(source, self.trial.card(target))
            self.sent[message_id] = self.trial.network.agents[self.trial.keys[source]]

    def all_back(self):
        self.trial.change_faults(Faults())
        while self.down:
            self.trial.bring_back(self.down.pop(0)[1])
        self.trial.network.run_until(self.trial.network.now + 420_000)  # attempts end, links heal

    def check(self):
        network = self.trial.network
        lived = [one for one, agent in self.sent.items() if agent in network.agents.values()]
        assert all(len(network.endings[one]) == 1 for one in lived)
        assert all(times == 1 for times in network.handed_over.values())
        endings = [network.endings[one][0].ending for one in lived]
        return endings.count("delivered") / len(endings)


def soak(spec, length, churn_per_minute, pace, share):
    soaked = Soak(spec, churn_per_minute, pace)
    trial = soaked.trial
    trial.change_faults(all_faults(trial, trial.network.now, length))
    kept = soaked.run(length)
    assert max(kept[5:]) < 2 * max(kept[:5])  # flat
    soaked.all_back()
    assert soaked.check() > share
    soaked.sent.clear()
    soaked.run(10_000, churns=False)
    trial.network.finish(soaked.sent)
    assert soaked.check() == 1  # after the faults, everything is delivered again


def test_soak__a_small_network_bears_all_faults_at_once():
    soak("kaiser-hilgetag:n=60,beta=1,seed=0", 300_000, 0.2, 2_000, 0.7)


@pytest.mark.slow
def test_soak__a_thousand_agents_bear_ten_minutes():
    soak("power-law:n=1000,degree=8,seed=0", 600_000, 0.01, 100, 0.95)


@pytest.mark.slow
def test_soak__ten_thousand_agents_bear_an_hour():
    gc.disable()
    try:
        soak("power-law:n=10000,degree=8,seed=0", 3_600_000, 0.01, 100, 0.95)
    finally:
        gc.enable()
