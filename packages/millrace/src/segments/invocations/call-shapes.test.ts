import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPartialJson } from '../../json/index.ts'
import type { JsonValue } from '../../json/index.ts'
import { callShapes, findCallName, findCalls } from './call-shapes.ts'

const call = { name: 'f', arguments: { a: 1 } }

describe('findCalls', () => {
  test.each<[string, JsonValue]>([
    ['tool, function as a string', { tool: { function: 'f', parameters: { a: 1 } } }],
    ['tool, function as an object', { tool: { function: { name: 'f' }, parameters: { a: 1 } } }],
    ['function as an object', { function: { name: 'f', arguments: { a: 1 } } }],
    ['arguments beside the function', { function: { name: 'f' }, arguments: { a: 1 } }],
    ['function as a string', { function: 'f', arguments: { a: 1 } }],
    ['tool as a string', { tool: 'f', tool_input: { a: 1 } }],
    ['a list under tool_calls', { tool_calls: [{ type: 'function', function: call }] }],
    ['a list under tools', { tools: [{ name: 'f', parameters: { a: 1 } }] }],
    ['name and args', { name: 'f', args: { a: 1 } }],
    ['functionCall', { functionCall: { name: 'f', args: { a: 1 } } }],
    ['function_call', { function_call: call }],
    ['tool_name', { tool_name: 'f', parameters: { a: 1 } }],
    ['action', { action: 'f', action_input: { a: 1 } }],
    ['name and input', { type: 'tool_use', name: 'f', input: { a: 1 } }],
    ['an array', [{ name: 'f', args: { a: 1 } }]],
    ['messages with calls', [{ role: 'assistant', tool_calls: [{ function: call }] }]],
    ['null before the arguments', { name: 'f', arguments: null, parameters: { a: 1 } }],
    ['an empty list beside the call', { tool_calls: [], ...call }],
  ])('%s', (_, value) => {
    expect(findCalls(value)).toEqual([call])
  })

  test('finds every call of a list, in order, with its id', () => {
    const calls = ['a', 'b', 'c'].map((name, index) => ({
      id: `call_${index}`,
      function: { name, arguments: `{"i":${index}}` },
    }))
    expect(findCalls({ tool_calls: calls })).toEqual([
      { name: 'a', arguments: '{"i":0}', id: 'call_0' },
      { name: 'b', arguments: '{"i":1}', id: 'call_1' },
      { name: 'c', arguments: '{"i":2}', id: 'call_2' },
    ])
  })

  test.each(callShapes.ids)('the id is under %s, on the call or around it', (key) => {
    expect(findCalls({ [key]: 'c1', ...call })).toEqual([{ ...call, id: 'c1' }])
    expect(findCalls({ [key]: 'c1', function: call })).toEqual([{ ...call, id: 'c1' }])
  })

  test('a name that only calls have, or one in a wrapper, needs no arguments', () => {
    expect(findCalls({ tool: { function: 'f' } })).toEqual([{ name: 'f' }])
    expect(findCalls({ function: { name: 'f' } })).toEqual([{ name: 'f' }])
    expect(findCalls({ tool_name: 'f' })).toEqual([{ name: 'f' }])
    expect(findCalls({ name: 'f', arguments: null })).toEqual([{ name: 'f' }])
  })

  test.each<[string, JsonValue]>([
    ['a person', { name: 'Bob', age: 3 }],
    ['people', [{ name: 'Bob' }, { name: 'Eve' }]],
    ['no name', { arguments: { a: 1 } }],
    ['an empty name', { name: '', arguments: {} }],
    ['a name that is no text', { name: 5, arguments: {} }],
    ['a scalar', 'f'],
    ['null', null],
    ['too deep', [[[[[call]]]]]],
  ])('%s is not a call', (_, value) => {
    expect(findCalls(value)).toEqual([])
  })

  test('never throws, and does not search arguments for calls', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void findCalls(value as JsonValue)))
    const inner = { tool_calls: [call] }
    expect(findCalls({ name: 'outer', arguments: inner })).toEqual([
      { name: 'outer', arguments: inner },
    ])
  })
})

describe('findCallName', () => {
  /** Returns the name at every length of a JSON text that grows by one character at a time. */
  function namesOf(json: string): (string | undefined)[] {
    const reader = createPartialJson()
    return Array.from(json, (character) => {
      reader.feed(character)
      return findCallName(reader.value, { whole: reader.status === 'complete' })
    })
  }

  const wrappers: readonly ((value: JsonValue) => JsonValue)[] = [
    (value) => value,
    (value) => [value],
    (value) => ({ tool_calls: [value] }),
    (value) => ({ tool: value }),
    (value) => ({ id: 'c1', type: 'function', function: value }),
  ]
  const anyCall = fc
    .record({
      wrap: fc.constantFrom(...wrappers),
      key: fc.constantFrom('name', 'tool_name'),
      name: fc.string({ minLength: 1 }),
      arguments: fc.constantFrom(...callShapes.arguments),
      value: fc.constantFrom<JsonValue>({}, { a: 1 }, '{"a": 1}', null),
      nameFirst: fc.boolean(),
    })
    .map(({ wrap, key, name, arguments: argumentsKey, value, nameFirst }) => {
      const fields = [
        [key, name],
        [argumentsKey, value],
      ]
      return { name, value: wrap(Object.fromEntries(nameFirst ? fields : fields.reverse())) }
    })

  test('is undefined until the name is complete, then the name until the end', () => {
    fc.assert(
      fc.property(anyCall, ({ name, value }) => {
        const names = namesOf(JSON.stringify(value))
        const start = names.findIndex((found) => found !== undefined)
        expect(start).toBeGreaterThan(-1)
        expect(new Set(names.slice(start))).toEqual(new Set([name]))
      }),
    )
  })

  test('is known as soon as the arguments begin', () => {
    const json = '{"name": "f", "arguments": {"a": 1}}'
    expect(namesOf(json).indexOf('f')).toBe(json.indexOf('{"a"'))
  })

  test('a name in a complete wrapper counts with arguments next to it', () => {
    const json = '{"tool": {"function": {"name": "f"}, "parameters": {}}}'
    expect(namesOf(json).indexOf('f')).toBe(json.indexOf('{}'))
  })

  test.each(['{"name": "Bob", "age": 3}', '{"tool": "hammer"}', '[1, {"name": "f", "args": {}}]'])(
    '%s never starts a call',
    (json) => {
      expect(namesOf(json).every((name) => name === undefined)).toBe(true)
    },
  )

  test('stops at the first call of a list', () => {
    const list: JsonValue[] = Array.from({ length: 1000 }, () => 1)
    let reads = 0
    const counted = new Proxy(list, {
      get(target, key, receiver) {
        reads++
        return Reflect.get(target, key, receiver)
      },
    })
    findCallName(counted, { whole: false })
    expect(reads).toBeLessThan(10)
  })
})
