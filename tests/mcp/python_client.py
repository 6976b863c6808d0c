"""Makes the calls that stdin names and prints what the official Python client makes of them."""

import asyncio
import json
import sys
import urllib.request

import mcp_types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def approve(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    urllib.request.urlopen(urllib.request.Request(f"{url}/approve", method="POST", headers=headers)).close()


async def main(url: str, mode: str, calls: list[dict], approver: str | None) -> None:
    asked: list[str] = []

    async def answer(_context: object, params: object) -> mcp_types.ElicitResult:
        is_link = getattr(params, "mode", "form") == "url"
        asked.append("url" if is_link else "form")
        if is_link and approver is not None:
            await asyncio.to_thread(approve, params.url, approver)
        content = None if is_link else {"goal": "ctr"}
        return mcp_types.ElicitResult(action="accept", content=content)

    tools, outcomes = [], {}
    for token in dict.fromkeys(call.get("token") for call in calls):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        transport = streamable_http_client(url, http_client=create_mcp_http_client(headers=headers))
        async with Client(transport, mode=mode, elicitation_callback=answer) as client:
            tools.append([tool.name for tool in (await client.list_tools()).tools])
            for call in (call for call in calls if call.get("token") == token):
                result = await client.call_tool(call["name"], call["arguments"])
                assert json.loads(result.content[0].text) == result.structured_content
                outcomes[call["wanted"]] = [
                    result.meta["org.agentic-rest/outcome"]["type"],
                    bool(result.is_error),
                ]
    print(json.dumps({"tools": tools, "outcomes": outcomes, "asked": asked}))


wish = json.load(sys.stdin)
asyncio.run(main(wish["url"], wish["mode"], wish["calls"], wish.get("approver")))
