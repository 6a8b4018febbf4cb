import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkCall, defineTool, runTool, type ToolContext } from './index.ts'
import { defineFrontendTool } from './define-tool.ts'

const anything = z.object({}).loose()
const never = new AbortController().signal

function toolThat(
  run: (input: Record<string, unknown>, context: ToolContext) => unknown,
  timeoutMs = 1000,
) {
  return defineTool({ name: 'work', description: '', input: anything, run, timeoutMs })
}

function call(inputText = '{}') {
  return { id: 't1', name: 'work', inputText }
}

function answerOf(tool: ReturnType<typeof toolThat>, inputText?: string, signal = never) {
  return runTool(tool, call(inputText), {
    signal,
    idempotencyKey: 'run/t1',
    agent: 'a1',
    progress: () => {},
    onError: () => {},
  })
}

describe('the return value of a tool', () => {
  const png = { data: 'AAAA', mediaType: 'image/png' }
  const base64 = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
  }
  test.each([
    ['a string stays as it is', '4', { text: '4', content: '4', isError: false, images: [] }],
    ['an empty string too', '', { text: '', content: '' }],
    ['a number is JSON', 4, { text: '4', content: '4' }],
    ['null is JSON', null, { text: 'null' }],
    ['an object is JSON', { a: [1] }, { text: '{"a":[1]}', content: '{"a":[1]}' }],
    ['an empty object is JSON', {}, { text: '{}' }],
    ['undefined gives a placeholder', undefined, { text: '(no output)', content: '(no output)' }],
    [
      'an object with a key beside the parts is JSON',
      { text: 'a', lang: 'en' },
      { text: '{"text":"a","lang":"en"}' },
    ],
    ['an object whose parts have other types is JSON', { text: 5 }, { text: '{"text":5}' }],
    [
      'a key that every object inherits is JSON too',
      { hasOwnProperty: 'text' },
      { text: '{"hasOwnProperty":"text"}' },
    ],
    ['text alone', { text: 'a' }, { text: 'a', content: 'a', isError: false }],
    [
      'an error of its own',
      { text: 'no', isError: true },
      { text: 'no', content: 'no', isError: true },
    ],
    [
      'text and an image',
      { text: 'shot', images: [png] },
      {
        text: 'shot',
        images: [{ src: 'data:image/png;base64,AAAA', mediaType: 'image/png' }],
        content: [{ type: 'text', text: 'shot' }, base64],
      },
    ],
    [
      'an image by address, without an empty text block that APIs refuse',
      { images: [{ url: 'https://e.x/a', mediaType: 'image/gif' }] },
      {
        text: '',
        images: [{ src: 'https://e.x/a', mediaType: 'image/gif' }],
        content: [{ type: 'image', source: { type: 'url', url: 'https://e.x/a' } }],
      },
    ],
    [
      'an error with an image: people see it, the model gets text only',
      { text: 'bad', images: [png], isError: true },
      { isError: true, content: 'bad', images: [{ mediaType: 'image/png' }] },
    ],
  ])('%s', async (_name, output, expected) => {
    expect(await answerOf(toolThat(() => output))).toMatchObject(expected)
  })

  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }
  test.each([
    [
      'an image block',
      base64,
      { text: '', images: [{ mediaType: 'image/png' }], content: [base64] },
    ],
    [
      'blocks in their order',
      [base64, { type: 'text', text: 'shot' }, { type: 'document', source: pdf, title: 't' }],
      {
        text: 'shot',
        isError: false,
        images: [{ src: 'data:image/png;base64,AAAA', mediaType: 'image/png' }],
        content: [
          base64,
          { type: 'text', text: 'shot' },
          { type: 'document', source: pdf, title: 't' },
        ],
      },
    ],
    [
      'blocks of text, which are text',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b', citations: null },
      ],
      { text: 'a\nb', content: 'a\nb' },
    ],
    ['a text block', { type: 'text', text: 'a' }, { text: 'a', content: 'a' }],
    [
      'an image by URL, without fields that tools cannot set',
      {
        type: 'image',
        source: { type: 'url', url: 'https://e.x/a' },
        cache_control: { type: 'x' },
      },
      {
        images: [{ src: 'https://e.x/a' }],
        content: [{ type: 'image', source: { type: 'url', url: 'https://e.x/a' } }],
      },
    ],
    [
      'half a character in a document',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a\ud800' } },
      { content: [{ source: { data: 'a\ufffd' } }] },
    ],
  ])('content blocks of the API: %s', async (_name, output, expected) => {
    expect(await answerOf(toolThat(() => output))).toMatchObject(expected)
  })

  test.each([
    [{ type: 'image', source: { media_type: 'image/png', data: 'AAAA' } }, 'source.type'],
    [{ type: 'image', source: { type: 'base64', media_type: 'png', data: 'AAAA' } }, 'media_type'],
    [
      { ...base64, source: { ...base64.source, data: 'data:image/png;base64,AAAA' } },
      'source.data',
    ],
    [{ ...base64, source: { ...base64.source, data: Buffer.from('a') } }, 'source.data'],
    [{ type: 'document', source: base64.source }, 'application/pdf'],
    [[base64, { type: 'video' }], 'block 2 of 2'],
    [[base64, 'text'], 'block 2 of 2'],
    [{ type: 'document', source: pdf, title: 1n }, 'bigint'],
  ])('an invalid block is an error with the reason: %#', async (output, says) => {
    const answer = await answerOf(toolThat(() => output))
    expect(answer).toMatchObject({ isError: true, images: [] })
    expect(answer.text).toContain(says)
    expect(answer.text).not.toContain('AAAA')
  })

  test.each([
    { type: 'text', name: 'email' },
    [{ type: 'text', text: 'a', id: 5 }],
    { type: 'image', source: 'camera' },
    [{ type: 'document', source: { name: 'a' }, score: 1 }],
    { type: 'constructor', source: { type: 'url' } },
    [],
  ])('data similar to a block is JSON: %j', async (output) => {
    expect(await answerOf(toolThat(() => output))).toMatchObject({ text: JSON.stringify(output) })
  })

  test('a value that JSON cannot hold is an error, not an exception', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    for (const output of [circular, 1n, { big: 1n }]) {
      expect(await answerOf(toolThat(() => output))).toMatchObject({
        isError: true,
        text: expect.stringContaining('cannot be written as JSON'),
      })
    }
  })

  test('any JSON value is returned as JSON, or as one of the documented parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { content, isError } = await answerOf(toolThat(() => value))
        expect(isError).toBe(false)
        expect(content).toBe(typeof value === 'string' ? value : JSON.stringify(value))
      }),
      { numRuns: 200 },
    )
  })
})

describe('reports failures to the model without a stack', () => {
  test.each([
    ['an exception', new Error('boom'), 'Tool "work" failed: boom'],
    ['an exception without words', new TypeError(), 'Tool "work" failed: TypeError'],
    ['a thrown string', 'boom', 'Tool "work" failed: boom'],
    ['a thrown nothing', undefined, 'Tool "work" failed: no reason given'],
  ])('%s', async (_name, thrown, text) => {
    const answer = await answerOf(
      toolThat(() => {
        throw thrown
      }),
    )
    expect(answer).toEqual({ text, content: text, images: [], isError: true })
  })

  test('quotes arguments that are not JSON', async () => {
    const answer = await answerOf(
      toolThat(() => 'ran'),
      '{"a": 1',
    )
    expect(answer).toMatchObject({ isError: true, content: '{"INVALID_JSON":"{\\"a\\": 1"}' })
  })

  test('names the field of invalid arguments', async () => {
    const input = z.object({ at: z.object({ row: z.number() }) })
    const tool = defineTool({ name: 'work', description: '', input, run: () => 'ran' })
    expect(await answerOf(tool, '{"at":{"row":"x"}}')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not valid:\n- at\.row: .*number/),
    })
    expect((await answerOf(tool, '[]')).isError).toBe(true)
  })

  test('treats missing arguments as an empty object, and __proto__ as an own key', async () => {
    expect(
      await answerOf(
        toolThat((input) => Object.keys(input)),
        '',
      ),
    ).toMatchObject({ text: '[]' })
    const { text } = await answerOf(
      toolThat(
        (input) =>
          Object.hasOwn(input, '__proto__') || Object.getPrototypeOf(input) === Object.prototype,
      ),
      '{"__proto__":{"x":1}}',
    )
    expect(text).toBe('true')
  })

  test('stops a tool after its timeout', async () => {
    let isAborted = false
    const tool = toolThat(
      (_input, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => (isAborted = true))),
      5,
    )
    expect(await answerOf(tool)).toMatchObject({
      isError: true,
      text: expect.stringContaining('within 5 ms'),
    })
    expect(isAborted).toBe(true)
  })

  test('stops waiting for the tool when the run is stopped', async () => {
    const controller = new AbortController()
    const tool = toolThat(() => {
      setTimeout(() => controller.abort(), 1)
      return new Promise(() => {})
    }, Infinity)
    expect(await answerOf(tool, '{}', controller.signal)).toMatchObject({
      isError: true,
      text: expect.stringContaining('outcome is unknown'),
    })
    let ran = false
    const late = await answerOf(
      toolThat(() => (ran = true)),
      '{}',
      controller.signal,
    )
    expect(late).toMatchObject({
      isError: true,
      text: expect.stringContaining('before the tool was started'),
    })
    expect(ran).toBe(false)
  })
})

test('gives a tool the context of its call', async () => {
  const tool = toolThat((_input, { callId, idempotencyKey }) => `${callId} ${idempotencyKey}`)
  expect((await answerOf(tool)).text).toBe('t1 run/t1')
})

test('validates a browser call before the run pauses', async () => {
  const input = z.object({ question: z.string() })
  const tool = defineFrontendTool({ name: 'ask', description: '', input })
  expect(await checkCall(tool, call('{"question":"ok?"}'))).toBeUndefined()
  expect(await checkCall(tool, call('{}'))).toMatchObject({
    isError: true,
    text: expect.stringContaining('question'),
  })
  expect(await checkCall(tool, call('{'))).toMatchObject({
    isError: true,
    text: '{"INVALID_JSON":"{"}',
  })
})
