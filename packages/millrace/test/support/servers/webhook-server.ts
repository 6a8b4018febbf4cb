import { createAgent } from '../../../src/agent/create-agent.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { createSqliteStore } from '../../../src/stores/sqlite/index.ts'
import { createScriptedModel } from '../agents/scripted-model.ts'

// A process with a handler whose events go to a receiver. With a session it runs an agent there; it stays until it is killed.
const [path = '', url = '', secret = '', session] = process.argv.slice(2)
const model = createScriptedModel([{ content: [{ type: 'text', text: 'bread' }] }])
const handler = createHandler({
  agents: { miller: createAgent({ name: 'miller', model }) },
  defaultAgent: 'miller',
  store: createSqliteStore({ path }),
  webhooks: [{ url, secret }],
  limits: { leaseMs: 500, webhookTimeoutMs: 1_000, webhookRetryMs: 500 },
})
if (session === undefined) {
  await handler.fetch(new Request('http://localhost/health'))
} else {
  const body = JSON.stringify({ agent_uuid: session, user_prompt: 'go' })
  const headers = { 'content-type': 'application/json' }
  const response = await handler.fetch(
    new Request('http://localhost/agent/run', { method: 'POST', headers, body }),
  )
  await response.text()
}
process.stdout.write('ready\n')
setInterval(() => {}, 60_000)
