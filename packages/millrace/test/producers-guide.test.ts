import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromProducer } from '../src/agent/foreign/producer/from-producer.ts'
import { createHandler } from '../src/server/handler.ts'
import { createMemoryStore } from '../src/stores/memory/memory-store.ts'

const guide = readFileSync(new URL('../../../docs/producers.md', import.meta.url), 'utf8')

/** The requests of the guide, each with the JSON right after it. */
const requests = [
  ...guide.matchAll(/^```http\n(\w+) (\S+)\n(.*?)^```$(?:\s*^```json\n(.*?)^```$)?/gms),
]

test('the requests of the guide, one after the other, have the replies that it shows', async () => {
  const handler = createHandler({
    agents: { writer: fromProducer({ name: 'writer' }) },
    defaultAgent: 'writer',
    store: createMemoryStore(),
  })
  let session = ''
  for (const [, method = '', path = '', rest = '', reply] of requests) {
    if (method === 'GET') continue
    const [head = '', body = ''] = rest.split('\n\n')
    const headers = head.split('\n').map((line) => line.split(': ') as [string, string])
    const request = new Request(`http://localhost${path}`, { method, headers, body })
    const response = await handler.fetch(request)
    const received = (await response.json()) as { readonly agent_uuid?: string }
    session ||= received.agent_uuid ?? ''
    expect(response.ok).toBe(true)
    if (reply !== undefined) expect(received).toMatchObject(JSON.parse(reply))
  }
  expect(requests.length).toBe(5)
  const url = `http://localhost/agent/${session}/stream`
  const stream = await (await handler.fetch(new Request(url))).text()
  expect([...stream.matchAll(/"text".*?"delta":"(.*?)"/g)].map(([, text]) => text).join('')).toBe(
    'Rye grows tall.',
  )
  await handler.close()
})
