import { expect, test } from 'vitest'
import { splitFence } from './split-fence.ts'

test('splits a fenced block, closed or open', () => {
  expect(splitFence('```TS title\nlet a\n\nlet b\n```\n')).toEqual({
    language: 'ts',
    code: 'let a\n\nlet b',
  })
  expect(splitFence('~~~~\n```\nx\n')).toEqual({ language: '', code: '```\nx' })
  expect(splitFence('```py')).toEqual({ language: 'py', code: '' })
  expect(splitFence('```\n```')).toEqual({ language: '', code: '' })
})
