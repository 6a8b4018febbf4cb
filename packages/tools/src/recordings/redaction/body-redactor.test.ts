import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  announcements,
  chunksOf,
  opaqueSecret,
  privateKeyLines,
  prose,
  shapedSecret,
} from '../../../../millrace/test/support/secrets.ts'
import { createBodyRedactor } from './body-redactor.ts'

interface RedactOptions {
  readonly known?: readonly string[]
  readonly hasDeltas?: boolean
  readonly maxHeldBytes?: number
}

function redactChunks(chunks: readonly Uint8Array[], options: RedactOptions = {}): Uint8Array[] {
  const out: Uint8Array[] = []
  const redactor = createBodyRedactor({ ...options, emit: ({ bytes }) => out.push(bytes) })
  for (const [index, bytes] of chunks.entries()) redactor.feed({ ms: index, bytes })
  redactor.finish()
  return out
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString()
const redact = (text: string, options?: RedactOptions): string =>
  decode(redactChunks([encode(text)], options))

/** Creates a stream of deltas from the chunks of a text. */
function toDeltas(pieces: readonly string[]): string {
  return pieces
    .map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }))
    .map((event) => `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

const deltaTexts = (body: string): string =>
  [...body.matchAll(/^data: (.*)$/gm)]
    .map(([, data]) => (JSON.parse(data ?? '') as { delta: { text: string } }).delta.text)
    .join('')

const wrappings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify({ messages: [{ role: 'user', content: text }] }),
  (text) => JSON.stringify({ input: JSON.stringify({ command: text }) }),
  (text) => JSON.stringify({ deep: JSON.stringify({ deeper: JSON.stringify([text]) }) }),
  (text) => toDeltas([text]),
]

const separators = [' ', '\n', '"', ', ', '(', '=', '\t']

describe('masks a secret', () => {
  test('by its pattern, at any position and for every split of the bytes', () => {
    const body = fc
      .record({
        secret: shapedSecret,
        before: prose,
        after: prose,
        separator: fc.constantFrom(...separators),
        wrap: fc.constantFrom(...wrappings),
      })
      .chain(({ secret, before, after, separator, wrap }) => {
        const text = wrap(`${before}${separator}${secret}${separator}${after}`)
        return chunksOf(encode(text)).map((chunks) => ({ secret, chunks }))
      })
    fc.assert(
      fc.property(body, ({ secret, chunks }) => {
        expect(decode(redactChunks(chunks))).not.toContain(secret)
      }),
    )
  })

  test('by the preceding words', () => {
    const body = fc.record({
      secret: opaqueSecret,
      announce: fc.constantFrom(...announcements),
      wrap: fc.constantFrom(...wrappings),
      before: prose,
    })
    fc.assert(
      fc.property(body, ({ secret, announce, wrap, before }) => {
        expect(redact(wrap(`${before}\n${announce(secret)}`))).not.toContain(secret)
      }),
    )
  })

  test('in the password of a URL, for every split of the bytes', () => {
    const password = fc.string({
      unit: fc.constantFrom(...'abzXY019-._~!$*+%'.split('')),
      minLength: 1,
      maxLength: 40,
    })
    const body = fc
      .record({ password, before: prose, wrap: fc.constantFrom(...wrappings) })
      .chain(({ password: end, before, wrap }) => {
        const secret = `Qq${end}`
        const text = wrap(`${before} postgres://miller:${secret}@db.test/mill and x`)
        return chunksOf(encode(text)).map((chunks) => ({ secret, chunks }))
      })
    fc.assert(
      fc.property(body, ({ secret, chunks }) => {
        const redacted = decode(redactChunks(chunks))
        expect(redacted).not.toContain(secret)
        expect(redacted).toContain(`miller:${'*'.repeat(secret.length)}@db.test`)
      }),
    )
  })

  test('from the known secrets, in any form', () => {
    const body = fc.record({
      secret: opaqueSecret,
      before: prose,
      wrap: fc.constantFrom(...wrappings),
    })
    fc.assert(
      fc.property(body, ({ secret, before, wrap }) => {
        expect(redact(wrap(`${before} ${secret}, you said`), { known: [secret] })).not.toContain(
          secret,
        )
      }),
    )
  })

  test('in the deltas of a stream, none of which contains it completely', () => {
    const body = fc
      .record({ secret: shapedSecret, before: prose, after: prose })
      .chain(({ secret, before, after }) =>
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 30 }).map((sizes) => {
          const text = `${before} ${secret} ${after}`
          const pieces: string[] = []
          let at = 0
          for (const size of sizes) {
            pieces.push(text.slice(at, at + size))
            at += size
          }
          return { secret, text, body: toDeltas([...pieces, text.slice(at)]) }
        }),
      )
    fc.assert(
      fc.property(body, ({ secret, text, body }) => {
        const safe = redact(body, { hasDeltas: true })
        expect(deltaTexts(safe)).toBe(text.replace(secret, '*'.repeat(secret.length)))
      }),
    )
  })

  test.each(['index', 'output_index'])('in a text that another text interrupts: %s', (place) => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(10)}`
    const pieces = secret.match(/.{1,7}/g) ?? []
    const toEvent = (index: number, content: string) => ({ [place]: index, delta: { content } })
    const events = pieces.flatMap((piece) => [toEvent(0, piece), toEvent(1, ' the mill ')])
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    const texts = [...redact(body, { hasDeltas: true }).matchAll(/"content":"([^"]*)"/g)]
    const received = texts.map(([, text]) => text)
    expect(received.filter((_, at) => at % 2 === 0).join('')).toBe('*'.repeat(secret.length))
    expect(received.filter((_, at) => at % 2 === 1)).toEqual(pieces.map(() => ' the mill '))
  })

  test('while another text has stopped in the middle of a word', () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(12)}`
    const pieces = secret.match(/.{1,20}/g) ?? []
    const toEvent = (delta: object) => `data: ${JSON.stringify({ delta })}\n\n`
    for (let fillers = 0; fillers < 30; fillers++) {
      const events = [
        toEvent({ text: 'The mill' }),
        ...Array.from({ length: fillers }, () => toEvent({ partial_json: 'corn ' })),
        ...pieces.map((piece) => toEvent({ partial_json: piece })),
        toEvent({ partial_json: ' and rye' }),
      ]
      const options = { hasDeltas: true, maxHeldBytes: 600 }
      const safe = decode(redactChunks(events.map(encode), options))
      const texts = [...safe.matchAll(/"partial_json":"([^"]*)"/g)].map(([, text]) => text)
      expect(texts.join('')).toContain('*'.repeat(secret.length))
    }
  })

  test.each(['summary', 'transcript'])('in chunks of a %s', (field) => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(10)}`
    const pieces = ['It is ', secret.slice(0, 9), secret.slice(9, 30), secret.slice(30), '.']
    const events = pieces.map((piece) => ({
      choices: [{ delta: { details: [{ [field]: piece }] } }],
    }))
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    const safe = redact(body, { hasDeltas: true })
    const texts = [...safe.matchAll(new RegExp(`"${field}":"([^"]*)"`, 'g'))].map(
      ([, text]) => text,
    )
    expect(texts.join('')).toBe(`It is ${'*'.repeat(secret.length)}.`)
  })

  test('in tool input that is streamed as chunks of JSON', () => {
    const pieces = ['{"user": "miller", "pass', 'word": "corn', ' and r', 'ye\\n!", "n": 1}']
    const body = pieces
      .map((json) => ({ delta: { type: 'input_json_delta', partial_json: json } }))
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('')
    const safe = redact(body, { hasDeltas: true })
    const json = [...safe.matchAll(/^data: (.*)$/gm)]
      .map(([, data]) => (JSON.parse(data ?? '') as { delta: { partial_json: string } }).delta)
      .map(({ partial_json }) => partial_json)
      .join('')
    expect(JSON.parse(json)).toEqual({ user: 'miller', password: '************\n*', n: 1 })
  })

  test('that is a private key, line by line', () => {
    const title = (word: string) => `-----${word} RSA PRIVATE KEY-----`
    const body = fc.record({
      lines: privateKeyLines,
      wrap: fc.constantFrom(...wrappings),
      before: prose,
    })
    fc.assert(
      fc.property(body, ({ lines, wrap, before }) => {
        const pem = [title('BEGIN'), ...lines, 'aB+/', title('END')].join('\n')
        const safe = redact(wrap(`${before}\n${pem}\nand so on`))
        for (const line of lines) expect(safe).not.toContain(line)
        expect(safe).toContain('and so on')
      }),
    )
  })

  test('that is longer than the scanned window', () => {
    const long = 'aB3_'.repeat(3000)
    expect(redact(`x eyJ${long}.eyJ${long}.${long} y`)).toMatch(/^x \*+ y$/)
    expect(redact(`x Bearer ${long} y`)).toMatch(/^x Bearer \*+ y$/)
    expect(redact(`x ${long} y`, { known: [long] })).toMatch(/^x \*+ y$/)
    const hidden = `${'/9j/'.repeat(2000)}+sk-ant-${'a1'.repeat(40)}`
    expect(redact(hidden)).toMatch(/^(?:\/9j\/)+\+\*{87}$/)
  })
})

describe('keeps everything else', () => {
  test('word for word', () => {
    fc.assert(
      fc.property(prose, fc.constantFrom(...wrappings), (text, wrap) => {
        expect(redact(wrap(text), { hasDeltas: true })).toBe(wrap(text))
      }),
    )
  })

  test('with the boundaries and lengths of all chunks, independent of the boundaries', () => {
    const body = fc
      .record({
        parts: fc.array(fc.oneof(shapedSecret, prose), { maxLength: 6 }),
        wrap: fc.constantFrom(...wrappings),
      })
      .chain(({ parts, wrap }) => {
        const text = wrap(parts.join(' '))
        return chunksOf(encode(text)).map((chunks) => ({ text, chunks }))
      })
    fc.assert(
      fc.property(body, ({ text, chunks }) => {
        const out = redactChunks(chunks, { hasDeltas: true })
        expect(out.map(({ length }) => length)).toEqual(chunks.map(({ length }) => length))
        expect(decode(out)).toBe(redact(text, { hasDeltas: true }))
      }),
    )
  })

  test('so that JSON stays JSON of the same structure', () => {
    const value = fc.dictionary(
      fc.constantFrom('text', 'api_key', 'password', 'token', 'content', 'access_key', 'n'),
      fc.oneof(fc.jsonValue(), shapedSecret, fc.string()),
    )
    const shapeOf = (text: string): string =>
      JSON.stringify(JSON.parse(text), (_, item: unknown) => (typeof item === 'string' ? '' : item))
    fc.assert(
      fc.property(value, fc.boolean(), (object, isNested) => {
        const inner = JSON.stringify(object)
        const safe = redact(isNested ? JSON.stringify({ inner }) : inner, { hasDeltas: true })
        const safeInner = isNested ? (JSON.parse(safe) as { inner: string }).inner : safe
        expect(shapeOf(safeInner)).toBe(shapeOf(inner))
      }),
    )
  })

  test('passes bytes that are not text through', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const out = redactChunks([bytes])
        expect(Buffer.concat(out).length).toBe(bytes.length)
      }),
    )
  })
})

test('does not modify the bytes that it receives', () => {
  const secret = `sk-ant-${'a1'.repeat(20)}`
  const bytes = Buffer.from(secret)
  expect(decode(redactChunks([bytes]))).toBe('*'.repeat(secret.length))
  expect(bytes.toString()).toBe(secret)
})

test('bounds the held bytes', () => {
  const emitted: number[] = []
  const redactor = createBodyRedactor({
    maxHeldBytes: 1000,
    hasDeltas: true,
    emit: ({ bytes }) => emitted.push(bytes.length),
  })
  redactor.feed({ ms: 0, bytes: encode(toDeltas(['a word that may go on'])) })
  expect(emitted).toEqual([])
  redactor.feed({ ms: 1, bytes: encode(`event: ping\ndata: {"type": "ping"}\n\n`.repeat(40)) })
  expect(emitted.length).toBe(2)
})
