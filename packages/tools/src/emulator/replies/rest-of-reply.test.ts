import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restOfReply } from './find-reply.ts'
import type { ScriptedBlock, ScriptedReply } from './scripted-reply.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })
const call = { type: 'tool_use' as const, name: 'look', input: {} }
const search = { type: 'server_tool_use' as const, name: 'search', input: {} }
const found = { type: 'web_search_tool_result' as const, content: [] }
const thought = { type: 'thinking' as const, thinking: 'Hm.' }

const replyOf = (...blocks: ScriptedBlock[]): ScriptedReply => ({ blocks, stopReason: 'own' })
const restOf = (reply: ScriptedReply, ...said: { type: string }[]) =>
  restOfReply(reply, said)?.blocks

test('the cut part and the rest are the whole reply, wherever chunks are split', () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1 })
  fc.assert(
    fc.property(pieces, fc.nat(), (words, place) => {
      const whole = words.join('')
      const said = whole.slice(0, place % whole.length)
      const rest = restOf(replyOf({ type: 'text', text: words }), text(said))
      const left = rest?.flatMap((block) => (block.type === 'text' ? block.text : []))
      expect(said + left?.join('')).toBe(whole)
    }),
  )
})

test('repeats a cut paragraph from its beginning', () => {
  const reply = replyOf(text('One.\n\nTwo and three.\n\nFour.'), call)
  expect(restOf(reply, text('One.\n\nTwo a'))).toEqual([text('Two and three.\n\nFour.'), call])
  expect(restOf(reply, text('One.\n\n'))).toEqual([text('Two and three.\n\nFour.'), call])
  expect(restOf(reply, text('On'))).toEqual(reply.blocks)
})

test('does not repeat server tool calls, but repeats calls that were not run', () => {
  const reply = replyOf(thought, text('A'), search, found, thought, text('B'), call)
  expect(restOf(reply)).toEqual(reply.blocks)
  expect(restOf(reply, thought, text('A'))).toEqual(reply.blocks.slice(2))
  expect(restOf(reply, thought, text('A'), search, found)).toEqual(reply.blocks.slice(4))
  expect(restOf(reply, text('A'), search, found, thought, text('B'), call)).toEqual([call])
})

test('leaves nothing of a complete reply, of another reply, or after a failure', () => {
  const error = { type: 'error' as const, error: { type: 'api_error' as const, message: '' } }
  expect(restOf(replyOf(text('A'), text('B')), text('AB'))).toBeUndefined()
  expect(restOf(replyOf(text('A')), text('AB'))).toBeUndefined()
  expect(restOf(replyOf(text('A')), text('B'))).toBeUndefined()
  expect(restOf(replyOf(text('A'), error), text('A'))).toBeUndefined()
})
