import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { createHandler } from '../src/server/handler.ts'
import { createMemoryStore } from '../src/stores/memory/memory-store.ts'
import type { RunEvent } from '../src/webhooks/index.ts'
import { createScriptedModel } from './support/agents/scripted-model.ts'
import { makeWebhookSecret } from './support/servers/webhook-receiver.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Guide {
  createReceiver(secret: string, handle: (event: RunEvent) => void): Server
}

test('the receiver of the guide accepts an event of a run, and rejects one without a signature', async () => {
  const guide = readFileSync(join(root, 'docs/webhooks.md'), 'utf8')
  const code = /^```ts run\n(.*?)^```$/ms.exec(guide)?.[1] ?? ''
  writeFileSync(join(folder, 'receiver.ts'), code)
  const { createReceiver } = (await import(join(folder, 'receiver.ts'))) as Guide
  const secret = makeWebhookSecret()
  const events: RunEvent[] = []
  const server = createReceiver(secret, (event) => events.push(event)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const forged = await fetch(url, { method: 'POST', body: '{"id":"evt_1"}' })
  expect(forged.status).toBe(401)
  const model = createScriptedModel([{ content: [{ type: 'text', text: 'bread' }] }])
  const store = createMemoryStore()
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store,
    webhooks: [{ url, secret }],
  })
  const response = await handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'go' }),
    }),
  )
  await response.text()
  await expect.poll(() => events.length, { timeout: 20_000 }).toBe(1)
  expect(events[0]).toMatchObject({ type: 'run.completed', data: { final_response: 'bread' } })
  await expect.poll(async () => (await store.unattended(1)).rows, { timeout: 20_000 }).toEqual([])
  await handler.close()
  server.closeAllConnections()
  server.close()
})
