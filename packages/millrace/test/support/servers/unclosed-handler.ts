import { createAgent } from '../../../src/agent/create-agent.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { createScriptedModel } from '../agents/scripted-model.ts'

// A process that runs an agent by a handler with background recovery, and does not close the handler.
const store: Store = { ...createMemoryStore(), isDurable: true }
const model = createScriptedModel([{ content: [{ type: 'text', text: 'bread' }] }])
const agents = { miller: createAgent({ name: 'miller', model }) }
const handler = createHandler({ agents, defaultAgent: 'miller', store })
const response = await handler.fetch(
  new Request('http://localhost/agent/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: 'go' }),
  }),
)
const stream = await response.text()
process.stdout.write(stream.endsWith('data: [DONE]\n\n') ? 'ended\n' : stream)
