import { createAgent } from 'millrace/agent'
import { anthropic } from 'millrace/anthropic'
import { createEmulator } from 'millrace-tools/emulator'
import { serve } from 'millrace/node'
import { createHandler, createMemoryStore } from 'millrace/server'

const hasKey = Boolean(process.env.ANTHROPIC_API_KEY)
if (!hasKey) {
  console.log('ANTHROPIC_API_KEY is not set: the emulator answers.')
  // Its other demos want tools, which this agent has none of.
  console.log('Ask /demo thinking, /demo citations or /demo long 25000.')
}

const model = hasKey
  ? anthropic('claude-sonnet-5')
  : anthropic('emulator', { apiKey: 'none needed', fetch: createEmulator().fetch })

const talker = createAgent({ name: 'talker', model })

const server = await serve({
  handler: createHandler({
    agents: { talker },
    defaultAgent: 'talker',
    store: createMemoryStore(),
  }),
  port: Number(process.env.PORT ?? 8787),
  // The page, and under /millrace/ the library for it to import.
  page: 'public',
}).catch((error) => {
  console.error(`${error.message} For another port: PORT=8788 npm start`)
  process.exit(1)
})
console.log(`Open ${server.url}`)
