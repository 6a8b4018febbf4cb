import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readShownInput } from './input-shapes.ts'

const whole = (name: string, input: unknown) => readShownInput(name, input, true)

test('a file to write is shown as text with its path and its language', () => {
  const content = 'const a = "b"\n'
  expect(whole('write_file', { path: 'src/mill.ts', content })).toEqual({
    label: 'File',
    path: 'src/mill.ts',
    text: content,
    language: 'typescript',
    rest: {},
  })
  const create = { command: 'create', path: 'wheel.py', file_text: 'x = 1' }
  expect(whole('text_editor_code_execution', create)).toMatchObject({
    path: 'wheel.py',
    language: 'python',
    rest: { command: 'create' },
  })
  expect(whole('save', { filename: 'a.txt', content: '', mode: 'w' })).toMatchObject({
    text: '',
    language: '',
    rest: { mode: 'w' },
  })
})

test('commands and code are recognized by the name of the tool as well', () => {
  expect(whole('run_bash', { command: 'ls', timeout_ms: 5 })).toMatchObject({
    label: 'Command',
    text: 'ls',
    language: 'bash',
    rest: { timeout_ms: 5 },
  })
  expect(whole('code_execution', { code: 'print(1)' })).toMatchObject({ language: 'python' })
  expect(whole('run_code', { code: 'let a', language: 'JavaScript' })).toMatchObject({
    label: 'Code',
    language: 'javascript',
    rest: { language: 'JavaScript' },
  })
  expect(whole('find_airport', { code: 'LIS' })).toBeUndefined()
  expect(whole('open_door', { command: 'slowly' })).toBeUndefined()
  expect(whole('text_editor_code_execution', { command: 'view', path: 'a' })).toBeUndefined()
})

test('a growing input is text as soon as it has some, and JSON if other fields are large', () => {
  expect(readShownInput('write_file', { path: 'a' }, false)).toBeUndefined()
  expect(readShownInput('write_file', { path: 'a', content: '' }, false)?.text).toBe('')
  const long = { path: 'a', content: 'x', fields: [1] }
  expect(readShownInput('write_file', long, false)).toBeUndefined()
  expect(readShownInput('write_file', long, true)?.rest).toEqual({ fields: [1] })
})

test.each([
  ['a number for the path', { path: 1, content: 'x' }],
  ['a list for the text', { path: 'a', content: ['x'] }],
  ['an empty path', { path: '', content: 'x' }],
  ['a list', [{ path: 'a', content: 'x' }]],
  ['nothing', null],
  ['a text', 'path'],
  ['fields of its prototype', Object.create({ path: 'a', content: 'x' })],
])('is not shown as text: %s', (_, input) => {
  expect(whole('write_file', input)).toBeUndefined()
})

test('fields named like members of objects are ordinary fields', () => {
  const input: unknown = JSON.parse(
    '{"path":"a.constructor","content":"x","__proto__":{"text":"y"},"constructor":1}',
  )
  const shown = whole('write_file', input)
  expect(shown).toMatchObject({ path: 'a.constructor', text: 'x', language: '' })
  expect(Object.keys(shown?.rest ?? {})).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(shown?.rest)).toBe(Object.prototype)
})

test('never throws, and leaves no argument out', () => {
  const names = fc.constantFrom('write_file', 'run_bash', 'code_execution', 'x')
  const field = fc.constantFrom('path', 'content', 'command', 'code', 'language', '__proto__', 'y')
  const inputs = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue()))
  fc.assert(
    fc.property(names, inputs, fc.boolean(), (name, input, isWhole) => {
      const shown = readShownInput(name, input, isWhole)
      if (!shown) return
      expect(typeof shown.text).toBe('string')
      // No argument is left out.
      const shownFields = Object.keys(shown.rest).length + 1 + (shown.path === '' ? 0 : 1)
      expect(shownFields).toBe(Object.keys(input as object).length)
    }),
  )
})
