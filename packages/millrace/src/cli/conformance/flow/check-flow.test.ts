import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../json/index.ts'
import { ownImplementation } from '../own/own-implementation.ts'
import { runCase } from '../run-case.ts'
import { requestExpectations } from './request-expectations.ts'
import { streamExpectations } from './stream-expectations.ts'

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
const unloadable = { storage_load: 'throws' }

async function faultsOf(input: JsonObject, expected: JsonObject): Promise<readonly string[]> {
  const one = { name: 'x', kind: 'agent_flow', input, expected }
  return (await runCase(one, ownImplementation)).faults
}

const types = ['meta_init', 'tool_call', 'tool_result', 'text+', '[DONE]']

/** An input for each expectation, with what is right and what is wrong to expect of it. */
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
}

describe('an expectation of a flow', () => {
  test.each(Object.entries(cases))(
    '%s can be met, and missed',
    async (name, [input, right, wrong]) => {
      expect(await faultsOf(input, { [name]: right })).toEqual([])
      expect(await faultsOf(input, { [name]: wrong })).not.toEqual([])
    },
  )

  test('is tried here, whichever it is', () => {
    const known = Object.keys({ ...streamExpectations, ...requestExpectations })
    expect(Object.keys(cases).toSorted()).toEqual(known.toSorted())
  })

  test.each<[string, JsonObject]>([
    ['a name', { sparkles: true }],
    ['a name of Object.prototype', { constructor: true }],
    ['a part of a result', { api_tool_result: { sparkles: true } }],
  ])('with %s that nobody knows fails', async (_, expected) => {
    expect(await faultsOf(plain, expected)).toHaveLength(1)
  })
})

test('an input that cannot be followed is not half obeyed', async () => {
  expect((await faultsOf({ ...plain, sparkles: true }, {}))[0]).toMatch(/sparkles/)
})

test('a request that the API refuses fails a case, whatever it expects', async () => {
  const prompt = [{ type: 'image', source: {} }]
  const faults = await faultsOf({ prompt }, { http_status: 200 })
  expect(faults[0]).toMatch(/the API refused a request: .*source/)
})

test('what the server refuses to do fails a case', async () => {
  const late = { ...paused, steer: 'else', steer_when: { type: 'meta_end' } }
  expect((await faultsOf(late, {}))[0]).toMatch(/steer was refused/)
})
