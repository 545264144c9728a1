"""A person who signs in on the pages and allows what an app asks for, without a browser's window."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

_INPUT = re.compile(r"<(?:input|button)\b[^>]*>")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


@dataclass(frozen=True)
class Person:
    """Somebody with an account."""

    email: str
    password: str

    def allows(self, address: str, grant: str = "write") -> str:
        """Open what an app wants opened, sign in, and allow it; the address that the browser is sent back to."""
        with httpx.Client(timeout=60) as browser:
            page = follow(browser, browser.get(address))
            page = follow(browser, send(browser, page, email=self.email, password=self.password))
            assert 'id="app-name"' in page.text, page.text
            answer = send(browser, page, grant=grant, decision="allow")
        assert answer.status_code == 303, answer.text
        return answer.headers["Location"]


def follow(browser: httpx.Client, answer: httpx.Response) -> httpx.Response:
    """The page that the server's redirects lead to."""
    while answer.is_redirect:
        there = urljoin(str(answer.url), answer.headers["Location"])
        assert urlsplit(there).netloc == answer.url.netloc.decode(), there
        answer = browser.get(there)
    assert answer.status_code == 200, answer.text
    return answer


def send(browser: httpx.Client, page: httpx.Response, **chosen: str) -> httpx.Response:
    """Send the one form of a page, with its hidden fields."""
    form = re.search(r"<form\b[^>]*action=\"([^\"]*)\".*?</form>", page.text, re.DOTALL)
    assert form, page.text
    fields = {}
    for tag in _INPUT.findall(form.group()):
        told = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(tag)}
        if told.get("type") == "hidden":
            fields[told["name"]] = told["value"]
    return browser.post(urljoin(str(page.url), html.unescape(form[1])), data={**fields, **chosen})
