import { describe, expect, test } from 'vitest'
import { toToolInvocations } from '../invocations/invocation-reader.ts'
import { createSegmentParser } from '../parser.ts'
import { createStreamingResponseHandler } from '../response-handler.ts'

/** Invalid options from untyped code. */
const wrong: readonly (readonly [options: object, message: string])[] = [
  [{ fences: 'clear' }, 'The option fences is "clear". Use one of opaque, transparent.'],
  [{ incomplete: 'yes' }, 'The option incomplete is "yes". Use one of skip, include.'],
  [{ limits: { maxHold: 1 } }, 'There is no limit maxHold. The limits are maxOpener,'],
  [{ limits: { maxHeld: -1 } }, 'The limit maxHeld is -1. Use a whole number'],
]

describe.each(wrong)('%j is rejected', (options, message) => {
  test.each(Object.entries({ createStreamingResponseHandler, createSegmentParser }))(
    'by %s',
    (_, create) => {
      expect(() => create(options)).toThrow(message)
    },
  )

  test('by toToolInvocations', () => {
    expect(() => toToolInvocations([], options)).toThrow(message)
  })
})

test('an undefined limit is the default', () => {
  const limits: object = { maxOpener: undefined }
  const parser = createSegmentParser({ strategy: 'xml', limits })
  const [start] = parser.feed('<run_bash>ls</run_bash>')
  expect(start).toMatchObject({ segment_type: 'run_bash' })
})

test('[SEG-29] a stream cannot start in reasoning without an end', () => {
  expect(() => createSegmentParser({ formats: ['hermes'], startIn: 'reasoning' })).toThrow(
    'no format defines the end of reasoning',
  )
})
