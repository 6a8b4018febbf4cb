import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { fromAgUi } from 'millrace/adapters'
import { anthropic } from 'millrace/anthropic'
import { createHandler, createMemoryStore } from 'millrace/server'
import { z } from 'zod'
import { openMill, type Speed } from './emulated-mill.ts'
import { type Kit, toolResults } from './kit.ts'

const tools = [
  defineTool({
    name: 'look_up',
    description: 'Looks a word up.',
    input: z.object({ word: z.string() }),
    run: toolResults.look_up,
  }),
  defineFrontendTool({
    name: 'ask_price',
    description: 'Asks for a price.',
    input: z.object({ item: z.string() }),
  }),
  defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ euros: z.number() }),
    needsApproval: true,
    run: toolResults.pay,
  }),
]

/** A server that is used by its address only. */
function openRemote(speed: Speed) {
  const model = anthropic('emulated', {
    apiKey: 'any',
    fetch: openMill(speed).fetch,
    maxRetries: 0,
    request: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  })
  const remote = createAgent({ name: 'remote', model, tools, retries: 0 })
  return createHandler({
    agents: { remote },
    defaultAgent: 'remote',
    store: createMemoryStore(),
  })
}

/** An AG-UI server by its address. */
export const agUi: Kit = {
  title: '`fromAgUi`',
  notes: {
    crash: { text: 'sends its request again' },
    stop: { text: 'the server may work on' },
    steer: { lacks: true, text: 'refused with 409' },
  },
  open: (speed) => {
    const { fetch } = openRemote(speed)
    return fromAgUi({ name: 'mill', url: 'http://localhost/ag-ui', fetch })
  },
}
