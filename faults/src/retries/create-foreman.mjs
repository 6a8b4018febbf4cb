import { createAgent, defineTool } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'

const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain',
  input: {
    type: 'object',
    properties: { sacks: { type: 'integer' }, makes: { type: 'string' } },
    required: ['sacks', 'makes'],
  },
  run: ({ sacks, makes }) => `${String(makes)} of ${String(sacks)} sacks`,
})

/** Creates an agent that spawns hands; a silent model is called again after `idleTimeoutMs`. */
export function createForeman({ baseURL, idleTimeoutMs }) {
  // Every failure must reach the agent, so the SDK itself makes no second request.
  const access = { baseURL, apiKey: 'none', maxRetries: 0, idleTimeoutMs }
  const shared = { model: anthropic('emulated', access), retryDelayMs: 1 }
  const hand = createAgent({ ...shared, name: 'hand', description: 'Grinds', tools: [grind] })
  return createAgent({ ...shared, name: 'foreman', subagents: [hand] })
}
