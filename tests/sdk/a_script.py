"""What an app does with a memory. It runs with the published client too: only the import is another."""

from geniffy_agents import BadRequestError, Geniffy, GeniffyError, NotFoundError

client = Geniffy()  # GENIFFY_API_KEY, GENIFFY_BASE_URL
mem = client.space("customer_1042")

note = mem.memories.add("Priya Nair signs the Lumen renewal.", title="CRM", labels={"channel": "crm"}, external_id="1")
print(mem.sources.wait(note.id).status)

session = mem.session("call-1", title="First call")
history = [{"role": "user", "content": "I prefer email to phone calls."}]
print(mem.sources.wait(session.save(history).id).facts)
history += [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": "We renew in June."}]
print(mem.sources.wait(session.save(history).id).facts, session.save(history))

for memory in sorted(mem.memories.iter(), key=lambda each: each.text):
    print(memory.kind, memory.text, memory.source.title if memory.source else None)
print(mem.ask("Who signs the Lumen renewal?"))
print(mem.ask("What is the capital of Peru?").answer)
print(mem.context("How should we reach them?", with_sources=False))
print([found.text for found in mem.search("When do they renew?", limit=1)])

print(mem.files.put("/memories/notes.md", "# Lumen\n- Priya Nair signs.\n").created)
print(repr(mem.files.get("/memories/notes.md").text), mem.files.move("/memories/notes.md", "/memories/lumen.md"))
for path in ("/memories/notes.md", "/memories/../x"):
    try:
        mem.files.get(path)
    except NotFoundError as error:
        print(error.code, error.message)
    except BadRequestError as error:
        print(error.code, error.message, bool(error.request_id))
print(mem.files.delete_prefix("/memories/"), mem.sources.delete_labelled({"channel": "crm"}))

try:
    Geniffy("gnf_nobody").me()
except GeniffyError as error:
    print(type(error).__name__, error.status, error.code)
print(client.forget_space("customer_1042")["erased"], client.spaces())
