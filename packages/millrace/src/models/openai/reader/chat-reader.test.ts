import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  endOf,
  noticesOf,
  withoutNotices,
} from '../../../../test/support/models/anthropic-events.ts'
import {
  calls,
  chunk,
  delta,
  finish,
  readChunks,
  readCut,
  text,
  usage,
} from '../../../../test/support/models/chat-chunks.ts'
import { checkModelEvents } from '../../../../test/support/models/check-model-events.ts'
import type { ModelEvent } from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'

function read(...chunks: JsonObject[]): ModelEvent[] {
  const events = readChunks(chunks)
  checkModelEvents(events)
  return events
}

function contentOf(...chunks: JsonObject[]) {
  return endOf(read(...chunks)).content
}

const call = (id: string, name: string, input: JsonObject) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

describe('a regular message', () => {
  test('has text, id, model, reason and usage', () => {
    const events = read(
      delta({ role: 'assistant', content: '' }),
      text('Hel'),
      text('lo'),
      finish('stop'),
      usage({ prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }),
    )
    expect(events).toEqual([
      { type: 'message_start', messageId: 'chatcmpl-1', model: 'model-1' },
      { type: 'block_start', block: 0, kind: 'text', content: { type: 'text', text: '' } },
      { type: 'block_delta', block: 0, text: 'Hel' },
      { type: 'block_delta', block: 0, text: 'lo' },
      { type: 'block_end', block: 0, kind: 'text', content: { type: 'text', text: 'Hello' } },
      {
        type: 'message_end',
        outcome: 'finished',
        retry: 'none',
        stopReason: 'stop',
        usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
        content: [{ type: 'text', text: 'Hello' }],
      },
    ])
  })

  test('may be empty', () => {
    expect(endOf(read(finish('stop')))).toMatchObject({ outcome: 'finished', content: [] })
  })

  test('may be unstreamed', () => {
    const message = {
      role: 'assistant',
      content: 'Look:',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
      ],
    }
    const end = endOf(
      read(chunk({ message, finish_reason: 'tool_calls' }, { usage: { prompt_tokens: 1 } })),
    )
    expect(end).toMatchObject({
      outcome: 'finished',
      stopReason: 'tool_calls',
      content: [{ type: 'text', text: 'Look:' }, call('c1', 'f', { a: 1 }), call('c2', 'g', {})],
    })
  })

  test('is not duplicated if a server repeats it', () => {
    const message = { role: 'assistant', content: 'Hi' }
    const beside = chunk({ delta: { content: 'Hi' }, message })
    expect(contentOf(beside, chunk({ message, finish_reason: 'stop' }))).toEqual([
      { type: 'text', text: 'Hi' },
    ])
  })

  test('has the other fields of the server', () => {
    const { details } = endOf(
      read(
        chunk(undefined, { id: '', model: '', prompt_filter_results: [{ prompt_index: 0 }] }),
        chunk(
          { delta: { content: 'a' }, logprobs: {} },
          { obfuscation: 'x', service_tier: 'flex' },
        ),
        chunk(
          { delta: {}, finish_reason: 'stop', native_finish_reason: 'STOP' },
          { provider: 'Mill', system_fingerprint: null },
        ),
      ),
    )
    expect(details).toEqual({
      prompt_filter_results: [{ prompt_index: 0 }],
      service_tier: 'flex',
      native_finish_reason: 'STOP',
      provider: 'Mill',
    })
  })

  test('has one choice: others are ignored, with one notice', () => {
    const other = { index: 1, delta: { content: 'no' } }
    const both = { ...chunk({ delta: { content: 'yes' } }) }
    const events = read(
      { ...both, choices: [{ index: 0, delta: { content: 'yes' } }, other] },
      { ...both, choices: [other] },
      finish(),
    )
    expect(endOf(events).content).toEqual([{ type: 'text', text: 'yes' }])
    expect(noticesOf(events)).toHaveLength(1)
  })
})

describe('calls', () => {
  const first = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }
  const piece = (index: number, args: string) => ({ index, function: { arguments: args } })

  test('arrive in deltas by index, in parallel', () => {
    const events = read(
      calls(first),
      calls(piece(0, '{"a"')),
      calls(piece(0, ':1}')),
      calls({ index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '{' } }),
      calls(piece(1, '}')),
      finish('tool_calls'),
    )
    expect(endOf(events)).toMatchObject({
      stopReason: 'tool_calls',
      content: [call('c1', 'f', { a: 1 }), call('c2', 'g', {})],
    })
    const ends = events.flatMap((event) => (event.type === 'block_end' ? [event.inputText] : []))
    expect(ends).toEqual(['{"a":1}', '{}'])
  })

  test('end as soon as other content starts', () => {
    const events = read(calls(first), calls(piece(0, '{}')), text('then'), finish('tool_calls'))
    const order = events.map((event) => event.type + ('block' in event ? event.block : ''))
    expect(order.indexOf('block_end0')).toBeLessThan(order.indexOf('block_start1'))
  })

  test('may interleave', () => {
    const content = contentOf(
      calls(first),
      calls({ index: 1, id: 'c2', function: { name: 'g', arguments: '{"b"' } }),
      calls(piece(0, '{"a":1'), piece(1, ':2')),
      calls(piece(1, '}'), piece(0, '}')),
      finish('tool_calls'),
    )
    expect(content).toEqual([call('c1', 'f', { a: 1 }), call('c2', 'g', { b: 2 })])
  })

  const f1 = { id: 'c1', function: { name: 'f', arguments: '{"n":1}' } }
  const f2 = { id: 'c2', function: { name: 'f', arguments: '{"n":2}' } }
  const both = [call('c1', 'f', { n: 1 }), call('c2', 'f', { n: 2 })]

  test.each<[string, JsonObject[], readonly JsonObject[]]>([
    ['without an index, in one chunk (Gemini)', [calls(f1, f2)], both],
    ['without an index, chunk by chunk', [calls(f1), calls(f2)], both],
    ['all with index 0 (Ollama)', [calls({ index: 0, ...f1 }), calls({ index: 0, ...f2 })], both],
    [
      'without an index, in pieces',
      [
        calls({ id: 'c1', function: { name: 'f', arguments: '{"n"' } }),
        calls({ function: { arguments: ':1}' } }),
        calls({ id: 'c2', function: { name: 'f' } }),
        calls({ id: 'c2', function: { arguments: '{"n":2}' } }),
      ],
      both,
    ],
    [
      'with an empty id and the same name',
      [calls({ id: '', function: f1.function }), calls({ id: '', function: f2.function })],
      [call('made_1', 'f', { n: 1 }), call('made_2', 'f', { n: 2 })],
    ],
    [
      'with a new id in every delta (older vLLM)',
      [
        calls({ index: 0, id: 'c1', function: { name: 'f' } }),
        calls({ index: 0, id: 'x2', function: { arguments: '{"n"' } }),
        calls({ index: 0, id: 'x3', function: { arguments: ':1}' } }),
      ],
      both.slice(0, 1),
    ],
    [
      'with id and name in every delta',
      [
        calls({ index: 0, id: 'c1', function: { name: 'f', arguments: '{"n"' } }),
        calls({ index: 0, id: 'c1', function: { name: 'f', arguments: ':1}' } }),
      ],
      both.slice(0, 1),
    ],
    [
      'with arguments as an object',
      [calls({ index: 0, id: 'c1', function: { name: 'f', arguments: { n: 1 } } })],
      both.slice(0, 1),
    ],
    [
      'with arguments of null, or none',
      [calls({ index: 0, id: 'c1', function: { name: 'f', arguments: null } })],
      [call('c1', 'f', {})],
    ],
    [
      'with the name after the id and some arguments',
      [
        calls({ index: 0, id: 'c1', function: { arguments: '{"n"' } }),
        calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      ],
      both.slice(0, 1),
    ],
    [
      'as the older function_call',
      [
        delta({ function_call: { name: 'f', arguments: '{"n"' } }),
        delta({ function_call: { arguments: ':1}' } }),
      ],
      [call('made_1', 'f', { n: 1 })],
    ],
    [
      'with an id that another call has',
      [calls({ index: 0, ...f1 }), calls({ index: 1, ...f2, id: 'c1' })],
      [call('c1', 'f', { n: 1 }), call('c2', 'f', { n: 2 })],
    ],
  ])('%s', (_name, chunks, expected) => {
    expect(contentOf(...chunks, finish('tool_calls'))).toEqual(expected)
  })

  test('[CALL-1] with a used id get the next one in the form of the provider', () => {
    const id = 'functions.f:1'
    const events = readChunks([calls({ index: 0, ...f1, id }), finish('tool_calls')], {
      usedIds: [id, 'functions.f:2'],
    })
    expect(endOf(events).content).toEqual([call('functions.f:3', 'f', { n: 1 })])
  })

  test.each(['stop', 'end_turn', 'STOP'])('are run although the reason is %s', (reason) => {
    const { stopReason, details } = endOf(read(calls(f1), finish(reason)))
    expect({ stopReason, details }).toEqual({
      stopReason: 'tool_calls',
      details: { finish_reason: reason },
    })
  })

  test('are not run for an unknown finish reason', () => {
    const end = endOf(read(calls(f1), finish('from_the_future')))
    expect(end).toMatchObject({ outcome: 'finished', stopReason: 'from_the_future' })
  })

  test('keep fields that must be sent back, also in separate deltas (Gemini)', () => {
    const extra = { extra_content: { google: { thought_signature: 's' } } }
    expect(contentOf(calls({ ...f1, ...extra }), finish())).toEqual([
      { ...call('c1', 'f', { n: 1 }), openai: extra },
    ])
    expect(contentOf(calls(f1), calls(extra), finish())).toEqual([
      { ...call('c1', 'f', { n: 1 }), openai: extra },
    ])
  })

  test('keep input that is not an object as text, with a notice', () => {
    const events = read(calls({ ...f1, function: { name: 'f', arguments: '{"n":' } }), finish())
    expect(endOf(events).content).toEqual([call('c1', 'f', {})])
    expect(events.find(({ type }) => type === 'block_end')).toMatchObject({ inputText: '{"n":' })
    expect(noticesOf(events)).toEqual([expect.stringContaining('not a JSON object')])
  })

  test('without a name are dropped', () => {
    const events = read(calls({ index: 0, id: 'c1', function: { arguments: '{}' } }), finish())
    expect(endOf(events)).toMatchObject({ content: [], stopReason: 'stop' })
    expect(noticesOf(events)).toHaveLength(1)
  })

  test('that are nested too deeply for the partial parser are parsed', () => {
    const deep = `{"a":${'['.repeat(300)}${']'.repeat(300)}}`
    const [block] = contentOf(calls({ ...f1, function: { name: 'f', arguments: deep } }), finish())
    expect(JSON.stringify(block?.['input'])).toBe(deep)
  })
})

describe('reasoning', () => {
  const thought = (thinking: string, field?: string) => ({
    type: 'thinking',
    thinking,
    ...(field !== undefined && { openai: { field } }),
  })

  test.each(['reasoning_content', 'reasoning'])(
    'in %s is thinking that records its field',
    (field) => {
      const chunks = [
        delta({ [field]: 'Hm, ' }),
        delta({ [field]: 'yes.' }),
        text('Yes.'),
        finish(),
      ]
      expect(contentOf(...chunks)).toEqual([
        thought('Hm, yes.', field),
        { type: 'text', text: 'Yes.' },
      ])
    },
  )

  test('is not duplicated if a server sends both fields', () => {
    const chunks = [delta({ reasoning: 'Hm', reasoning_content: 'Hm', content: null }), finish()]
    expect(contentOf(...chunks)).toEqual([thought('Hm', 'reasoning_content')])
  })

  test('in content parts is thinking (Mistral)', () => {
    const part = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
    const chunks = [delta({ content: [part] }), delta({ content: [{ type: 'text', text: 'a' }] })]
    expect(contentOf(...chunks, text('b'), finish())).toEqual([
      thought('Hm'),
      { type: 'text', text: 'ab' },
    ])
  })

  test('in details is joined, so that a signature covers all of it (OpenRouter)', () => {
    const base = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const detail = (fields: JsonObject) => ({ ...base, ...fields })
    const chunks = [
      delta({ reasoning: 'Let', reasoning_details: [detail({ text: 'Let' })] }),
      delta({ reasoning: ' me', reasoning_details: [detail({ text: ' me' })] }),
      delta({ content: 'Go', reasoning_details: [detail({ signature: 'sig' })] }),
    ]
    expect(contentOf(...chunks, finish())).toEqual([
      {
        type: 'thinking',
        thinking: 'Let me',
        openai: {
          field: 'reasoning',
          reasoning_details: [{ ...base, text: 'Let me', signature: 'sig' }],
        },
      },
      { type: 'text', text: 'Go' },
    ])
  })

  test('in details alone is read from them', () => {
    const summary = { type: 'reasoning.summary', summary: 'Short', index: 0 }
    expect(contentOf(delta({ reasoning_details: [summary] }), finish())).toEqual([
      { type: 'thinking', thinking: 'Short', openai: { reasoning_details: [summary] } },
    ])
  })

  test('that is encrypted is complete and precedes its call', () => {
    const secret = (data: string) => ({ type: 'reasoning.encrypted', data, index: 0 })
    const chunks = [
      text('Look'),
      delta({ reasoning_details: [secret('a')] }),
      text('ing'),
      delta({
        reasoning_details: [secret('b')],
        tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }],
      }),
    ]
    expect(contentOf(...chunks, finish('tool_calls'))).toEqual([
      { type: 'text', text: 'Looking' },
      {
        type: 'thinking',
        thinking: '',
        openai: { reasoning_details: [secret('a'), secret('b')] },
      },
      call('c1', 'f', {}),
    ])
  })
})

describe('usage', () => {
  const usageOf = (...reports: JsonObject[]) =>
    endOf(read(text('a'), ...reports.map(usage), finish())).usage

  test('counts cached tokens separately, so that the fields add up to the prompt', () => {
    const details = { cached_tokens: 60, cache_write_tokens: 10 }
    const report = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: details }
    expect(usageOf(report)).toEqual({
      input_tokens: 30,
      output_tokens: 5,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      prompt_tokens_details: details,
    })
  })

  test.each(['prompt_cache_hit_tokens', 'cached_tokens'])('reads %s', (field) => {
    expect(usageOf({ prompt_tokens: 10, [field]: 4 })).toMatchObject({
      input_tokens: 6,
      cache_read_input_tokens: 4,
    })
  })

  test('of a later chunk replaces the earlier one; null is ignored', () => {
    const reports = [
      { prompt_tokens: 5, completion_tokens: 1, cost: 0.1 },
      { prompt_tokens: 5, completion_tokens: 2, cost: null },
    ]
    expect(usageOf(...reports)).toEqual({ input_tokens: 5, output_tokens: 2, cost: 0.1 })
  })

  test('is found in the fields of Groq and Moonshot', () => {
    const report = { prompt_tokens: 5, completion_tokens: 2 }
    const groq = read(text('a'), chunk(undefined, { x_groq: { usage: report } }), finish())
    const moonshot = read(text('a'), finish('stop', { usage: report }))
    for (const events of [groq, moonshot]) {
      expect(endOf(events).usage).toEqual({ input_tokens: 5, output_tokens: 2 })
    }
  })
})

describe('the end', () => {
  test.each([
    ['length', 'truncated', 'continue'],
    ['MAX_TOKENS', 'truncated', 'continue'],
    ['content_filter', 'refused', 'none'],
    ['unheard_of', 'finished', 'none'],
  ])('%s is %s', (reason, outcome, retry) => {
    const end = endOf(read(text('a'), finish(reason)))
    expect(end).toMatchObject({ outcome, retry, stopReason: reason })
    expect(end.content).toEqual([{ type: 'text', text: 'a' }])
  })

  test('by length drops the incomplete call and no other', () => {
    const whole = { index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }
    const half = { index: 1, id: 'c2', function: { name: 'g', arguments: '{"a' } }
    const bare = { index: 2, id: 'c3', function: { name: 'h', arguments: '' } }
    const end = endOf(read(calls(whole), calls(half), calls(bare), finish('length')))
    expect(end.content).toEqual([call('c1', 'f', {})])
    expect(end.cut).toMatchObject([
      { kind: 'tool_call', text: '{"a' },
      { kind: 'tool_call', text: '' },
    ])
  })

  test('by refusal has its text', () => {
    const events = read(delta({ refusal: 'I can’t ' }), delta({ refusal: 'do that.' }), finish())
    expect(endOf(events)).toMatchObject({
      outcome: 'refused',
      stopReason: 'refusal',
      content: [{ type: 'text', text: 'I can’t do that.' }],
    })
  })

  test('with an empty finish_reason has none (older Ollama)', () => {
    const events = readCut([chunk({ delta: { content: 'a' }, finish_reason: '' })])
    expect(endOf(events).outcome).toBe('interrupted')
  })

  test('of the body after a finish_reason ends the message', () => {
    expect(endOf(readCut([text('a'), finish('stop')]))).toMatchObject({
      outcome: 'finished',
      stopReason: 'stop',
    })
    const aborted = readCut([text('a'), finish('stop')], {}, { outcome: 'aborted' })
    expect(endOf(aborted).outcome).toBe('aborted')
  })

  test('by [DONE] without a finish_reason runs only complete calls', () => {
    const half = { index: 1, id: 'c2', function: { name: 'g', arguments: '{"a' } }
    const whole = { index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }
    const events = read(calls(whole), calls(half))
    expect(endOf(events)).toMatchObject({
      outcome: 'finished',
      stopReason: 'tool_calls',
      content: [call('c1', 'f', {})],
      cut: [{ text: '{"a' }],
    })
    expect(noticesOf(events)).toHaveLength(1)
    expect(endOf(read(text('a'))).stopReason).toBeNull()
  })

  test('by [DONE] alone is an interruption', () => {
    expect(endOf(read())).toMatchObject({ outcome: 'interrupted', retry: 'request' })
  })

  test('by an interruption keeps text and runs no open call', () => {
    const whole = { index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }
    const events = readCut([text('Half a'), calls(whole)])
    checkModelEvents(events)
    expect(endOf(events)).toMatchObject({
      outcome: 'interrupted',
      content: [{ type: 'text', text: 'Half a' }],
      cut: [{ kind: 'tool_call', text: '{}' }],
    })
  })

  test('ignores further chunks', () => {
    const ended = readChunks([text('a'), finish()])
    const later = readChunks([text('a'), finish(), chunk(undefined)])
    expect(later).toEqual(ended)
  })
})

describe('errors in the stream', () => {
  const failureOf = (value: JsonObject) => {
    const events = readChunks([text('a'), value])
    checkModelEvents(events)
    expect(endOf(events)).toMatchObject({ outcome: 'failed', content: [{ text: 'a' }] })
    return endOf(events).failure
  }

  test('OpenRouter: an error in a choice that ends with one', () => {
    const error = {
      code: 502,
      message: 'Provider returned error',
      metadata: { provider_name: 'Mill', raw: 'the wheel stands still' },
    }
    const last = chunk({ delta: { content: '' }, finish_reason: 'error' }, { error })
    expect(failureOf(last)).toEqual({
      type: 'api_error',
      message: 'Provider returned error: the wheel stands still',
      retriable: true,
      status: 502,
    })
  })

  test.each<[string, JsonObject, object]>([
    [
      'OpenAI',
      { error: { message: 'Slow down', type: 'server_error', code: null } },
      { type: 'server_error', message: 'Slow down', retriable: true },
    ],
    [
      'vLLM, older',
      { object: 'error', message: 'Too long', type: 'BadRequestError', code: 400 },
      { type: 'BadRequestError', message: 'Too long', retriable: false, status: 400 },
    ],
    [
      'a code in words',
      { error: { message: 'Too long', code: 'context_length_exceeded' } },
      { type: 'context_length_exceeded', message: 'Too long', retriable: false },
    ],
    ['plain words', { error: 'Compute error.' }, { type: 'api_error', message: 'Compute error.' }],
    ['FastAPI', { detail: 'Not here' }, { message: 'Not here' }],
    ['Groq', { x_groq: { error: 'over capacity' } }, { message: 'over capacity' }],
    [
      'a quota that is used up',
      { error: { code: 'insufficient_quota', message: 'Pay', status: 429 } },
      { type: 'insufficient_quota', retriable: false, status: 429 },
    ],
    ['a choice', chunk({ delta: {}, error: { message: 'Bad' } }), { message: 'Bad' }],
    ['a reason alone', finish('error'), { type: 'provider_error', retriable: true }],
    ['a reason of DeepSeek', finish('insufficient_system_resource'), { retriable: true }],
  ])('%s', (_name, value, expected) => {
    expect(failureOf(value)).toMatchObject(expected)
  })

  test('a first chunk with an error emits no message before its end', () => {
    const events = readChunks([{ error: { message: 'No' } }])
    expect(events.map(({ type }) => type)).toEqual(['message_end'])
    expect(endOf(events).retry).toBe('request')
  })
})

test('converts annotations of text to citations', () => {
  const cited = { url: 'https://mill.example', title: 'Mill', start_index: 0, end_index: 4 }
  const annotation = { type: 'url_citation', url_citation: { ...cited, content: 'A mill' } }
  const events = read(text('Mill'), delta({ annotations: [annotation] }), finish())
  const citation = { type: 'url_citation', ...cited, cited_text: 'A mill' }
  expect(events).toContainEqual({ type: 'block_citation', block: 0, citation })
  expect(endOf(events).content).toEqual([{ type: 'text', text: 'Mill', citations: [citation] }])
})

describe('any message', () => {
  const piece = fc.oneof(
    fc.record({ kind: fc.constant('text'), text: fc.string({ unit: 'binary', minLength: 1 }) }),
    fc.record({ kind: fc.constant('reasoning'), text: fc.string({ minLength: 1 }) }),
    fc.record({
      kind: fc.constant('call'),
      text: fc.jsonValue().map((v) => JSON.stringify({ v })),
    }),
  )
  const script = fc.array(piece, { maxLength: 6 })

  function toChunks(pieces: readonly { kind: string; text: string }[], size: number): JsonObject[] {
    return pieces.flatMap(({ kind, text: whole }, index) => {
      const parts = cut(whole, size)
      if (kind === 'text') return parts.map((content) => text(content))
      if (kind === 'reasoning') return parts.map((part) => delta({ reasoning_content: part }))
      const first = { index, id: `c${index}`, function: { name: 'f', arguments: '' } }
      const more = parts.map((part) => calls({ index, function: { arguments: part } }))
      return [calls(first), ...more]
    })
  }

  const cut = (whole: string, size: number) => whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []

  test('has the same content for any deltas', () => {
    fc.assert(
      fc.property(script, fc.integer({ min: 1, max: 9 }), (pieces, size) => {
        const [whole, parts] = [1e6, size].map((each) => [...toChunks(pieces, each), finish()])
        const events = read(...(parts ?? []))
        expect(endOf(events)).toEqual(endOf(read(...(whole ?? []))))
        expect(withoutNotices(events)).toHaveLength(events.length)
      }),
    )
  })

  test('has one end at any cut, and no open call is run', () => {
    fc.assert(
      fc.property(script, fc.nat(), (pieces, place) => {
        const chunks = [...toChunks(pieces, 3), finish('tool_calls')]
        const events = readCut(chunks.slice(0, place % chunks.length))
        checkModelEvents(events)
        expect(endOf(events).outcome).toBe('interrupted')
      }),
    )
  })
})
