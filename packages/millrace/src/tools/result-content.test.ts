import fc from 'fast-check'
import { expect, test } from 'vitest'
import { postMessage } from '../../test/support/models/emulator-talk.ts'
import { createEmulator } from 'millrace-tools/emulator'
import { fromResultContent, toResultBlock } from './tool-output.ts'

const words = fc.constantFrom('', ' ', '\n', 'ground', '🌊')
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
}
const document = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'flour' },
}
const block = fc.oneof(
  words.map((text) => ({ type: 'text', text })),
  fc.constantFrom(image, document),
)

test('gives the API a valid result for any answer of a browser or tool', async () => {
  const emulator = createEmulator({ pace: 'instant' })
  const content = fc.oneof(words, fc.array(block, { maxLength: 3 }))
  await fc.assert(
    fc.asyncProperty(content, fc.boolean(), async (sent, isError) => {
      const result = toResultBlock('t1', fromResultContent(sent, isError))
      const call = { type: 'tool_use', id: 't1', name: 'f', input: {} }
      const messages = [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [result] },
      ]
      const response = await postMessage(emulator, { messages })
      expect([response.status, response.status === 200 || (await response.text())]).toEqual([
        200,
        true,
      ])
    }),
    { numRuns: 200 },
  )
})

test('replaces an empty error by a placeholder', () => {
  for (const sent of ['', ' \n', [], [{ type: 'text', text: '' }], [image]])
    expect(fromResultContent(sent, true)).toMatchObject({ isError: true, content: '(no output)' })
  expect(fromResultContent('').content).toBe('')
})
