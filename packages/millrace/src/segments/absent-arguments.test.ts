import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList } from '../../test/support/cut-text.ts'
import { notations } from '../../test/support/segments/notations.ts'
import { readSegments } from '../../test/support/segments/read-segments.ts'
import type { JsonObject } from '../json/index.ts'
import { presets } from './formats/presets.ts'
import { toToolInvocations } from './invocations/invocation-reader.ts'
import { createStreamingResponseHandler } from './response-handler.ts'

const calls: readonly (readonly [string, JsonObject])[] = [
  ['write_file', { path: '/a' }],
  ['write_file', { path: '/a', content: '' }],
  ['write_file', { path: '/a', mode: 'w' }],
  ['patch_file', { path: '/a' }],
  ['patch_file', { path: '/a', patch: '' }],
]

/** Notations that can omit an argument: a file written as its own tag or sentinel always has a body. */
const withArguments = notations.filter(({ filesOnly }) => filesOnly !== true)

describe.each(withArguments.map((one) => [one.name, one] as const))('%s', (_, one) => {
  const known = calls.filter(([, { mode }]) => mode === undefined || one.keys === undefined)
  test.each(known)('%s %j has exactly the arguments that were written', (name, input) => {
    const text = one.write(name, input)
    fc.assert(
      fc.property(cutList, (cuts) => {
        const { events } = readSegments(one.options, cutAt(text, cuts))
        const options = one.options.tools === undefined ? {} : { tools: one.options.tools }
        const [call] = toToolInvocations(events, options)
        expect(call).toMatchObject({ name })
        expect(call?.arguments).toEqual(input)
      }),
      { numRuns: 10 },
    )
  })
})

describe('a self-closing tag', () => {
  const bolt = (action: string) => `<boltArtifact id="a">${action}</boltArtifact>`
  const given: readonly (readonly [string, readonly JsonObject[]])[] = [
    ['<write_file path="/a"/>', [{ path: '/a' }]],
    ['<write_file path="/a"></write_file>', [{ path: '/a', content: '' }]],
    ['<patch_file path="/a" />', [{ path: '/a' }]],
    ['<patch_file path="/a"></patch_file>', [{ path: '/a', patch: '' }]],
    ['<run_bash/>', []],
    [bolt('<boltAction type="file" filePath="/a"/>'), [{ path: '/a' }]],
    [bolt('<boltAction type="file" filePath="/a"></boltAction>'), [{ path: '/a', content: '' }]],
    ['<tool name="write_file"/>{"path":"/a"}</tool>', []],
    [']<]minimax[>[<invoke name="t"/>.', [{}]],
    ['<tool name="write_file"><path>/a</path><content/></tool>', [{ path: '/a', content: '' }]],
    [
      '<invoke name="write_file"><parameter name="path">/a</parameter><parameter name="content"/></invoke>',
      [{ path: '/a', content: '' }],
    ],
  ]
  const formats = [presets['seed-xml'], presets.bolt, presets['minimax-m3'], presets.anthropic]

  test.each(given)('%s', (text, expected) => {
    for (const pieces of [[text], text.split('')]) {
      const { events } = readSegments({ formats: formats.flat() }, pieces)
      expect(toToolInvocations(events).map((call) => call.arguments)).toEqual(expected)
    }
  })
})

describe('native calls', () => {
  test.each([
    ...calls,
    ['write_file', { path: '/a', content: null }],
    ['run_bash', { command: 'ls', cwd: '' }],
  ] as const)('%s %j has exactly the arguments that were written', (name, input) => {
    const found: JsonObject[] = []
    const handler = createStreamingResponseHandler({
      strategy: 'api_tool_call',
      onInvocation: (call) => found.push(call.arguments),
    })
    handler.feed({ tool_calls: [{ call_id: 'c1', name }] })
    for (const unit of JSON.stringify(input))
      handler.feed({ tool_calls: [{ arguments_delta: unit }] })
    handler.finalize()
    expect(found).toEqual([input])
  })

  test('reports an empty path at the end, unless another path follows', () => {
    const ends = ['{"path":"","content":"x"}', '{"path":"","path":"/a","content":"x"}'].map(
      (json) => {
        const handler = createStreamingResponseHandler({ strategy: 'api_tool_call' })
        handler.feed({ tool_calls: [{ call_id: 'c1', name: 'write_file', arguments_delta: json }] })
        return handler.finalize().at(-1)?.payload
      },
    )
    expect(ends).toEqual([{ metadata: { path: '' } }, {}])
  })
})
