import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWebhookSecret } from '../../test/support/servers/webhook-receiver.ts'
import { signWebhook } from './index.ts'
import { verifyWebhook } from './webhook-signature.ts'

const secret = makeWebhookSecret()
const now = (): number => 1_800_000_000_000
const timestamp = 1_800_000_000
const body = '{"id":"evt_1","type":"run.completed"}'

const deliver = async (more: object = {}) => {
  const content = { id: 'evt_1', timestamp, body, ...more }
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': await signWebhook(secret, content),
  }
}

test('[HOOK-2] a signature is the HMAC-SHA256 over any id, time and body', async () => {
  const texts = fc.string({ unit: 'binary' })
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), texts, async (id, time, text) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const mac = createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')
      expect(await signWebhook(secret, { id, timestamp: time, body: text })).toBe(`v1,${mac}`)
    }),
  )
})

describe('[HOOK-2] a receiver', () => {
  test('accepts events signed with its secret, in the headers of fetch and of Node', async () => {
    const headers = await deliver()
    const event = { id: 'evt_1', type: 'run.completed' }
    expect(await verifyWebhook({ secret, headers, body, now })).toEqual(event)
    expect(await verifyWebhook({ secret, headers: new Headers(headers), body, now })).toEqual(event)
  })

  test('accepts one of several signatures, and ignores those of other versions', async () => {
    const headers = await deliver()
    const other = await signWebhook(makeWebhookSecret(), { id: 'evt_1', timestamp, body })
    const signature = `v1a,zzz ${other} v1,%% ${headers['webhook-signature']}`
    const several = { ...headers, 'webhook-signature': signature }
    expect(await verifyWebhook({ secret, headers: several, body, now })).toMatchObject({})
  })

  test.each([
    ['another body', async () => ({ headers: await deliver(), body: `${body} ` })],
    ['another id', async () => ({ headers: { ...(await deliver()), 'webhook-id': 'evt_2' } })],
    ['another secret', async () => ({ headers: await deliver(), secret: makeWebhookSecret() })],
    ['an old delivery', async () => ({ headers: await deliver({ timestamp: timestamp - 301 }) })],
    ['one of the future', async () => ({ headers: await deliver({ timestamp: timestamp + 301 }) })],
    ['a time that is none', async () => ({ headers: await deliver({ timestamp: 'soon' }) })],
    ['no signature', async () => ({ headers: { 'webhook-id': 'a', 'webhook-timestamp': '1' } })],
    [
      'an empty signature',
      async () => ({ headers: { ...(await deliver()), 'webhook-signature': '' } }),
    ],
  ])('rejects %s', async (_, given) => {
    const received = { secret, body, now, ...(await given()) }
    await expect(verifyWebhook(received)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('names the required form of a secret', async () => {
    const received = { secret: 'hunter2', headers: await deliver(), body, now }
    await expect(verifyWebhook(received)).rejects.toMatchObject({ code: 'bad_request' })
  })
})
