import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from 'millrace'
import { ownImplementation } from '../own/own-implementation.ts'
import { runCase } from '../run-case.ts'
import { flowExpectations } from './check-flow.ts'

const call = { type: 'tool_use', id: 't1', name: 'look', input: {} }
const thought = { content: [call], stop_reason: 'tool_use' }
const answer = { content: [{ type: 'text', text: 'There.' }], stop_reason: 'end_turn' }

const plain = { tools: { look: { returns: { a: 1 } } }, model: [thought, answer] }
const failing = { ...plain, tools: { look: { throws: 'boom' } } }
const refused = { model: [{ status: 400, error: { message: 'no' } }] }
const paused = { frontend_tools: ['look'], model: [thought, answer] }
const unapproved = { ...plain, tools: { look: { needs_approval: true } } }
const wrongAnswer = { ...paused, resume: { tool_results: [{ tool_use_id: 'x', content: '' }] } }
const promptInstead = { ...paused, then_prompt: 'else' }
const blocks = [{ type: 'text', text: '{"b": 2}' }]
const helped = { subagents: { r: { server_tools: [{ type: 'x', name: 'search' }] } } }
const yes = { tool_results: [{ tool_use_id: 't1', content: 'yes' }], times: 2 }
const twice = { ...paused, resume: yes }
const ordered = {
  tools: {
    look: { returns: 'slow', answers_when: { type: 'tool_result', name: 'peek' } },
    peek: {},
  },
  model: [
    { content: [call, { ...call, id: 't2', name: 'peek' }], stop_reason: 'tool_use' },
    answer,
  ],
}
const ofRoot = { agent: 'root', call: 0 }
const unloadable = { storage_load: 'throws' }

async function faultsOf(input: JsonObject, expected: JsonObject): Promise<readonly string[]> {
  const one = { name: 'x', kind: 'agent_flow', input, expected }
  return (await runCase(one, ownImplementation)).faults
}

const types = ['meta_init', 'tool_call', 'tool_result', 'text+', '[DONE]']

/** An input for each expectation, with right and wrong expectations of it. */
const cases: Readonly<Record<string, readonly [JsonObject, JsonValue, JsonValue]>> = {
  types: [plain, types, types.slice(1)],
  no_types: [plain, ['meta_final'], ['meta_init']],
  http_status: [wrongAnswer, 404, 200],
  http_error: [wrongAnswer, { code: 'not_found' }, { code: 'conflict' }],
  stop_reason: [plain, 'end_turn', 'tool_use'],
  total_steps: [plain, 2, 1],
  usage: [plain, {}, { output_tokens: -1 }],
  error: [refused, { retriable: false }, { retriable: true }],
  meta_init_has: [plain, ['model'], ['message_history']],
  meta_final_has: [{ ...plain, flag: true }, ['cost'], ['price']],
  meta_init_user_query_json: [{ prompt: blocks }, blocks, []],
  results: [plain, 1, 2],
  envelope_is_error: [failing, true, false],
  tool_stages: [plain, { t1: ['started', 'succeeded'] }, { t1: ['started', 'failed'] }],
  status: [plain, 'complete', 'aborted'],
  client_text: [plain, 'There.', 'Here.'],
  open_blocks_closed: [plain, true, false],
  blocks: [plain, [{ type: 'tool_call' }, { text: 'There.' }], [{ type: 'tool_call' }]],
  children: [helped, [{ name: 'r' }], []],
  api_calls: [plain, 2, 3],
  requests: [plain, [null, { stream: true }], [null, { stream: false }]],
  second_api_request_valid: [plain, true, false],
  next_request_valid: [promptInstead, true, false],
  history_valid: [plain, true, false],
  history_roles_alternate: [plain, true, false],
  last_user_text: [promptInstead, 'else', 'go'],
  final_answer: [plain, 'There.', 'Here.'],
  api_tool_result: [failing, { is_error: true, content_contains: 'boom' }, { is_error: false }],
  api_tool_results: [plain, [{ content_is: 'string' }], [{ content_is: 'block_list' }]],
  tool_result_text_json: [plain, { a: 1 }, { a: 2 }],
  synthetic_result_for: [promptInstead, ['t1'], ['t2']],
  api_request_keeps_data: [{ prompt: blocks }, true, false],
  child_request_tools_contains: [helped, 'search', 'fetch'],
  tool_executed: [plain, true, false],
  tool_runs: [plain, { look: 1 }, {}],
  max_concurrent: [plain, 1, 2],
  still_pending: [paused, ['t1'], []],
  pending_approvals: [unapproved, ['t1'], []],
  stored_state_untouched: [unloadable, true, false],
  statuses: [twice, { 200: 2 }, { 200: 1, 409: 1 }],
  responses: [
    wrongAnswer,
    [null, { status: 404, error: { code: 'not_found' } }],
    [null, null, null],
  ],
  same_stream: [twice, true, false],
  log: [twice, { tool_result: 1, text: 1, error: 0 }, { tool_result: 2 }],
  sizes: [
    plain,
    { tool_call: { messages: 1, payload_bytes: 2 } },
    { all: { bytes: { at_most: 9 } } },
  ],
  payloads: [plain, { text: ['There.'] }, { text: ['There'] }],
  calls: [plain, { root: [{ name: 'look', result: { text: '{"a":1}' } }] }, { root: [] }],
  ran: [plain, [{ agent: 'root', name: 'look', input: {} }], [{ agent: 'r' }]],
  results_shown: [ordered, ['t2', ofRoot], ['t1', 't2']],
  results_sent: [ordered, [ofRoot, 't2'], ['t2', 't1']],
  one_of: [plain, [{ results: 2 }, { results: 1 }], [{ results: 2 }]],
}

describe('an expectation of a flow', () => {
  test.each(Object.entries(cases))(
    '%s can succeed, and fail',
    async (name, [input, right, wrong]) => {
      expect(await faultsOf(input, { [name]: right })).toEqual([])
      expect(await faultsOf(input, { [name]: wrong })).not.toEqual([])
    },
  )

  test('is tested here, for every kind', () => {
    expect(Object.keys(cases).toSorted()).toEqual(Object.keys(flowExpectations).toSorted())
  })

  test.each<[string, JsonObject]>([
    ['a name', { sparkles: true }],
    ['a name of Object.prototype', { constructor: true }],
    ['a part of a result', { api_tool_result: { sparkles: true } }],
    ['a measure', { sizes: { all: { sparkles: 1 } } }],
    ['a range', { sizes: { all: { messages: { sparkles: 1 } } } }],
  ])('with %s that is unknown fails', async (_, expected) => {
    expect(await faultsOf(plain, expected)).toHaveLength(1)
  })
})

test.each<[string, JsonObject, RegExp]>([
  ['a field', { sparkles: true }, /sparkles/],
  ['a field of a request', { resume: { stop: true, sparkles: true } }, /sparkles/],
  ['two actions in one request', { resume: { stop: true, prompt: 'else' } }, /must have one of/],
  ['a step without a request', { resume: { server: 2 } }, /must have one of/],
  ['a client beside a prompt', { prompt: 'go', client: [{ prompt: 'go' }] }, /takes the place/],
])('an input with %s that is unknown is rejected', async (_, input, message) => {
  expect((await faultsOf({ ...plain, ...input }, {}))[0]).toMatch(message)
})

test('a request for a missing message fails a case', async () => {
  const client = [{ prompt: 'go' }, { stop: true, when: { type: 'error' } }]
  const faults = await faultsOf({ ...plain, client }, {})
  expect(faults).toEqual([expect.stringContaining('"type":"error"')])
})

test('a call that no stream contains fails a case', async () => {
  const unknown = { tool_use_id: { agent: 'r', call: 0 }, content: '' }
  const faults = await faultsOf({ ...paused, resume: { tool_results: [unknown] } }, {})
  expect(faults).toEqual([expect.stringContaining('{"agent":"r","call":0}')])
})

test('a stream that a server interrupts fails a case, unless the case has ended that server', async () => {
  const stalled = { model: [{ content: [{ type: 'text', text: 'Well' }], stalls: true }, answer] }
  const kill = { kill: true, when: { type: 'text' } }
  const client = [{ prompt: 'go' }, kill, { read: 'rest', server: 2 }]
  expect(await faultsOf({ ...stalled, client }, { client_text: 'There.' })).toEqual([])
})

test('a request that the API rejects fails a case, for any expectation', async () => {
  const prompt = [{ type: 'image', source: {} }]
  const faults = await faultsOf({ prompt }, { http_status: 200 })
  expect(faults[0]).toMatch(/the API refused a request: .*source/)
})

test('an operation that the server rejects fails a case', async () => {
  const late = { ...paused, steer: 'else', steer_when: { type: 'meta_end' } }
  expect((await faultsOf(late, {}))[0]).toMatch(/steer was refused/)
})
