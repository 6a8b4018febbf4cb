import { describe, expect, test } from 'vitest'
import { encodeEnvelope } from '../index.ts'
import { chunkPayload } from '../envelope/chunk.ts'
import { createVerifier, type VerifierOptions } from './verify.ts'

const agent = 'a0000000-0000-4000-8000-00000000000a'

function message(type: string, delta = '', fields: Record<string, unknown> = {}): string {
  return encodeEnvelope({ type, agent, final: true, delta, ...fields })
}

const init = message('meta_init', '{}')
const end = message('meta_end', '{"stop_reason":"end_turn"}')
const text = [message('text', 'hi', { final: false }), message('text')]
const call = message('tool_call', '{}', { id: 't1', name: 'f' })
const result = message('tool_result', 'ok', { id: 't1', name: 'f' })

function rulesBroken(lines: readonly string[], options?: VerifierOptions, isDone = true): string[] {
  const verifier = createVerifier(options)
  const faults = lines.flatMap((line, index) => verifier.push(line, index + 1))
  return [...faults, ...verifier.end(isDone)].map((fault) => fault.rule)
}

const queued = message('queued_prompt', 'later', { message_id: 'm1', state: 'queued' })

describe('createVerifier', () => {
  test('[CMD-5] a prompt may be queued inside and between blocks, before citations, at a pause and after an end', () => {
    const citation = message('citation', 'a', { citation_type: 'char_location' })
    const waiting = [
      message('tool_call', '{}', { id: 't2', name: 'ask' }),
      message('awaiting_frontend_tools', '[]'),
      queued,
      message('meta_end', '{"stop_reason":"awaiting_frontend_tools"}'),
      queued,
      message('tool_result', 'yes', { id: 't2', name: 'ask' }),
    ]
    const [opening = '', closing = ''] = text
    const spoken = [opening, queued, closing, queued, citation]
    expect(rulesBroken([init, ...spoken, ...waiting, end, queued, init, end])).toEqual([])
    expect(rulesBroken([init, message('queued_prompt', '', { state: 'queued' }), end])).toEqual([
      'ENV-4',
    ])
  })

  test('a complete run with text, citations, tools, images and a pause conforms to every rule', () => {
    const lines = [
      init,
      ...text,
      message('citation', 'a', { final: false, citation_type: 'char_location', document_index: 0 }),
      ...chunkPayload({
        type: 'citation',
        agent,
        payload: 'b'.repeat(9000),
        extras: { citation_type: 'page_location' },
      }),
      call,
      message('meta_step', '{"step":1}'),
      message('tool_result', 'shot', { id: 't1', name: 'f', final: false }),
      message('tool_result_image', '', {
        id: 't1',
        name: 'f',
        final: false,
        src: '/i',
        media_type: 'image/png',
      }),
      message('tool_result', '', { id: 't1', name: 'f' }),
      message('tool_call', '{}', { id: 't2', name: 'ask' }),
      message('awaiting_frontend_tools', '[]'),
      message('meta_end', '{"stop_reason":"awaiting_frontend_tools"}'),
      message('tool_result', 'yes', { id: 't2', name: 'ask' }),
      ...text,
      message('newer_type', 'anything'),
      end,
      init,
      ...text,
      end,
    ]
    expect(rulesBroken(lines)).toEqual([])
  })

  test('[LIFE-12] an agent with a waiting sub-agent continues after an end that is a pause', () => {
    const child = 'b0000000-0000-4000-8000-00000000000b'
    const paused = '{"stop_reason":"awaiting_frontend_tools"}'
    const lines = [
      init,
      call,
      message('meta_init', `{"parent_agent_uuid":"${agent}"}`, { agent: child }),
      message('tool_call', '{}', { agent: child, id: 'q1', name: 'ask' }),
      message('awaiting_frontend_tools', '[]', { agent: child }),
      message('meta_end', paused, { agent: child }),
      message('meta_end', paused),
      message('tool_status', '', { id: 't1', name: 'f', stage: 'started' }),
      message('tool_result', 'yes', { agent: child, id: 'q1', name: 'ask' }),
      message('meta_end', '{"stop_reason":"end_turn"}', { agent: child }),
      result,
      end,
    ]
    expect(rulesBroken(lines)).toEqual([])
  })

  test.each([
    [
      'CHUNK-1',
      'a line over the bound',
      [init, message('error', JSON.stringify('x'.repeat(3000))), end],
    ],
    ['ENV-4', 'a call without its name', [init, message('tool_call', '{}', { id: 't' }), end]],
    [
      'ENV-4',
      'a field of the wrong kind',
      [init, call, message('tool_result', '', { id: 't1', name: 'f', is_error: 'yes' }), end],
    ],
    ['ENV-5', 'a payload that is not JSON', [init, message('meta_step', '{'), end]],
    ['ENV-6', 'content in the final message of a text', [init, message('text', 'hi'), end]],
    ['ENV-10', 'a line that is not an envelope', [init, '{"type":"text"}', end]],
    ['LIFE-1', 'text before meta_init', [...text, init, end]],
    [
      'LIFE-2',
      'an end while a block is open',
      [init, message('text', 'hi', { final: false }), end],
    ],
    [
      'LIFE-3',
      'a citation without a text',
      [init, message('citation', 'q', { citation_type: 'char_location' }), end],
    ],
    [
      'LIFE-4',
      'an image outside its result',
      [
        init,
        call,
        message('tool_result_image', '', {
          id: 't1',
          name: 'f',
          src: '/i',
          media_type: 'image/png',
          final: false,
        }),
        end,
      ],
    ],
    ['LIFE-5', 'a result without a call', [init, result, end]],
    ['LIFE-5', 'two results for one call', [init, call, result, result, end]],
    [
      'LIFE-6',
      'text during a pause',
      [init, message('awaiting_frontend_tools', '[]'), ...text, end],
    ],
    ['LIFE-6', 'text after an error', [init, message('error', '{}'), ...text, end]],
    ['LIFE-6', 'text after the end', [init, end, ...text]],
    ['LIFE-5', 'a result after the end', [init, call, end, init, result, end]],
    [
      'LIFE-6',
      'text after an end that is a pause',
      [init, message('meta_end', '{"stop_reason":"awaiting_approval"}'), ...text],
    ],
    [
      'LIFE-2',
      'an item that is not whole at the end',
      [
        init,
        ...text,
        message('citation', 'q', { final: false, citation_type: 'c', more: { delta: 'text' } }),
        end,
      ],
    ],
    [
      'LIFE-2',
      'a step that ends while a block is open',
      [
        init,
        message('text', 'hi', { final: false }),
        message('meta_step', '{}'),
        message('text'),
        end,
      ],
    ],
    [
      'LIFE-3',
      'a citation after another block has begun',
      [
        init,
        ...text,
        message('thinking', 'hm', { final: false }),
        message('citation', 'q', { citation_type: 'c' }),
        message('thinking'),
        end,
      ],
    ],
    ['LIFE-9', 'a stream without meta_end', [init, ...text]],
    [
      'LIFE-10',
      'a sub-agent without its parent',
      [
        init,
        message('meta_init', '{}', { agent: 'b' }),
        message('meta_end', '{}', { agent: 'b' }),
        end,
      ],
    ],
  ])('[%s] finds %s', (rule, _, lines) => {
    expect(rulesBroken(lines)).toContain(rule)
  })

  test('[LIFE-14] finds `interrupted` before the end of a block; an interrupted result need not be JSON', () => {
    const fields = { id: 's1', name: 'web_search_tool_result' }
    const isEarly = message('text', 'hi', { final: false, interrupted: true })
    expect(rulesBroken([init, isEarly, message('text'), end])).toEqual(['LIFE-14'])
    const cut = message('server_tool_result', '[{"a', { ...fields, interrupted: true })
    expect(rulesBroken([init, cut, end])).toEqual([])
    expect(rulesBroken([init, message('server_tool_result', '[{"a', fields), end])).toEqual([
      'ENV-5',
    ])
  })

  test('[SSE-5] finds a body that ends without [DONE]', () => {
    expect(rulesBroken([init, end], {}, false)).toEqual(['SSE-5'])
  })

  test('[LOG-2] finds a gap and a repetition, and accepts a merged frame with its span', () => {
    const verifier = createVerifier()
    verifier.push(init, 1)
    expect(verifier.push(message('text', 'abc', { final: false, span: 3 }), 4)).toEqual([])
    expect(
      verifier.push(message('text', 'd', { final: false }), 6).map((fault) => fault.rule),
    ).toEqual(['LOG-2'])
    expect(
      verifier.push(message('text', 'd', { final: false }), 6).map((fault) => fault.rule),
    ).toEqual(['LOG-2'])
  })

  test('[ENV-5] arguments may be any text of the model', () => {
    expect(rulesBroken([init, message('tool_call', '{"cut', { id: 't', name: 'f' }), end])).toEqual(
      [],
    )
  })

  test('[EXT-2] a stream of the thirteen types needs no meta_end', () => {
    expect(rulesBroken([init, ...text], { needsEnd: false })).toEqual([])
  })

  test('a resumed stream is checked from its first frame', () => {
    expect(rulesBroken([...text, end].slice(1), { isResumed: true })).toEqual([])
    expect(rulesBroken([result, ...text, end], { isResumed: true })).toEqual([])
    expect(rulesBroken([result, result, end], { isResumed: true })).toEqual(['LIFE-5'])
    const image = message('tool_result_image', '', {
      id: 't1',
      name: 'f',
      final: false,
      src: '/i',
      media_type: 'image/png',
    })
    expect(
      rulesBroken([image, message('tool_result', '', { id: 't1', name: 'f' }), end], {
        isResumed: true,
      }),
    ).toEqual([])
    expect(
      rulesBroken([message('meta_files', '"}]}'), message('meta_files', '{'), end], {
        isResumed: true,
      }),
    ).toEqual(['ENV-5'])
    expect(
      rulesBroken([message('text', '', { agent: 'child' }), end], { isResumed: true }),
    ).toEqual([])
  })

  test('[ENV-9] a newer type between a text and its citation changes nothing', () => {
    const citation = message('citation', 'q', { citation_type: 'c' })
    expect(rulesBroken([init, ...text, message('newer_type'), citation, end])).toEqual([])
  })
})
