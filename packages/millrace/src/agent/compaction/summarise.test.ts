import { describe, expect, test } from 'vitest'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Message } from '../../events/index.ts'
import { createCompactor, estimateTokens } from './index.ts'
import { checkChain } from './chain/check-chain.ts'
import { type CompactionInput, noCompaction } from './compactor.ts'
import { summarise } from './summarise.ts'
import { toTranscript } from './to-transcript.ts'

function say(role: Message['role'], text: string): Message {
  return { role, content: [{ type: 'text', text }] }
}

const long = 'word '.repeat(400)
const messages: readonly Message[] = [
  say('user', 'Build a mill.'),
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'secret', signature: 's' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'plan.md' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: long }] },
  say('assistant', long),
  say('user', 'Now the wheel.'),
  say('assistant', 'It turns.'),
  say('user', 'Thanks.'),
]

function toInput(reply: ScriptedReply, more: Partial<CompactionInput> = {}) {
  const model = createScriptedModel([reply])
  const { signal } = new AbortController()
  const estimatedTokens = estimateTokens(messages)
  const input: CompactionInput = { messages, estimatedTokens, runStart: 6, model, signal, ...more }
  return { input, model }
}

const summary = { content: [{ type: 'text', text: ' The plan is read. ' }] }
const small = { maxTokens: 500, keepRecentTokens: 20, maxSummaryTokens: 50 }

describe('a summary', () => {
  test('is appended to the first message, and recent messages stay', async () => {
    const { input, model } = toInput(summary)
    const compacted = await summarise(small).compact(input)
    expect(checkChain(compacted)).toEqual([])
    expect(compacted).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Build a mill.' },
          { type: 'text', text: '<session_summary>\nThe plan is read.\n</session_summary>' },
        ],
      },
      say('assistant', 'Understood.'),
      ...messages.slice(4),
    ])
    expect(compacted[2]).toBe(messages[4])
    expect(model.requests).toHaveLength(1)
  })

  test('is requested in one message without tools, thinking and old media', async () => {
    const { input, model } = toInput(summary, { contextTokens: 3000 })
    const options = { maxTokens: 2000, keepRecentTokens: 60, maxSummaryTokens: 50 }
    await summarise({ ...options, prompt: 'Be brief.' }).compact(input)
    const [request] = model.requests
    expect(request).toMatchObject({ system: 'Be brief.', maxTokens: 50 })
    expect(request?.tools).toBeUndefined()
    const text = String(request?.messages[0]?.content[0]?.['text'])
    expect(text).toContain('User: Build a mill.')
    expect(text).toContain('Call of read: {"path":"plan.md"}')
    expect(text).not.toContain('secret')
    expect(text).not.toContain('wheel')
  })

  test('replaces the previous summary', async () => {
    const { input } = toInput(summary)
    const once = await summarise(small).compact(input)
    const grown = [...once, say('assistant', long), say('user', 'And?')]
    const again = toInput(
      { content: [{ type: 'text', text: 'All is read.' }] },
      { messages: grown },
    )
    const estimatedTokens = estimateTokens(grown)
    const compacted = await summarise(small).compact({
      ...again.input,
      estimatedTokens,
      runStart: grown.length - 1,
    })
    expect(compacted[0]?.content.map((block) => block['text'])).toEqual([
      'Build a mill.',
      '<session_summary>\nAll is read.\n</session_summary>',
    ])
    expect(JSON.stringify(again.model.requests)).toContain('The plan is read.')
  })

  test('may come from another model, and its usage is reported', async () => {
    const { input, model } = toInput({})
    const other = createScriptedModel([summary])
    const used: unknown[] = []
    const onUsage = (...all: readonly unknown[]) => void used.push(all)
    await summarise({ ...small, model: other }).compact({ ...input, onUsage })
    expect(model.requests).toHaveLength(0)
    expect(used).toEqual([[{ input_tokens: 10, output_tokens: 5 }, 'scripted-1']])
  })

  test('is sufficient after a rejection by the provider', async () => {
    const { input } = toInput(summary, { contextTokens: Infinity })
    const options = { keepRecentTokens: 20, maxSummaryTokens: 50 }
    const compacted = await summarise(options).compact(input)
    expect(JSON.stringify(compacted)).toContain('The plan is read.')
    expect(compacted.slice(2)).toEqual(messages.slice(4))
  })

  test('is not requested if it could save nothing', async () => {
    const { input, model } = toInput(summary)
    const compacted = await summarise({ ...small, maxSummaryTokens: 5000 }).compact(input)
    expect(model.requests).toHaveLength(0)
    expect(estimateTokens(compacted)).toBeLessThan(500)
  })
})

test('a short transcript shows the beginning and the end, and hides media data', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'QUJD'.repeat(999) }
  const shown: Message = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] },
      { type: 'image', source },
    ],
  }
  const transcript = toTranscript([...messages, shown], { maxChars: 300 })
  expect(transcript).toMatch(
    /^User: Build a mill\.\n\n\[… some messages are not shown …\]\n\nUser: Now/,
  )
  expect(transcript).toMatch(/User: \[an image\]$/)
  expect(transcript).not.toContain('QUJD')
})

describe('without a summary', () => {
  const failure = { type: 'overloaded_error', message: 'Overloaded.', retriable: true }

  test.each<[string, ScriptedReply]>([
    ['a model that fails', { outcome: 'failed', failure }],
    ['a refusal', { ...summary, outcome: 'refused' }],
    ['no words', { content: [{ type: 'text', text: ' ' }] }],
    ['a model that throws', { throws: new Error('broken') }],
  ])('because of %s, removes old messages and reports the reason', async (_, reply) => {
    const errors: unknown[] = []
    const { input } = toInput(reply)
    const compactor = summarise({ ...small, onError: (error) => errors.push(error) })
    const compacted = await compactor.compact(input)
    expect(checkChain(compacted)).toEqual([])
    expect(estimateTokens(compacted)).toBeLessThanOrEqual(500)
    expect(JSON.stringify(compacted)).not.toContain('session_summary')
    expect(errors).toHaveLength(1)
  })

  test('after a stop, changes nothing', async () => {
    const stop = new AbortController()
    const { input } = toInput({ hangs: 'until_aborted' }, { signal: stop.signal })
    const errors: unknown[] = []
    const compacted = summarise({ ...small, onError: (error) => errors.push(error) }).compact(input)
    stop.abort()
    expect(await compacted).toBe(messages)
    expect(errors).toEqual([])
  })
})

describe('a configured compactor', () => {
  test.each(['sliding_window', 'tool_result_removal', 'summarizing', 'none'] as const)(
    '%s has that name',
    (name) => expect(createCompactor(name).name).toBe(name),
  )

  test('that does not exist is rejected with a list of names', () => {
    const choose = () => createCompactor('__proto__' as 'none')
    expect(choose).toThrow(/no compactor __proto__: choose sliding_window, .*, none/)
    try {
      choose()
    } catch (error) {
      expect(isMillraceError(error) && error.code).toBe('bad_request')
    }
  })

  test('that is custom has its result made valid', async () => {
    const { input } = toInput({})
    const last = { name: 'last', compact: () => messages.slice(-5) }
    const compacted = await createCompactor(last).compact(input)
    expect(compacted).toEqual(messages.slice(4))
    const same = createCompactor({ ...noCompaction, name: 'same' })
    expect(await same.compact(input)).toBe(messages)
    const nothing = createCompactor({ name: 'nothing', compact: () => [] })
    expect(await nothing.compact(input)).toBe(messages)
  })

  test('that throws changes nothing and reports the error', async () => {
    const errors: unknown[] = []
    const { input } = toInput({})
    const broken = {
      name: 'broken',
      compact: () => {
        throw new Error('no')
      },
    }
    const compactor = createCompactor(broken, { onError: (error) => errors.push(error) })
    expect(await compactor.compact(input)).toBe(messages)
    expect(errors).toEqual([new Error('no')])
  })
})
