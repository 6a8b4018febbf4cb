import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addToDigest,
  type ContentBlock,
  emptyDigest,
  type Message,
  type PlainMessage,
  toDigestText,
  toPlainMessages,
} from './index.ts'

const digestOf = (messages: readonly PlainMessage[]): string =>
  toDigestText(addToDigest(emptyDigest, messages))

const anyText = fc.string({ unit: 'binary', maxLength: 3_000 })
const anyAnswer = fc.record({
  texts: fc.array(anyText, { maxLength: 4 }),
  calls: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
})
const anyTurns = fc.array(fc.record({ question: anyText, answer: anyAnswer }), { maxLength: 6 })

type Turns = readonly { question: string; answer: { texts: string[]; calls: string[] } }[]

/** Writes a text or a call as a separate message. */
const apart = (turns: Turns): PlainMessage[] =>
  turns.flatMap(({ question, answer: { texts, calls } }): PlainMessage[] => [
    { role: 'user', text: question, calls: [] },
    ...calls.map((id) => ({ role: 'assistant' as const, text: '', calls: [id] })),
    ...texts.map((text) => ({ role: 'assistant' as const, text, calls: [] })),
  ])

const toMessages = (turns: Turns): Message[] =>
  turns.flatMap(({ question, answer: { texts, calls } }): Message[] => {
    const text = (said: string): ContentBlock => ({ type: 'text', text: said })
    const answered = calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
    const made = calls.map((id) => ({ type: 'tool_use', id, name: 'grind', input: {} }))
    return [
      { role: 'user', content: [text(question)] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, ...made] },
      ...(answered.length > 0 ? [{ role: 'user' as const, content: answered }] : []),
      { role: 'assistant', content: texts.map(text) },
    ]
  })

test('is the same however a conversation is divided and added up', () => {
  fc.assert(
    fc.property(anyTurns, fc.nat(), (turns, cut) => {
      const messages = apart(turns)
      const at = cut % (messages.length + 1)
      const stored = JSON.parse(
        JSON.stringify(addToDigest(emptyDigest, messages.slice(0, at))),
      ) as typeof emptyDigest
      expect(toDigestText(addToDigest(stored, messages.slice(at)))).toBe(digestOf(messages))
      expect(digestOf(toPlainMessages(toMessages(turns)))).toBe(digestOf(messages))
    }),
  )
})

test('differs for other prompts, answers and calls', () => {
  fc.assert(
    fc.property(anyTurns, anyTurns, (one, other) => {
      const gist = (turns: Turns) =>
        turns.map(({ question, answer: { texts, calls } }) => [question, texts.join(''), calls])
      const isSame = JSON.stringify(gist(one)) === JSON.stringify(gist(other))
      expect(digestOf(apart(one)) === digestOf(apart(other))).toBe(isSame)
    }),
  )
  const said: PlainMessage = { role: 'assistant', text: 'one', calls: ['c1'] }
  const digests = [
    [said],
    [{ ...said, text: 'two' }],
    [{ ...said, calls: [] }],
    [{ ...said, calls: ['c2'] }],
    [{ ...said, role: 'user' as const }],
    [said, { role: 'user' as const, text: '', calls: [] }],
  ].map(digestOf)
  expect(new Set(digests).size).toBe(digests.length)
})
