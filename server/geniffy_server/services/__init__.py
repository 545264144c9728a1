"""What the server does, one use case a function: `async def verb(ports, caller, ...)`.

REST routes, MCP tools and commands call these and only render differently. Rules live in `domain`, `learn` and
`recall`; what is kept lives behind `ports`.
"""
