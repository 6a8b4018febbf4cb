import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList } from '../../test/support/cut-text.ts'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import { runs } from '../../test/support/runs.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import { setups } from '../../test/support/segments/setups.ts'
import { toToolInvocations, type ToolInvocation } from './invocations/invocation-reader.ts'
import {
  createStreamingResponseHandler,
  type StreamingResponseHandlerOptions,
} from './response-handler.ts'
import type { SegmentEvent } from './segment-event.ts'
import { createSegmentStream } from './parser.ts'

/** Feeds chunks to a handler and records its callbacks. */
function handle(options: StreamingResponseHandlerOptions, pieces: readonly string[]) {
  const received: SegmentEvent[] = []
  const invoked: ToolInvocation[] = []
  const handler = createStreamingResponseHandler({
    ...options,
    onSegment: (event) => received.push(event),
    onInvocation: (invocation) => invoked.push(invocation),
  })
  const returned = [...pieces.flatMap((piece) => handler.feed(piece)), ...handler.finalize()]
  return { returned, received, invoked, again: handler.finalize() }
}

const anySetup = fc
  .nat(setups.length - 1)
  .chain((number) => fc.tuple(fc.constant(number), setups[number]!.text, cutList))

test('a handler reports the events of its parser, and each call as soon as it is complete', () => {
  fc.assert(
    fc.property(anySetup, ([number, text, cuts]) => {
      const options: StreamingResponseHandlerOptions = {
        strategy: 'xml',
        ...setups[number]?.options,
      }
      if (options.strategy === 'api_tool_call') return
      const pieces = cutAt(text, cuts)
      const { events } = readSegments(options, pieces)
      const { returned, received, invoked, again } = handle(options, pieces)
      expect(returned).toEqual(events)
      expect(received).toEqual(events)
      expect(invoked).toEqual(toToolInvocations(events, options))
      expect(again).toEqual([])
    }),
    { numRuns: runs(200, 20_000) },
  )
})

test('a stream gives the events of its parser', async () => {
  await fc.assert(
    fc.asyncProperty(anySetup, async ([number, text, cuts]) => {
      const options = setups[number]!.options
      const pieces = cutAt(text, cuts)
      const { readable, writable } = createSegmentStream(options)
      const writer = writable.getWriter()
      const written = Promise.all([...pieces.map((piece) => writer.write(piece)), writer.close()])
      const events: SegmentEvent[] = []
      for await (const event of readable) events.push(event)
      await written
      expect(events).toEqual(readSegments(options, pieces).events)
    }),
    { numRuns: runs(50, 2000) },
  )
})

const TAGGED = 'Now <run_bash>ls</run_bash>'

describe('the source of a handler', () => {
  const typesOf = (options: StreamingResponseHandlerOptions): string[] =>
    joinSegments(handle(options, [TAGGED]).returned).map(({ type }) => type)

  test.each<[string, StreamingResponseHandlerOptions, string[]]>([
    ['tags for Anthropic', { provider: 'anthropic', environment: {} }, ['text', 'run_bash']],
    ['JSON for others', { provider: 'ollama', environment: {} }, ['text']],
    ['native calls if nothing is said', { environment: {} }, ['text']],
    [
      'what the environment says',
      { environment: { MILLRACE_STREAM_PARSER: 'xml' } },
      ['text', 'run_bash'],
    ],
    [
      'what the option says first',
      { strategy: 'native', environment: { MILLRACE_STREAM_PARSER: 'xml' } },
      ['text'],
    ],
    ['text without tools', { strategy: 'xml', hasTools: false }, ['text']],
    [
      'the formats that are named',
      { strategy: 'native', formats: ['seed-xml'] },
      ['text', 'run_bash'],
    ],
  ])('%s', (_, options, types) => {
    expect(typesOf(options)).toEqual(types)
  })
})

test('reports a listener that throws, and calls all others', () => {
  const errors: unknown[] = []
  const invoked: string[] = []
  const handler = createStreamingResponseHandler({
    strategy: 'xml',
    onSegment: () => {
      throw new Error('deaf')
    },
    onInvocation: ({ name }) => {
      invoked.push(name)
      throw new Error('numb')
    },
    onError: (error) => errors.push(error),
  })
  const events = [...handler.feed(TAGGED), ...handler.finalize()]
  expect(joinSegments(events)).toHaveLength(2)
  expect(invoked).toEqual(['run_bash'])
  expect(errors).toHaveLength(events.length + 1)
})

test.each<StreamingResponseHandlerOptions>([{ strategy: 'xml' }, { strategy: 'api_tool_call' }])(
  'rejects input after the end: %j',
  (options) => {
    const handler = createStreamingResponseHandler(options)
    handler.finalize()
    expect(() => handler.feed('more')).toThrow('feed was called after finalize')
    expect(handler.finalize()).toEqual([])
  },
)
