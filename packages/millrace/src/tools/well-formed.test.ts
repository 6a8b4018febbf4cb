import { expect, test } from 'vitest'
import { errorAnswer, textAnswer, toResultBlock } from './index.ts'
import { toToolAnswer } from './tool-output.ts'

const half = '🌾'.slice(0, 1)

test('a result never contains a lone surrogate, which model APIs reject', () => {
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

test('surrogate pairs stay unchanged', () => {
  expect(toResultBlock('t1', textAnswer('🌾 é'))['content']).toBe('🌾 é')
})
