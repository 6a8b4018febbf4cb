import { expect, test } from 'vitest'
import { readJson } from './read-body.ts'

const limits = { maxBytes: 1_000, maxDepth: 10, idleTimeoutMs: 1_000, timeoutMs: 5_000 }

const send = (body: BodyInit, type = 'application/json'): Promise<unknown> => {
  const init = { method: 'POST', body, headers: { 'content-type': type }, duplex: 'half' }
  return readJson(new Request('http://localhost/', init), limits)
}

const codeOf = (range: Promise<unknown>): Promise<unknown> =>
  range.then(
    () => 'read',
    (error: unknown) => (error as { code: string }).code,
  )

test('reads JSON, with a charset or without', async () => {
  expect(await send('{"a":["ü"]}')).toEqual({ a: ['ü'] })
  expect(await send('{}', 'application/json; charset=utf-8')).toEqual({})
})

test.each(['text/plain', 'application/jsonp', 'multipart/form-data', ''])(
  'rejects the type %j, which other sites can send without a preflight',
  async (type) => expect(await codeOf(send('{}', type))).toBe('unsupported_media_type'),
)

test('accepts no body and no type as an empty object, if a body is optional', async () => {
  const read = (init: RequestInit, isOptional = true): Promise<unknown> =>
    readJson(new Request('http://localhost/', { method: 'POST', ...init }), {
      ...limits,
      isOptional,
    })
  const untyped = (text: string) => ({ body: new TextEncoder().encode(text) })
  expect(await read({})).toEqual({})
  expect(await read(untyped(''))).toEqual({})
  expect(await read({ body: '', headers: { 'content-type': 'application/json' } })).toEqual({})
  expect(await codeOf(read({}, false))).toBe('unsupported_media_type')
  expect(await codeOf(read(untyped('{}')))).toBe('unsupported_media_type')
  for (const body of ['', '{}', 'agent=x']) {
    expect(await codeOf(read({ body }))).toBe('unsupported_media_type')
  }
})

test('stops reading a body that is too large, with or without a length', async () => {
  let pulled = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled++
      controller.enqueue(new Uint8Array(100))
    },
  })
  expect(await codeOf(send(endless))).toBe('payload_too_large')
  expect(pulled).toBeLessThan(20)
  expect(await codeOf(send(`"${'x'.repeat(1_000)}"`))).toBe('payload_too_large')
  expect(await codeOf(send(`"${'x'.repeat(998)}"`))).toBe('read')
})

test('rejects invalid JSON, deep nesting, and keys for prototype pollution', async () => {
  expect(await codeOf(send('{"a":'))).toBe('bad_request')
  expect(await codeOf(send('['.repeat(11) + ']'.repeat(11)))).toBe('bad_request')
  expect(await codeOf(send('['.repeat(10) + ']'.repeat(10)))).toBe('read')
  expect(await codeOf(send('{"a":{"__proto__":{"b":1}}}'))).toBe('bad_request')
})
