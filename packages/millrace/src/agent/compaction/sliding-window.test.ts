import { describe, expect, test } from 'vitest'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import type { ContentBlock, Message } from '../../events/index.ts'
import { type Compactor, estimateTokens } from './index.ts'
import { checkChain } from './chain/check-chain.ts'
import { clearToolResults } from './clear-tool-results.ts'
import type { CompactionInput } from './compactor.ts'
import { slidingWindow } from './sliding-window.ts'

const thought: ContentBlock = { type: 'thinking', thinking: 'h'.repeat(400), signature: 's' }

function say(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** A step with 100 tokens of thinking, 4 of a call and `chars` characters of result. */
function step(id: string, chars: number): Message[] {
  const call = { type: 'tool_use', id, name: 'read', input: { path: id } }
  const result = { type: 'tool_result', tool_use_id: id, content: 'r'.repeat(chars) }
  return [
    { role: 'assistant', content: [thought, call] },
    { role: 'user', content: [result] },
  ]
}

function compact(
  { compact: run }: Compactor,
  messages: readonly Message[],
  more: Partial<CompactionInput> = {},
): readonly Message[] {
  const { signal } = new AbortController()
  const model = createScriptedModel([])
  const estimatedTokens = estimateTokens(messages)
  const made = run({ messages, estimatedTokens, runStart: 0, model, signal, ...more })
  if (made instanceof Promise) throw new Error('A window does not wait for anything.')
  return made
}

function thoughts(messages: readonly Message[]): number[] {
  return messages.flatMap(({ content }, index) => (content.includes(thought) ? [index] : []))
}

function resultsOf(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result').map((block) => block['content']),
  )
}

describe('a sliding window', () => {
  const answer: Message = { role: 'assistant', content: [thought, { type: 'text', text: 'Done.' }] }
  const messages = [
    say('First.'),
    ...step('a', 8000),
    answer,
    say('Second.'),
    ...step('b', 8000),
    ...step('c', 8000),
  ]
  const total = estimateTokens(messages)
  const runStart = 4

  test('first removes thinking of earlier turns, and nothing else if that is sufficient', () => {
    const window = slidingWindow({ maxTokens: total - 1, targetTokens: total - 200 })
    const compacted = compact(window, messages, { runStart })
    expect(thoughts(compacted)).toEqual([5, 7])
    expect(estimateTokens(compacted)).toBe(total - 200)
    expect(compacted.slice(4)).toEqual(messages.slice(4))
    expect(compacted[2]).toBe(messages[2])
  })

  test('then removes thinking of the current turn, but not that of the last calls', () => {
    const window = slidingWindow({ maxTokens: total - 1, targetTokens: total - 300 })
    expect(thoughts(compact(window, messages, { runStart }))).toEqual([7])
  })

  test('then shortens old results and notes the removed length', () => {
    const options = { maxTokens: total - 1, targetTokens: total - 400, recentTurns: 2 }
    const compacted = compact(slidingWindow(options), messages, { runStart })
    const [a, b, c] = resultsOf(compacted)
    expect(a).toBe(`${'r'.repeat(2000)}\n[6000 more characters were left out to save room.]`)
    expect([b, c]).toEqual(resultsOf(messages).slice(1))
  })

  test('then clears old results', () => {
    const options = { maxTokens: total - 1, targetTokens: total - 2200, recentTurns: 2 }
    const [a, b] = resultsOf(compact(slidingWindow(options), messages, { runStart }))
    expect(a).toMatch(/^\[This result was removed/)
    expect(b).toBe('r'.repeat(8000))
  })

  test('then removes messages, but neither the first nor the prompt of the run', () => {
    const options = { maxTokens: 4200, targetTokens: 4200, keepLast: 4, recentTurns: 4 }
    const compacted = compact(slidingWindow(options), messages, { runStart })
    expect(checkChain(compacted)).toEqual([])
    expect(
      compacted.map(({ role, content }) => [role, content[0]?.['text'] ?? content[0]?.type]),
    ).toEqual([
      ['user', 'First.'],
      ['assistant', 'Understood.'],
      ['user', 'Second.'],
      ['assistant', 'tool_use'],
      ['user', 'tool_result'],
      ['assistant', 'thinking'],
      ['user', 'tool_result'],
    ])
    expect(compacted[0]?.content[1]?.['text']).toMatch(/left out/)
    expect(compacted[2]).toBe(messages[4])
  })

  test('then reduces recent messages', () => {
    const options = { maxTokens: 3000, targetTokens: 2800 }
    const shortened = compact(slidingWindow(options), messages, { runStart })
    expect(resultsOf(shortened).map((text) => String(text).length)).toEqual([75, 75, 8000])
    const least = compact(slidingWindow({ maxTokens: 1 }), messages, { runStart })
    expect(least.map(({ role }) => role).join()).toBe('user,assistant,user,assistant,user')
    expect(least.slice(-2)).toEqual(messages.slice(-2))
  })

  test('scales the limit if the provider counted more than estimated', () => {
    const window = slidingWindow({ maxTokens: 2 * total })
    expect(compact(window, messages)).toBe(messages)
    const compacted = compact(window, messages, { contextTokens: 3 * total })
    // Three times 0.53 of the estimate is within 0.8 of the limit.
    expect(estimateTokens(compacted)).toBeLessThanOrEqual(Math.floor((total * 1.6) / 3))
  })

  test('targets half of a rejected conversation of any size', () => {
    const compacted = compact(slidingWindow(), messages, { runStart, contextTokens: Infinity })
    expect(estimateTokens(compacted)).toBeLessThanOrEqual(total / 2)
    expect(estimateTokens(compacted)).toBeGreaterThan(total / 4)
  })

  test('keeps a long loop of one turn valid at any cut', () => {
    const loop = [say('Go.'), ...Array.from({ length: 60 }, (_, at) => step(`c${at}`, 400)).flat()]
    for (let maxTokens = 0; maxTokens < estimateTokens(loop); maxTokens += 97) {
      const compacted = compact(slidingWindow({ maxTokens }), loop)
      expect(checkChain(compacted)).toEqual([])
      expect(compacted[0]?.content[0]).toBe(loop[0]?.content[0])
    }
  })

  test('uses the last prompt for an invalid run start', () => {
    const compacted = compact(slidingWindow({ maxTokens: 1 }), messages, { runStart: 99 })
    expect(compacted).toContain(messages[4])
  })
})

describe('tool results', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }
  function chain(content: string | readonly ContentBlock[]): Message[] {
    const [asked, answered] = step('a', 0)
    if (asked === undefined || answered === undefined) throw new Error('A step has two messages.')
    const result = { type: 'tool_result', tool_use_id: 'a', content, is_error: true }
    return [say('Go.'), asked, { role: 'user', content: [result] }, ...step('b', 10)]
  }

  test('with several parts are shortened as one, without their images', () => {
    const long = { type: 'text', text: 'x'.repeat(3000) }
    const messages = chain([long, image, long])
    const tokens = estimateTokens(messages)
    const options = { maxTokens: tokens - 1, targetTokens: tokens - 500, recentTurns: 1 }
    const [content] = resultsOf(compact(slidingWindow(options), messages))
    expect(content).toEqual([
      {
        type: 'text',
        text: `${'x'.repeat(2000)}\n[4001 more characters were left out to save room.]\n[1 images or documents were left out to save room.]`,
      },
    ])
  })

  test('are not split within a surrogate pair', () => {
    const messages = chain('🌊'.repeat(2000))
    const tokens = estimateTokens(messages)
    const options = { maxTokens: tokens - 1, targetTokens: tokens - 200, recentTurns: 1 }
    const window = slidingWindow({ ...options, oldResultChars: 5 })
    expect(resultsOf(compact(window, messages))[0]).toMatch(/^🌊🌊\n\[3996 more/)
  })

  test('with tool references stay, because the provider needs them', () => {
    const messages = chain([{ type: 'tool_reference', tool_name: 'grind' }])
    expect(compact(clearToolResults({ maxTokens: 0, keepLast: 0 }), messages)).toBe(messages)
  })

  test('that are old are cleared but keep their other fields', () => {
    const messages = [say('Go.'), ...['a', 'b', 'c', 'd', 'e'].flatMap((id) => step(id, 400))]
    const cleared = compact(clearToolResults({ maxTokens: 0, placeholder: '[gone]' }), messages)
    const kept = 'r'.repeat(400)
    expect(resultsOf(cleared)).toEqual(['[gone]', '[gone]', kept, kept, kept])
    expect(cleared[1]).toBe(messages[1])
    expect(cleared[6]).toBe(messages[6])
    const [, , failed] = compact(
      clearToolResults({ maxTokens: 0, keepLast: 0 }),
      chain('x'.repeat(999)),
    )
    expect(failed?.content[0]).toMatchObject({ tool_use_id: 'a', is_error: true })
  })
})
