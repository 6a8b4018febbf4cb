import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../src/json/index.ts'
import { type ConformanceCase, parseCases } from '../../tools/src/conformance/conformance-case.ts'
import { ownImplementation } from '../../tools/src/conformance/own/own-implementation.ts'
import { runCase as runAgainst } from '../../tools/src/conformance/run-case.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ownFiles = readdirSync(join(root, 'spec/vectors')).map((name) =>
  join(root, 'spec/vectors', name),
)
const shared = join(root, '../shared/vectors')
const sharedFiles = ['protocol', 'segments', 'native-tool-calls', 'formats']
  .map((name) => join(shared, `${name}.jsonl`))
  .filter((file) => existsSync(file))
const supported = new Set([
  'agent_flow',
  'chunking',
  'cost',
  'envelopes_to_ui',
  'events_to_envelopes',
  'events_to_xml',
  'formats',
  'native_tool_calls',
  'segments',
  'sse_decode',
  'xml_to_json',
])

const runCase = (one: ConformanceCase) => runAgainst(one, ownImplementation)

const readAll = (files: readonly string[]) =>
  files.flatMap((file) => parseCases(readFileSync(file, 'utf8')))
const textOf = ({ input: { chunks } }: ConformanceCase) => Array.isArray(chunks) && chunks.join('')

/** Cases that a rule has replaced, and our case with the same text: see decisions/014. */
const replaced: Readonly<Record<string, string>> = {
  xwf_marker_missing_end: 'marked_content_without_end_marker_on_lines',
}
const ownCases = readAll(ownFiles)
const sharedCases = readAll(sharedFiles)
// Our own cases are a stage of `npm test`, executed by the command for users.
const cases = sharedCases.filter(
  ({ kind, name }) => supported.has(kind) && !Object.hasOwn(replaced, name),
)

describe('conformance', () => {
  test('every replaced case has an own one with the same text', () => {
    for (const one of sharedCases) {
      const own = ownCases.find(({ name }) => name === replaced[one.name])
      if (Object.hasOwn(replaced, one.name)) expect(own && textOf(own)).toBe(textOf(one))
    }
  })

  test.each(cases.map((one) => [one.kind, one.name, one] as const))(
    '%s %s',
    async (_kind, _name, one) => {
      expect((await runCase(one)).faults).toEqual([])
    },
  )

  test('an unsupported kind counts as failed', async () => {
    const outcome = await runCase({ name: 'x', kind: 'telepathy', input: {}, expected: {} })
    expect(outcome.faults).toEqual(['kind telepathy is not supported yet'])
  })

  test('a wrong expectation fails and reports the expected and the actual value', async () => {
    const [one] = parseCases(readFileSync(join(root, 'spec/vectors/sse.jsonl'), 'utf8'))
    const outcome = await runCase({ ...one!, expected: { data: ['other'] } })
    expect(outcome.faults[0]).toMatch(/expected \["other"\], found/)
  })

  test('an unexpected hidden call or end fails', async () => {
    const find = (wanted: string) => ownCases.find(({ name }) => name === wanted)!
    const hidden = find('hidden_in_a_fence')
    const other = { ...hidden, expected: { ...hidden.expected, hidden: [] } }
    expect((await runCase(other)).faults[0]).toContain('hidden calls')
    const { input, ...bare } = find('seed_004_cut')
    const detailed = { ...bare, input: { ...input, options: {} } }
    expect((await runCase(detailed)).faults[0]).toContain('segments')
  })

  test('an unknown expectation fails', async () => {
    const [one] = parseCases(readFileSync(join(root, 'spec/vectors/chunking.jsonl'), 'utf8'))
    const { faults } = await runCase({ ...one!, expected: { sparkles: true } })
    expect(faults).toHaveLength(1)
  })

  const faultsOf = async (fields: JsonObject): Promise<readonly string[]> => {
    const cases = parseCases(JSON.stringify({ name: 'x', ...fields }))
    return (await Promise.all(cases.map(runCase))).flatMap(({ faults }) => faults)
  }

  const command = { strategy: 'xml', chunks: ['<run_bash>ls</run_bash>'] }
  const segment = { type: 'run_bash', metadata: {}, content: 'ls', ended: true }
  const invocation = { id: 'seg_1', name: 'run_bash', arguments: { command: 'ls' } }

  test.each<[string, JsonObject]>([
    ['another content', { expected: [{ ...segment, content: 'la' }], invocations: [invocation] }],
    [
      'other metadata',
      { expected: [{ ...segment, metadata: { a: 1 } }], invocations: [invocation] },
    ],
    ['a cut', { expected: [{ ...segment, complete: false }], invocations: [invocation] }],
    ['one segment more', { expected: [segment, segment], invocations: [invocation] }],
    ['no invocation', { expected: [segment], invocations: [] }],
    ['more arguments', { expected: [segment], invocations: [{ ...invocation, arguments: {} }] }],
  ])('a case of segments that expects %s fails', async (_what, expected) => {
    expect(await faultsOf({ ...command, expected: [segment], invocations: [invocation] })).toEqual(
      [],
    )
    expect(await faultsOf({ ...command, ...expected })).not.toEqual([])
  })

  const said = {
    agent: 'a',
    events: [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'f', input: { a: [1] } },
      },
      { type: 'content_block_stop', index: 1 },
    ],
  }
  const messages = [
    { type: 'text', agent: 'a', final: false, delta: 'hi' },
    { type: 'text', agent: 'a', final: true, delta: '' },
    { type: 'tool_call', agent: 'a', final: true, id: 't', name: 'f', delta_json: { a: [1] } },
  ]
  const data = [
    '<content-block-text>',
    'hi',
    '</content-block-text>',
    '<content-block-tool_call id="t" name="f" arguments="{&quot;a&quot;: [1]}"></content-block-tool_call>',
  ]

  test.each<[string, string, JsonObject]>([
    ['events_to_envelopes', 'a message less', { messages: messages.slice(1) }],
    [
      'events_to_envelopes',
      'other JSON',
      { messages: [...messages.slice(0, 2), { delta_json: {} }] },
    ],
    [
      'events_to_envelopes',
      'another block',
      { blocks: [{ type: 'thinking' }, { type: 'tool_call' }] },
    ],
    ['events_to_envelopes', 'other types', { types: ['text', 'tool_call'] }],
    ['events_to_envelopes', 'text that is not there', { delta_contains: ['ho'] }],
    ['events_to_envelopes', 'no field that is there', { absent: ['name'] }],
    ['events_to_envelopes', 'smaller messages', { max_message_bytes: 20 }],
    ['events_to_envelopes', 'what nobody knows', { sparkles: true }],
    ['events_to_xml', 'a message less', { data: data.slice(1) }],
    ['events_to_xml', 'other text', { data: data.map((one) => one.replace('hi', 'ho')) }],
    ['events_to_xml', 'another id', { data: data.map((one) => one.replace('"t"', '"u"')) }],
    ['events_to_xml', 'other arguments', { data: data.map((one) => one.replace('[1]', '[2]')) }],
    ['events_to_xml', 'another block', { decodes_to: [{ type: 'text' }, { type: 'text' }] }],
    ['events_to_xml', 'what nobody knows', { sparkles: true }],
  ])('a case of %s that expects %s fails', async (kind, _what, expected) => {
    const right = kind === 'events_to_xml' ? { data } : { messages }
    expect(await faultsOf({ kind, input: said, expected: right })).toEqual([])
    expect(await faultsOf({ kind, input: said, expected })).not.toEqual([])
  })

  const grinding = { model: 'claude-sonnet-4-5', usage: [{ input_tokens: 1000, output_tokens: 0 }] }

  test.each<[string, JsonObject]>([
    ['another total', { total_cost: 0.004 }],
    ['no cost', { cost: null }],
    ['another row', { cost: { model_id: 'claude-sonnet-4' } }],
    ['what nobody knows', { sparkles: 1 }],
  ])('a case of cost that expects %s fails', async (_what, expected) => {
    const right = { cost: { input_cost: 0.003 }, total: 0.003, long_context: false }
    expect(await faultsOf({ kind: 'cost', input: grinding, expected: right })).toEqual([])
    expect(await faultsOf({ kind: 'cost', input: grinding, expected })).not.toEqual([])
  })

  const thought = { format: 'think', text: '<think>a</think>b<think>c' }
  const thoughts = [
    { type: 'reasoning', content: 'a' },
    { type: 'text', content: 'b' },
    { type: 'reasoning', content: 'c', incomplete: true },
  ]

  test.each<[string, JsonObject]>([
    ['no cut', { expected: thoughts.map(({ type, content }) => ({ type, content })) }],
    ['another type', { expected: thoughts.map((item) => ({ ...item, type: 'text' })) }],
    ['an id', { expected: thoughts.map((item) => ({ ...item, id: '1' })) }],
    ['options of another runner', { expected: thoughts, options: { sparkles: true } }],
    ['a format of another runner', { expected: thoughts, format: 'telepathy' }],
  ])('a case of formats that expects %s fails', async (_what, expected) => {
    expect(await faultsOf({ ...thought, expected: thoughts })).toEqual([])
    expect(await faultsOf({ ...thought, ...expected })).not.toEqual([])
  })
})
