import { expect, test } from 'vitest'
import { hashInput } from '../json/index.ts'
import { decideCalls } from './index.ts'
import { createSession } from './transport/http/http-session.ts'
import { readDecisions } from './commands/read-history.ts'
import type { FetchFunction } from './session.ts'

const id = '0b0e7c3a-1111-4222-8333-444455556666'

/** Creates a session whose server gives each decision the same response and records the requests. */
function open(respond: () => Response) {
  const asked: { readonly url: string; readonly body?: unknown }[] = []
  const fetch: FetchFunction = async (url, { body }) => {
    asked.push({ url, ...(typeof body === 'string' && { body: JSON.parse(body) as unknown }) })
    if (!url.includes('/stream')) return respond()
    return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
  }
  return { asked, session: createSession({ url: 'http://test', session: id, fetch }) }
}

const done = () =>
  new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })

test('a decision contains the hash of the shown arguments, for any key order', async () => {
  const { asked, session } = open(done)
  await decideCalls(session, [
    { callId: 't1', decision: 'approve', shown: { b: 1, a: 'é' } },
    { callId: 't2', decision: 'refuse', reason: 'no' },
  ])
  expect(asked[0]).toEqual({
    url: 'http://test/agent/tool_approvals',
    body: {
      message_id: expect.stringMatching(/^[\da-f-]{36}$/),
      agent_uuid: id,
      approvals: [
        { tool_use_id: 't1', decision: 'approve', input_hash: hashInput({ a: 'é', b: 1 }) },
        { tool_use_id: 't2', decision: 'refuse', reason: 'no' },
      ],
    },
  })
})

test('a denied decision rejects with its reason, and the session reads the changes', async () => {
  const error = { code: 'conflict', reason: 'input_changed', message: 'Other arguments.' }
  const { asked, session } = open(() => Response.json({ error }, { status: 409 }))
  const decision = { callId: 't1', decision: 'approve', shown: {} } as const
  await expect(decideCalls(session, [decision])).rejects.toMatchObject({
    message: 'Other arguments.',
    details: { status: 409, code: 'conflict', reason: 'input_changed' },
  })
  expect(asked.at(-1)?.url).toContain('/stream')
})

test('arguments without a canonical form are not sent as approved', async () => {
  const { asked, session } = open(done)
  const decision = { callId: 't1', decision: 'approve', shown: { n: Infinity } } as const
  await expect(decideCalls(session, [decision])).rejects.toMatchObject({ code: 'bad_request' })
  expect(asked).toEqual([])
})

test('pages without decisions are skipped', async () => {
  const pages = [
    { decisions: [], cursor: 20_000, has_more: true, earliest: 1 },
    { decisions: [], cursor: 20_007, has_more: false, earliest: 1 },
  ]
  const { asked, session } = open(() => Response.json(pages[asked.length - 1]))
  expect(await readDecisions(session)).toMatchObject({ decisions: [], hasMore: false })
  expect(asked.map(({ url }) => new URL(url).searchParams.get('after'))).toEqual(['0', '20000'])
})

test('the decisions of a session are read in pages', async () => {
  const entry = { id: 7, tool_use_id: 't1', outcome: 'approved', by: 'anna', input_hash: 'x' }
  const page = { decisions: [entry], cursor: 7, has_more: true, earliest: 1 }
  const { asked, session } = open(() => Response.json(page))
  expect(await readDecisions(session, { after: 3, limit: 1 })).toEqual({
    decisions: [{ id: 7, callId: 't1', outcome: 'approved', by: 'anna', inputHash: 'x' }],
    cursor: 7,
    hasMore: true,
    earliest: 1,
  })
  expect(asked[0]?.url).toBe(`http://test/agent/${id}/decisions?limit=1&after=3`)
})
