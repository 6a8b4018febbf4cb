import { expect, test } from 'vitest'
import { errorAnswer, textAnswer, toResultBlock } from './index.ts'
import { toToolAnswer } from './tool-output.ts'

const half = '🌾'.slice(0, 1)

test('half a character, which model APIs refuse for good, never gets into a result', () => {
  const outputs = [
    half,
    { text: `a${half}`, images: [{ data: 'iVBORw0KGgo=', mediaType: 'image/png' }] },
    { documents: [{ text: `${half}b`, title: half }] },
  ]
  const answers = [...outputs.map(toToolAnswer), textAnswer(half), errorAnswer(`${half}!`)]
  for (const answer of answers) {
    const written = JSON.stringify(toResultBlock('t1', answer))
    expect(written).toContain('�')
    expect(written).not.toMatch(/\\ud[89ab]/)
  }
})

test('whole characters stay as they are', () => {
  expect(toResultBlock('t1', textAnswer('🌾 é'))['content']).toBe('🌾 é')
})
