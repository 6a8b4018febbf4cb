import { describe, expect, test } from 'vitest'
import { gemmaSyntax } from './gemma.ts'
import { toLiteralJson } from './literal-json.ts'
import { pythonSyntax } from './python-syntax.ts'

const python = (text: string): string | undefined => toLiteralJson(text, pythonSyntax, 8)
const gemma = (text: string): string | undefined => toLiteralJson(text, gemmaSyntax('<|"|>'), 8)

describe('Python', () => {
  test.each([
    ['True', 'true'],
    ['False', 'false'],
    ['None', 'null'],
    ['null', 'null'],
    ['42', '42'],
    ['-1.50', '-1.50'],
    ['+3', '3'],
    ['.5', '0.5'],
    ['-5.', '-5.0'],
    ['1_000', '1000'],
    ['0x1F', '31'],
    ['-0b11', '-3'],
    ['123456789012345678901', '123456789012345678901'],
    ['1e400', '1e400'],
    ["'a' \"b\"\n'''c'''", '"abc"'],
    ["r'\\d'", '"\\\\d"'],
    ["'it\\'s'", '"it\'s"'],
    ['[]', '[]'],
    ['[1, [2, "]"],]', '[1,[2,"]"]]'],
    ['(1, 2)', '[1,2]'],
    ['(1,)', '[1]'],
    ['((1))', '1'],
    ['()', '[]'],
    ['{}', '{}'],
    ["{'a': {'b': None}, 2: True, None: 1}", '{"a":{"b":null},"2":true,"null":1}'],
    ['{1, 2}', '[1,2]'],
    ["{'__proto__': 1}", '{"__proto__":1}'],
  ])('%s is %s', (text, json) => {
    expect(python(text)).toBe(json)
    expect(python(` ${text}\n`)).toBe(json)
  })

  test.each([
    '',
    'foo',
    'x + 1',
    '1 2',
    '007',
    '[1',
    '[1 2]',
    '[,]',
    "'a",
    '{1: 2, 3}',
    '{1, 2: 3}',
    'f(1)',
    '[[[[[[[[[[1]]]]]]]]]]',
    '0x',
    '1.2.3',
    "'a', 'b'",
  ])('%j is not a literal', (text) => {
    expect(python(text)).toBeUndefined()
  })
})

describe('Gemma', () => {
  test.each([
    ['42', '42'],
    ['true', 'true'],
    ['null', 'null'],
    ['<|"|>a, {b}<|"|>', '"a, {b}"'],
    ['[<|"|>a]<|"|>, 1,-2.5]', '["a]",1,-2.5]'],
    ['{a:1,<|"|>b c<|"|>:{},d:[]}', '{"a":1,"b c":{},"d":[]}'],
    ['{u:https://x.y/z}', '{"u":"https://x.y/z"}'],
    ['celsius', '"celsius"'],
    ['True', '"True"'],
  ])('%s is %s', (text, json) => {
    expect(gemma(text)).toBe(json)
  })

  test.each(['', '{a}', '[1', '<|"|>a', '{a:1'])('%j is not a literal', (text) => {
    expect(gemma(text)).toBeUndefined()
  })
})
