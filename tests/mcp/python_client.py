"""Calls the tool of the test server once per outcome and prints what the official Python client makes of it."""

import asyncio
import json
import sys

import mcp_types
from mcp import Client


async def main(url: str, mode: str, kinds: list[str]) -> None:
    asked: list[str] = []

    async def answer(_context: object, params: object) -> mcp_types.ElicitResult:
        is_link = getattr(params, "mode", "form") == "url"
        asked.append("url" if is_link else "form")
        content = None if is_link else {"goal": "ctr"}
        return mcp_types.ElicitResult(action="accept", content=content)

    async with Client(url, mode=mode, elicitation_callback=answer) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        outcomes = {}
        for kind in kinds:
            result = await client.call_tool("outcome", {"kind": kind})
            assert json.loads(result.content[0].text) == result.structured_content
            outcomes[kind] = [result.meta["org.agentic-rest/outcome"]["type"], bool(result.is_error)]
        print(json.dumps({"tools": tools, "outcomes": outcomes, "asked": asked}))


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
