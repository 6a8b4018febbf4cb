import { createAgent, defineFrontendTool, defineTool } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { serve } from 'millrace/node'
import { createHandler, createMemoryStore } from 'millrace/server'
import { z } from 'zod'
import { confirmTool } from './confirm-tool.ts'
import { createStandIn } from './stand-in.ts'

const hasKey = Boolean(process.env['ANTHROPIC_API_KEY'])
if (!hasKey) console.log('ANTHROPIC_API_KEY is not set: a scripted stand-in for a model answers.')

// Runs here, on the server.
const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain and says how much flour it gives.',
  input: z.object({ kilograms: z.number().positive() }),
  run: ({ kilograms }) => `${kilograms * 0.8} kg of flour`,
})

const miller = createAgent({
  name: 'miller',
  model: hasKey ? anthropic('claude-sonnet-5') : createStandIn(),
  system: 'You run a mill. Ask with user_confirm before you grind more than ten kilograms.',
  // The second one runs in the page: the run pauses until it has answered, however long that takes.
  tools: [grind, defineFrontendTool(confirmTool)],
})

const server = await serve({
  handler: createHandler({
    agents: { miller },
    defaultAgent: 'miller',
    store: createMemoryStore(),
  }),
  port: Number(process.env['PORT'] ?? 8787),
  page: 'dist',
}).catch((error: Error) => {
  console.error(`${error.message} For another port: PORT=8788 npm start`)
  process.exit(1)
})
console.log(`Open ${server.url}`)
