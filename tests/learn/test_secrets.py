"""What is hidden before anything is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.learn.secrets import MARK, Masked, mask

_LETTERS = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"my key is sk-proj-{_LETTERS}.", f"sk-proj-{_LETTERS}"),
        (f"密钥sk-{_LETTERS}です", f"sk-{_LETTERS}"),
        (f"use gnf_live_{_LETTERS}{_LETTERS[:11]} here", f"gnf_live_{_LETTERS}{_LETTERS[:11]}"),
        (f"gnf_at_{_LETTERS}, then", f"gnf_at_{_LETTERS}"),
        (f"(gnf_rt_{_LETTERS})", f"gnf_rt_{_LETTERS}"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
        ("Authorization: Bearer abc123def456ghi789jkl0", "abc123def456ghi789jkl0"),
        ("postgres://app:s3cr3t-pw@db/main", "s3cr3t-pw"),
        ("The password is hunter2", "hunter2"),
        ("wifi password is sunflower", "sunflower"),
        ("the wifi password is sunflower\nThe cat is called Biscuit.", "sunflower"),
        ("bot MTA1NzY4.GabcDE.abcdefghijklmnopqrstuvwxyz123456", "MTA1NzY4.GabcDE.abcdefghijklmnopqrstuvwxyz123456"),
        ('{"password": "correct horse battery", "user": "x"}', "correct horse battery"),
        ("DB_PASSWORD=Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("パスワードはHunter2x!です", "Hunter2x!"),
        ("пароль: Ivan1234", "Ivan1234"),
        ("my PIN is 4711", "4711"),
        ("wifi pw sunflower42", "sunflower42"),
        ("passphrase: correct horse battery staple", "correct horse battery staple"),
        ("password: hunter2; user = bob", "hunter2"),
        ("The wifi password's sunflower42.", "sunflower42"),
        ("my password:\n  hunter2\nAna called", "hunter2"),
        ("one-time code 123456", "123456"),
        ("card 4111 1111 1111 1111.", "4111 1111 1111 1111"),
        ("4111111111111111 12/27 123", "4111111111111111"),
        ("卡号4111111111111111号", "4111111111111111"),
        ("amex 3782 822463 10005", "3782 822463 10005"),
        ("--token abc123xyz --verbose", "abc123xyz"),
        ("The Wi-Fi password at the cabin is bluewhale", "bluewhale"),
        ("the password to the NAS is marmalade.", "marmalade"),
        ("contraseña del wifi: girasol9", "girasol9"),
        ("la password del wifi è girasole", "girasole"),
        ("das Passwort lautet Sonne99", "Sonne99"),
        ("пароль от вайфая: solnce55", "solnce55"),
        ("пароль: солнышко", "солнышко"),
        ("密码：向日葵123", "向日葵123"),
        ("密碼是 sunflower9", "sunflower9"),
        ("パスワードは sunflower です", "sunflower"),
        ("पासवर्ड है suraj123", "suraj123"),
        ("كلمة السر هي shams123", "shams123"),
        ("הסיסמה היא shemesh12", "shemesh12"),
        ("wifi: guest / pass: tulip77", "tulip77"),
        ("Password - sunflower", "sunflower"),
        ("CVV 123", "123"),
        ("card 4012-8888-8888-1881", "4012-8888-8888-1881"),
        (f"my recovery phrase is {'apple banana cherry ' * 4}".strip(), ("apple banana cherry " * 4).strip()),
    ],
)
def test_a_secret_is_hidden_and_what_stands_around_it_stays(text: str, secret: str) -> None:
    masked = mask(text)
    assert masked.text == text.replace(secret, MARK * len(secret))
    assert masked.withheld == 1


@pytest.mark.parametrize("escapes", [1, 2, 3])
def test_a_secret_that_follows_an_escape_of_json_is_hidden(escapes: int) -> None:
    key = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e"
    for text in (f"密钥{key}です", f"\n{key}\n", f"a\tBearer {'Zb3kT9wQxR7vLm2NpYc8' * 2}", f"\npassword: {key}"):
        for _ in range(escapes):
            text = json.dumps(text)
        masked = mask(text)
        assert key[10:] not in masked.text
        assert "Zb3kT9wQ" not in masked.text
        assert (masked.withheld, len(masked.text)) == (1, len(text))


def test_a_private_key_is_hidden_to_its_end_and_no_further() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nQm9yZWFsaXM=\n-----END RSA PRIVATE KEY-----"
    masked = mask(f"Here: {key}\nAna lives in Porto.")
    assert masked.text == f"Here: {MARK * len(key)}\nAna lives in Porto."


def test_a_private_key_without_an_end_hides_only_what_looks_like_it() -> None:
    masked = mask("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7MIIEpAIBA\nAna lives in Porto.")
    assert masked.text.endswith("\nAna lives in Porto.")
    assert "MIIE" not in masked.text


@pytest.mark.parametrize(
    "text",
    [
        "The password was reset on Monday.",
        "A password is required.",
        "The secret of good bread is time.",
        "token: yes",
        "password: reset it tomorrow",
        "Passwords: hashed with argon2id, which takes a moment",
        "password: <your password>",
        "API_KEY=gnf_live_...",
        "token = request_id.set(call_id)",
        "The secret ingredient is cinnamon.",
        "Password policy is strict.",
        "access token expires in 3600 seconds",
        "spin: 5000 rpm",
        "The number 1234 5678 9012 3456 is not a card.",
        "call +49 30 1234 5678 or 555-0101",
        "commit 9b652b7c0ffee1234567890abcdef1234567890a",
        "550e8400-e29b-41d4-a716-446655440000",
        "/home/user/Projects/Borealis2/src/main/Python/Handlers",
        "basic internationalization support",
        "set PASSWORD=$MY_PASSWORD first",
        "It costs 1,234,567.89 euros since 2019.",
        "The password manager is 1Password.",
        "Our wifi password is on the fridge.",
        "The password for the shop is ready.",
        "the museum pass is cheaper",
        "The recovery phrase is in the safe.",
        "Das Passwort ist abgelaufen.",
        "La contraseña es obligatoria.",
        "la password è scaduta",
        "Le mot de passe est trop court.",
        "密码是必须的",
        "パスワードは必要です",
        "Ask Uma for the password.",
        "ISBN 978-3-16-148410-0",
        "Meeting id: 987 6543 2109",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == Masked(text, 0)


@given(st.text())
def test_masking_keeps_the_length(text: str) -> None:
    masked = mask(text)
    assert len(masked.text) == len(text)
    assert (masked.text == text) == (masked.withheld == 0)


@given(
    st.lists(st.sampled_from(["password: ", "hunter2 ", "sk-proj-", _LETTERS, "4111 1111 1111 1111 ", "\n", "密钥"]))
)
def test_what_was_masked_holds_no_secret(parts: list[str]) -> None:
    once = mask("".join(parts)).text
    assert "4111 1111 1111 1111" not in once
    assert mask(once).text.count(MARK) >= once.count(MARK)


@pytest.mark.parametrize(
    "unit", ["1", "a", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "password: ", "eyJ", "1 ", '"']
)
def test_a_very_long_text_of_bait_comes_back(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    assert len(mask(text).text) == len(text)
