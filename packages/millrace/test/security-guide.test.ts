import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Model } from '../src/events/index.ts'
import type { Handler } from '../src/server/handler.ts'
import { call, text } from './support/agents/agent-harness.ts'
import { createScriptedModel } from './support/agents/scripted-model.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// Inside the package, so that the example resolves its dependencies.
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
const guide = readFileSync(join(root, 'docs/security.md'), 'utf8')
const [, code = ''] = /^```ts run\n(.*?)^```$/ms.exec(guide) ?? []
writeFileSync(join(folder, 'shop.ts'), code)
const { createShop, refunds } = (await import(join(folder, 'shop.ts'))) as {
  createShop(model: Model): Handler
  refunds: string[]
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the shop of the guide: users see their own sessions, and refunds follow their plans', async () => {
  const model = createScriptedModel([
    { content: [call('c1', 'refund', { order: 'o1', cents: 900 })] },
    { content: [text('done')] },
    { content: [call('c2', 'refund', { order: 'o2', cents: 900 })] },
    { content: [text('done')] },
  ])
  const shop = createShop(model)
  const send = async (user: string, path: string, body?: object) => {
    const response = await shop.fetch(
      new Request(`http://localhost${path}`, {
        headers: {
          'x-shop-token': `token-of-${user}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, content: await response.text() }
  }
  const [mine, yours] = [crypto.randomUUID(), crypto.randomUUID()]
  const ask = (user: string, agent_uuid: string) =>
    send(user, '/agent/run', { agent_uuid, user_prompt: 'Refund my order.' })

  expect((await ask('ann', mine)).content).toContain('Refunded.')
  expect(model.requests[0]?.system).toBe('You help customer ann, who has the pro plan.')
  // The free plan needs an approval.
  expect((await ask('bob', yours)).content).toContain('awaiting_approval')
  expect(refunds).toEqual(['900 for o1 to ann'])
  const approvals = [{ tool_use_id: 'c2', decision: 'approve' }]
  const decide = (user: string) =>
    send(user, '/agent/tool_approvals', { agent_uuid: yours, approvals })
  expect((await decide('ann')).status).toBe(404)
  expect((await decide('bob')).status).toBe(200)
  expect(refunds).toEqual(['900 for o1 to ann', '900 for o2 to bob'])

  const listOf = async (user: string) =>
    (JSON.parse((await send(user, '/agent/sessions')).content) as { total: number }).total
  expect([await listOf('ann'), await listOf('bob')]).toEqual([1, 1])
  expect((await send('eve', '/agent/sessions')).status).toBe(401)
  const link = await send('ann', `/agent/${mine}/share`, {})
  const { share } = JSON.parse(link.content) as { share: string }
  expect((await send('bob', `/agent/${mine}`)).status).toBe(404)
  expect((await send('bob', `/agent/${mine}?share=${share}`)).status).toBe(200)
  await shop.close()
})
