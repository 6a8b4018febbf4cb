import { compileClosing, takeCloser } from '../../engine/bodies/arguments-body.ts'
import type { FormatBlock, CustomBody, Format } from '../../format.ts'
import { LiteralArguments } from './literal-arguments.ts'
import {
  compileNotation,
  type CompiledNotation,
  type Notation,
  type LiteralSyntax,
} from './notation.ts'
import { think } from '../tags/think.ts'

interface GemmaMarks {
  readonly open: string
  readonly close: string
  /** The delimiter of a string, at both ends. */
  readonly quote: string
  readonly stringType?: Notation['stringType']
}

function gemmaNotation({ quote, stringType }: GemmaMarks): CompiledNotation {
  return compileNotation({
    strings: [{ open: quote, close: quote }],
    hasEscapes: false,
    brackets: [
      ['[', ']'],
      ['{', '}'],
    ],
    assign: ':',
    close: '}',
    hasQuotedKeys: true,
    ...(stringType !== undefined && { stringType }),
    syntax: gemmaSyntax(quote),
  })
}

/** `call:name{key:value,key:value}`, with special delimiters around strings. */
function gemmaCall(marks: GemmaMarks): FormatBlock {
  const { open, close } = marks
  return {
    open: { literal: open },
    control: true,
    orphans: [close],
    body: {
      named: {
        until: [],
        keep: ['{'],
        pattern: /^(?:call:)?\s*(?<name>[\p{L}_](?:[\p{L}\p{N}_.:-]*[\p{L}\p{N}_.-])?)$/u,
        body: { custom: readArguments(gemmaNotation(marks), close) },
      },
    },
  }
}

function readArguments(notation: CompiledNotation, close: string): CustomBody {
  const closing = compileClosing([close])
  return function* (reader, { name }) {
    reader.position++
    reader.accept()
    const call = reader.call({ name, body: 'fields' })
    const { payload } = yield* new LiteralArguments(reader, notation, closing, call).read()
    call.end(payload)
    yield* takeCloser(reader, closing)
    return true
  }
}

/** FunctionGemma: strings between `<escape>`, of any type. */
export const functionGemma: Format = {
  name: 'functiongemma',
  blocks: [
    gemmaCall({
      open: '<start_function_call>',
      close: '<end_function_call>',
      quote: '<escape>',
    }),
  ],
}

/** Gemma 4: calls, and reasoning in a channel whose first line is its label. */
export const gemma4: Format = {
  name: 'gemma4',
  blocks: [
    ...think({
      open: ['<|channel>thought\n', '<|channel>thought\r\n', '<|channel>thought'],
      close: ['<channel|>'],
      control: true,
    }).blocks,
    gemmaCall({
      open: '<|tool_call>',
      close: '<tool_call|>',
      quote: '<|"|>',
      stringType: 'string',
    }),
  ],
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Gemma's literals: strings between special tokens, keys without quotes. */
export function gemmaSyntax(quote: string): LiteralSyntax {
  return {
    readString(text, index) {
      if (!text.startsWith(quote, index)) return undefined
      const start = index + quote.length
      const end = text.indexOf(quote, start)
      return end === -1 ? undefined : { value: text.slice(start, end), end: end + quote.length }
    },
    word: /[^,<\]}]+/y,
    key: /[^:,<\]}]+/y,
    // A word that is neither a number nor a constant is a string without quotes.
    toJson: (word) => (isPlain(word) ? word : JSON.stringify(word)),
  }
}

function isPlain(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null' || NUMBER.test(word)
}
