from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from conftest import TOKEN

from sotto_client import AsyncClient, CallLostError, Client, Participant, RequestError, Speaker, Utterance

ROOT = Path(__file__).parent.parent


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url, token=TOKEN) as c:
        yield c


def test_text(client: Client) -> None:
    got = client.anonymize("Hi, this is Ines Quimby, my number is 604 555 0134.")
    assert got.text == "Hi, this is [PERSON_NAME_1], my number is [PHONE_NUMBER_1]."
    assert [(e.type, got.text[e.start : e.end]) for e in got.entities] == [
        ("PERSON_NAME", "[PERSON_NAME_1]"),
        ("PHONE_NUMBER", "[PHONE_NUMBER_1]"),
    ]
    assert got.policy == client.policy().policy
    assert "PERSON_NAME" in client.policy().info_types
    most = client.anonymize("Hi, this is Ines Quimby.", sensitivity="maximum")
    with client.call("most", sensitivity="maximum") as call:
        assert call.say("Hi, this is Ines Quimby.")[0].text == most.text
    assert most.policy != got.policy


def test_conversation(client: Client) -> None:
    said = [
        Utterance("the latch side is fine", Speaker("a", role="AGENT"), start_ms=10),
        Utterance("My name is Rosa Latch.", Speaker("c", "Rosa Latch")),
    ]
    got = client.anonymize_conversation(said, context="sales", raw_offsets=True)
    assert got.utterances[0].text == "the [PERSON_NAME_1] side is fine"
    assert got.utterances[0].start_ms == 10
    assert got.utterances[1].speaker == Speaker("s2", "[PERSON_NAME_1]")
    assert got.utterances[1].entities[0].raw_start == 11
    assert got.call.utterances == 2 and got.call.release and got.call.entities == {"PERSON_NAME": 1}
    live = client.anonymize_conversation(said, live=True)
    assert live.utterances[0].text == "the latch side is fine"


def test_live_call(client: Client) -> None:
    with client.call("live/1", participants=[Participant(names=["Wrenfield"])], context="sales") as call:
        assert [u.text for u in call.say("did wrenfield call", speaker="agent")] == ["did [PERSON_NAME_1] call"]
        got = call.add(["My name is Rosa Latch.", Utterance("did wrenfield call")])
        assert [(u.seq, u.text) for u in got] == [(2, "My name is [PERSON_NAME_2]."), (3, "did [PERSON_NAME_1] call")]
    assert call.summary is not None and call.summary.utterances == 3


def test_lost_call(client: Client) -> None:
    call = client.call("lost")
    call._state.begun = True  # the service was restarted meanwhile
    with pytest.raises(CallLostError):
        call.say("hello")


def test_a_repeated_request_is_taken_once(url: str) -> None:
    """The first response of each request is lost on the way."""
    real = httpx.HTTPTransport()
    lost = set()

    def handler(request: httpx.Request) -> httpx.Response:
        response = real.handle_request(request)
        response.read()
        if request.content not in lost:
            lost.add(request.content)
            raise httpx.ReadError("lost", request=request)
        return response

    with Client(url, token=TOKEN, transport=httpx.MockTransport(handler)) as client, client.call("repeated") as call:
        assert [u.seq for u in call.say("my number is 604 555 0134")] == [1]
        assert [u.text for u in call.say("yes 604 555 0134")] == ["yes [PHONE_NUMBER_1]"]
    assert call.summary is not None and call.summary.utterances == 2


def test_errors_say_why_and_show_no_text(client: Client, url: str) -> None:
    with pytest.raises(RequestError) as refused:
        client.anonymize("Quillfeather " * 10_000)
    assert refused.value.status == 422 and "Quillfeather" not in str(refused.value)
    with Client(url) as stranger, pytest.raises(RequestError) as unknown:
        stranger.anonymize("hello")
    assert unknown.value.status == 401


def test_files(client: Client) -> None:
    got = client.anonymize_files([("a.txt", b"Ines: My name is Ines Quimby."), ("b.png", b"\x89PNG\r\n\x00Quimby")])
    assert b"[PERSON_NAME_1]" in got[0].content and got[0].format == "text"
    assert got[1].content == b"" and got[1].error
    with pytest.raises(RequestError, match="no file was anonymized"):
        client.anonymize_files([("b.png", b"\x89PNG\r\n\x00Quimby")])
    utf16 = "Ines: My name is Ines Quimby.".encode("utf-16")
    assert "[PERSON_NAME_1]" in client.anonymize_files([("a", utf16)], format="text")[0].content.decode("utf-16")
    assert client.anonymize_files([]) == []


def test_async(url: str) -> None:
    async def run() -> None:
        async with AsyncClient(url, token=TOKEN) as client:
            texts = await asyncio.gather(*(client.anonymize(f"this is Ines Quimby, {i} times") for i in range(8)))
            assert {t.text for t in texts} == {f"this is [PERSON_NAME_1], {i} times" for i in range(8)}
            async with client.call("async") as call:
                assert [u.text for u in await call.say("this is Ines Quimby", speaker="a")] == ["this is [PERSON_NAME_1]"]
            assert call.summary is not None and call.summary.utterances == 1
            assert (await client.anonymize_conversation(["hello"])).utterances[0].text == "hello"
            assert (await client.anonymize_files([("a.txt", b"Bob: hi")]))[0].format == "text"
            assert (await client.policy()).strategy == "typed-numbered"

    asyncio.run(run())


def test_the_asynchronous_client_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_async", ROOT / "generate_async.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "src/sotto_client/_async.py").read_text() == module.generate(), "run generate_async.py"
