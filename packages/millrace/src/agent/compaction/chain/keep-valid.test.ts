import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyChain } from '../../../../test/support/models/any-chain.ts'
import { runs } from '../../../../test/support/runs.ts'
import { checkChain as checkAsApi } from '../../../../../tools/src/emulator/request/message-chain.ts'
import type { ContentBlock, Message } from '../../../events/index.ts'
import { keepValid } from '../index.ts'
import { checkChain } from './check-chain.ts'

const hi: ContentBlock = { type: 'text', text: 'Hi' }
const thought: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 's' }

function user(...content: readonly ContentBlock[]): Message {
  return { role: 'user', content }
}

function assistant(...content: readonly ContentBlock[]): Message {
  return { role: 'assistant', content }
}

function call(id: string, more = {}): ContentBlock {
  return { type: 'tool_use', id, name: 'f', input: {}, ...more }
}

function result(id: string): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content: 'ok' }
}

function search(id: string): ContentBlock {
  return { type: 'server_tool_use', id, name: 'web_search', input: {} }
}

function found(id: string): ContentBlock {
  return { type: 'web_search_tool_result', tool_use_id: id, content: [] }
}

const faulty: readonly [string, readonly Message[], readonly string[], readonly Message[]][] = [
  ['no message', [], ['messages: the list is empty'], []],
  [
    'an answer at the beginning',
    [assistant(hi), user(hi)],
    ['messages.0: the first message must be user'],
    [user(hi)],
  ],
  [
    'two messages of one role',
    [user(hi), user(hi)],
    ['messages.1: two user messages in a row'],
    [user(hi, hi)],
  ],
  [
    'nothing in a message',
    [user(hi), assistant(), user(hi)],
    ['messages.1: content is empty'],
    [user(hi, hi)],
  ],
  [
    'blank text',
    [user(hi, { type: 'text', text: ' \n' })],
    ['messages.0: text is blank'],
    [user(hi)],
  ],
  [
    'a call that nothing answers',
    [user(hi), assistant(hi, call('a'), call('b')), user(result('a'))],
    ['messages.1: tool_use b has no tool_result after it'],
    [user(hi), assistant(hi, call('a')), user(result('a'))],
  ],
  [
    'a call at the end',
    [user(hi), assistant(call('a'))],
    ['messages.1: tool_use a has no tool_result after it'],
    [user(hi)],
  ],
  [
    'a result that nothing asked for',
    [user(hi), assistant(hi), user(result('a'), hi)],
    ['messages.2: tool_result a has no tool_use before it'],
    [user(hi), assistant(hi), user(hi)],
  ],
  [
    'a result that comes late',
    [user(hi), assistant(call('a')), user(hi, result('a'))],
    ['messages.2: results are not the first blocks'],
    [user(hi), assistant(call('a')), user(result('a'), hi)],
  ],
  [
    'two results of a call',
    [user(hi), assistant(call('a')), user(result('a'), result('a'))],
    ['messages.2: a tool_use has two results'],
    [user(hi), assistant(call('a')), user(result('a'))],
  ],
  [
    'an id that is used twice',
    [user(hi), assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))],
    ['messages.3: the id a is used twice'],
    [user(hi), assistant(call('a')), user(result('a'))],
  ],
  [
    'a thought that led to nothing',
    [user(hi), assistant(hi, thought), user(hi)],
    ['messages.1: thinking is the last block'],
    [user(hi), assistant(hi), user(hi)],
  ],
  [
    'a call of the provider’s without its result',
    [user(hi), assistant(hi, search('s')), user(hi)],
    ['messages.1: the server’s call s has no result'],
    [user(hi), assistant(hi), user(hi)],
  ],
  [
    'a result of the provider’s without its call',
    [user(hi), assistant(found('s'), hi)],
    ['messages.1: web_search_tool_result s has no call before it'],
    [user(hi), assistant(hi)],
  ],
  [
    'a call from code that is gone',
    [user(hi), assistant(call('a', { caller: { tool_id: 's' } })), user(result('a'), hi)],
    ['messages.1: a was called by s, which is missing'],
    [user(hi, hi)],
  ],
  [
    'a call in a message of the user’s',
    [user(hi, call('a'))],
    ['messages.0: tool_use is in a user message'],
    [user(hi)],
  ],
  [
    'a result in an answer',
    [user(hi), assistant(hi, result('a'))],
    ['messages.1: a tool_result is in an assistant message'],
    [user(hi), assistant(hi)],
  ],
]

describe('a conversation with', () => {
  test.each(faulty)('%s is rejected, and repaired by its removal', (_, messages, faults, kept) => {
    expect(checkChain(messages)).toEqual(faults)
    expect(keepValid(messages)).toEqual(kept)
  })

  test('a paused search of the provider may end with it', () => {
    expect(checkChain([user(hi), assistant(hi, search('s'))])).toEqual([])
  })

  test('a provider’s code execution that calls a local tool is completed by a later answer', () => {
    const code = call('a', { caller: { type: 'code', tool_id: 's' } })
    const begun = [user(hi), assistant(search('s'), code), user(result('a'))]
    expect(checkChain(begun)).toEqual([])
    expect(checkChain([...begun, assistant(found('s'), hi)])).toEqual([])
    const cut = [...begun, assistant(hi), user(hi)]
    expect(keepValid(cut)).toEqual([user(hi), assistant(hi), user(hi)])
  })
})

test('returns the same value for a valid conversation, which the emulator accepts', () => {
  fc.assert(
    fc.property(anyChain, ({ messages }) => {
      expect(keepValid(messages)).toBe(messages)
      expect(() => checkAsApi(messages, { takesPrefill: true })).not.toThrow()
    }),
    { numRuns: runs(100, 5000) },
  )
})

/** Removes, repeats and swaps messages and blocks. */
const damage = fc.array(
  fc.record({ what: fc.constantFrom('drop', 'repeat', 'swap'), where: fc.nat(), block: fc.nat() }),
  { minLength: 1, maxLength: 8 },
)

function damaged(
  messages: readonly Message[],
  hits: readonly { what: string; where: number; block: number }[],
): Message[] {
  const list = [...messages]
  for (const { what, where, block } of hits) {
    const index = where % Math.max(list.length, 1)
    const message = list[index]
    if (message === undefined) break
    const content = [...message.content]
    // Even numbers select a message, odd ones a block of it.
    if (block % 2 === 0) hit(list, index, what)
    else {
      hit(content, (block >> 1) % Math.max(content.length, 1), what)
      list[index] = { ...message, content }
    }
  }
  return list
}

function hit(list: unknown[], index: number, what: string): void {
  const [item] = list.splice(index, 1)
  if (item === undefined || what === 'drop') return
  if (what === 'repeat') list.splice(index, 0, item, item)
  else list.push(item)
}

test('repairs a damaged conversation and keeps the identity of valid messages', () => {
  fc.assert(
    fc.property(anyChain, damage, ({ messages }, hits) => {
      const broken = damaged(messages, hits)
      const kept = keepValid(broken)
      if (kept.length > 0) {
        expect(checkChain(kept)).toEqual([])
        expect(() => checkAsApi(kept, { takesPrefill: true })).not.toThrow()
      }
      if (checkChain(broken).length === 0) expect(kept).toBe(broken)
      const blocks = new Set(broken.flatMap(({ content }) => content))
      expect(kept.every(({ content }) => content.every((block) => blocks.has(block)))).toBe(true)
    }),
    { numRuns: runs(1000, 50_000) },
  )
})
