import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventsOf, postMessage } from '../../../../millrace/test/support/models/emulator-talk.ts'
import { createEmulator, type EmulatorOptions } from '../emulator.ts'
import type { Scenario } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import type { Fault } from './fault.ts'

const reply: ScriptedReply = {
  blocks: [
    { type: 'text', text: 'The wheel turns – ✓.' },
    { type: 'tool_use', name: 'f', input: { a: [1, 2, 3] } },
  ],
}

function emulate(options: EmulatorOptions = {}, own: readonly Fault[] = []) {
  const scenario: Scenario = {
    name: 'wheel',
    summary: '',
    matches: () => true,
    reply: () => ({ ...reply, faults: own }),
  }
  return createEmulator({ scenarios: [scenario], pace: 'instant', seed: 'f', ...options })
}

function ask(faults: readonly Fault[], more: object = {}) {
  return postMessage(emulate({ faults }), { stream: true, ...more })
}

/** Reads a body to its end and returns its text and its error. */
async function drain(response: Response) {
  const chunks: Uint8Array[] = []
  let error: unknown
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch (reason) {
    error = reason
  }
  const bytes = chunks.flatMap((chunk) => [...chunk])
  return { chunks, bytes, text: new TextDecoder().decode(Uint8Array.from(bytes)), error }
}

const whole = await drain(await ask([]))
const events = eventsOf(whole.text)
const types = events.map(({ type }) => type)

async function typesWith(fault: Fault) {
  return eventsOf((await drain(await ask([fault]))).text).map(({ type }) => type)
}

describe('breaks', () => {
  test('a cut at any byte breaks the body after exactly this many bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.bytes.length), async (byte) => {
        const { bytes, error } = await drain(await ask([{ kind: 'cut', at: { byte } }]))
        expect(bytes).toEqual(whole.bytes.slice(0, byte))
        expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' })
      }),
      { numRuns: 40 },
    )
  })

  test('a cut or an end at any event keeps the events before it', async () => {
    for (let event = 0; event < events.length; event++) {
      const cut = await drain(await ask([{ kind: 'cut', at: { event } }]))
      const end = await drain(await ask([{ kind: 'end', at: { event } }]))
      expect(eventsOf(cut.text)).toEqual(events.slice(0, event))
      expect(eventsOf(end.text)).toEqual(events.slice(0, event))
      expect([cut.error === undefined, end.error === undefined]).toEqual([false, true])
    }
  })

  test('an end in the middle of a frame ends the body without an error', async () => {
    const { text, error } = await drain(await ask([{ kind: 'end', at: { byte: 50 } }]))
    expect([text, error]).toEqual([whole.text.slice(0, 50), undefined])
  })

  test('an error event is the last event', async () => {
    const error = { type: 'api_error', message: 'x' } as const
    const fault: Fault = { kind: 'error', error, at: { event: 3 } }
    const { text } = await drain(await ask([fault]))
    expect(eventsOf(text)).toEqual([...events.slice(0, 3), { type: 'error', error }])
    const first = await drain(await ask([{ kind: 'error', at: { event: 0 } }]))
    expect(eventsOf(first.text)).toMatchObject([{ error: { type: 'overloaded_error' } }])
  })

  test('a stall sends nothing, for a limited time or until the reader leaves', async () => {
    const short = await drain(await ask([{ kind: 'stall', waitMs: 5, at: { event: 3 } }]))
    expect(short.text).toBe(whole.text)
    const bytes = await drain(await ask([{ kind: 'stall', waitMs: 5, at: { byte: 70 } }]))
    expect(bytes.text).toBe(whole.text)
    for (const at of [{ event: 3 }, { byte: 70 }]) {
      const reader = (await ask([{ kind: 'stall', at }])).body?.getReader()
      await reader?.read()
      const silence = reader?.read()
      await reader?.cancel()
      expect(await silence).toEqual({ done: true, value: undefined })
    }
  })

  test('without a place, the seed selects one, the same each time', async () => {
    const length = async (seed: string) => {
      const emulator = emulate({ faults: [{ kind: 'cut' }], seed })
      return (await drain(await postMessage(emulator, { stream: true }))).bytes.length
    }
    const lengths = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(length))
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(length))).toEqual(lengths)
    expect(new Set(lengths).size).toBeGreaterThan(2)
    expect(Math.min(...lengths)).toBeGreaterThan(0)
  })

  test('a message that is not streamed breaks too', async () => {
    const stream = false
    const { text } = await drain(await ask([], { stream }))
    const cut = await drain(await ask([{ kind: 'cut' }], { stream }))
    expect(text.startsWith(cut.text)).toBe(true)
    expect(cut.error).toBeDefined()
    const bad = await drain(await ask([{ kind: 'bad_json' }], { stream }))
    expect(() => JSON.parse(bad.text) as unknown).toThrow()
    expect((await ask([{ kind: 'error' }], { stream })).status).toBe(529)
  })
})

describe('events', () => {
  test('bad_json breaks the JSON of one frame', async () => {
    const { text } = await drain(await ask([{ kind: 'bad_json', at: { event: 4 } }]))
    const data = text.split('\n').filter((line) => line.startsWith('data: '))
    const broken = data.filter((line) => {
      try {
        JSON.parse(line.slice(6))
        return false
      } catch {
        return true
      }
    })
    expect(broken).toHaveLength(1)
    expect(data).toHaveLength(events.length)
  })

  test('drop removes an event and repeat sends it twice', async () => {
    const at = { type: 'content_block_stop' }
    const stops = types.filter((type) => type === at.type).length
    const count = async (fault: Fault) =>
      (await typesWith(fault)).filter((type) => type === at.type).length
    expect(await count({ kind: 'drop', at })).toBe(stops - 1)
    expect(await count({ kind: 'repeat', at })).toBe(stops + 1)
  })

  test('duplicate_start repeats the first event, spliced_start begins another message', async () => {
    const at = { event: 4 }
    const twice = eventsOf((await drain(await ask([{ kind: 'duplicate_start', at }]))).text)
    expect(twice).toEqual([...events.slice(0, 4), events[0], ...events.slice(4)])
    const spliced = eventsOf((await drain(await ask([{ kind: 'spliced_start', at }]))).text)
    expect(spliced).toHaveLength(events.length + 4)
    expect(spliced.slice(5)).toEqual(events.slice(1))
    const idOf = (event: unknown) => (event as { message: { id: string } }).message.id
    expect(idOf(spliced[4])).toMatch(/^msg_01/)
    expect(idOf(spliced[4])).not.toBe(idOf(events[0]))
  })

  test('wrong_index changes one index', async () => {
    const at = { type: 'content_block_start', nth: 1 }
    const wrong = eventsOf((await drain(await ask([{ kind: 'wrong_index', by: -1, at }]))).text)
    const place = types.lastIndexOf('content_block_start')
    expect(wrong[place]).toMatchObject({ index: 0 })
    expect(wrong.toSpliced(place, 1)).toEqual(events.toSpliced(place, 1))
  })

  test('pings at any place in any number; an event of an unknown type', async () => {
    const everywhere = await typesWith({ kind: 'pings', count: 2 })
    expect(everywhere).toHaveLength(3 * types.length)
    expect(everywhere.slice(0, 3)).toEqual(['ping', 'ping', 'message_start'])
    const others = types.filter((type) => type !== 'ping')
    expect(everywhere.filter((type) => type !== 'ping')).toEqual(others)
    const fault: Fault = { kind: 'insert', event: { type: 'news', of: 1 }, at: { event: 2 } }
    expect(await typesWith(fault)).toEqual(types.toSpliced(2, 0, 'news'))
  })

  test('faults apply one after another', async () => {
    const faults: Fault[] = [
      { kind: 'pings', count: 1, at: { event: 1 } },
      { kind: 'end', at: { event: 2 } },
    ]
    const { text } = await drain(await ask(faults))
    expect(eventsOf(text).map(({ type }) => type)).toEqual(['message_start', 'ping'])
  })
})

describe('framing', () => {
  test.each<[Fault, (text: string) => string]>([
    [{ kind: 'crlf' }, (text) => text.replaceAll('\n', '\r\n')],
    [{ kind: 'bom' }, (text) => `\ufeff${text}`],
    [{ kind: 'no_event_names' }, (text) => text.replaceAll(/event: .*\n/g, '')],
    [{ kind: 'no_final_blank_line' }, (text) => text.slice(0, -1)],
    [{ kind: 'chunks', bytes: 1 }, (text) => text],
  ])('%j', async (fault, change) => {
    const { bytes } = await drain(await ask([fault]))
    expect(bytes).toEqual([...new TextEncoder().encode(change(whole.text))])
  })

  test('comments change no event', async () => {
    const { text } = await drain(await ask([{ kind: 'comments' }]))
    expect(text).toContain('\n: ')
    expect(eventsOf(text)).toEqual(events)
  })

  test('chunks have the requested size, wherever they split the text', async () => {
    const { chunks, text } = await drain(await ask([{ kind: 'chunks', bytes: 7 }]))
    expect(text).toBe(whole.text)
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(7)
  })
})

describe('before the response', () => {
  test('a rate limit sends retry-after and no remaining amount', async () => {
    const response = await ask([{ kind: 'status', status: 429, retryAfterS: 3 }])
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('3')
    expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0')
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
      request_id: response.headers.get('request-id'),
    })
  })

  test.each([
    [500, 'api_error'],
    [529, 'overloaded_error'],
    [503, 'api_error'],
    [418, 'invalid_request_error'],
  ])('%i is %s', async (status, type) => {
    const response = await ask([{ kind: 'status', status }])
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { type } })
  })

  test('an error may have its own details', async () => {
    const details = { error_code: 'enforced_spend_limit_reached' }
    const response = await ask([{ kind: 'status', status: 429, error: { details } }])
    expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error', details } })
  })

  test('slow headers wait, until the request is aborted', async () => {
    expect((await ask([{ kind: 'slow_headers', waitMs: 5 }])).status).toBe(200)
    const abort = new AbortController()
    const { fetch } = emulate({ faults: [{ kind: 'slow_headers', waitMs: 1e9 }] })
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
    const pending = fetch('http://e.test/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
      signal: abort.signal,
    })
    setTimeout(() => abort.abort(), 5)
    await expect(pending).rejects.toThrow('abort')
  })
})

describe('when', () => {
  const limit: Fault = { kind: 'status', status: 429, times: 2 }

  test('faults with times apply to the first attempts of a request, and again after a success', async () => {
    const emulator = emulate({ faults: [limit] })
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) {
      statuses.push((await postMessage(emulator)).status)
    }
    expect(statuses).toEqual([429, 429, 200, 429, 429, 200])
  })

  test('other requests count their own attempts', async () => {
    const emulator = emulate({ faults: [{ ...limit, times: 1 }] })
    const ask = async (max_tokens: number) => (await postMessage(emulator, { max_tokens })).status
    expect([await ask(1), await ask(2), await ask(1), await ask(2)]).toEqual([429, 429, 200, 200])
  })

  test('chance applies to some requests, the same ones for the same seed', async () => {
    const run = async () => {
      const emulator = emulate({ faults: [{ kind: 'status', status: 500, chance: 0.5 }] })
      const statuses: number[] = []
      for (let count = 0; count < 20; count++) statuses.push((await postMessage(emulator)).status)
      return statuses
    }
    const statuses = await run()
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(await run()).toEqual(statuses)
  })

  test('combines the faults of a reply and of the request header, and reports all to onRequest', async () => {
    const heard: unknown[] = []
    const onRequest = ({ faults }: { faults: readonly string[] }) => heard.push(faults)
    const emulator = emulate({ onRequest }, [{ kind: 'bom' }])
    const headers = { 'x-millrace-fault': 'crlf, pings=2@0' }
    const { text } = await drain(await postMessage(emulator, { stream: true }, headers))
    expect(text.startsWith('event: ping\r\n')).toBe(true)
    expect(heard).toEqual([['crlf', 'pings', 'bom']])
    const bad = await postMessage(emulator, {}, { 'x-millrace-fault': 'explode' })
    expect(bad.status).toBe(400)
    expect(await bad.text()).toContain('the faults are')
  })
})
