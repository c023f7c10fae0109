from __future__ import annotations
import time
import pytest
from threats import world as worlds, t_reading
pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")

@pytest.fixture(scope="module")
def template(tmp_path_factory, original):
    return worlds.build(tmp_path_factory.mktemp("threats") / "played", original)

@pytest.fixture(scope="module")
def client(template):
    with worlds.application(template) as client:
        yield client

@pytest.fixture
def world(template, client, monkeypatch, tmp_path):
    with worlds.opened(template, client, monkeypatch, tmp_path) as one:
        yield one

def test_a(world):
    t_reading.nobody_is_shown_an_answer(world)
def test_b(world):
    t_reading.every_change_is_answered_without_an_answer(world)
def test_c(world):
    t_reading.answers_lie_in_the_vault_alone(world)
def test_d(world):
    t_reading.absent_and_not_yours_look_the_same(world)
def test_e(world):
    t_reading.ids_cannot_be_guessed(world)
