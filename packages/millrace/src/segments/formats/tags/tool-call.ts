import type { FormatBlock, Body, Format } from '../../format.ts'
import { invokeBlock } from './invoke.ts'

/** The tags around a call. */
export interface ToolCallTags {
  readonly name?: string
  readonly open?: string
  readonly close?: string
  readonly control?: boolean
}

const FUNCTION_END = '</function>'

/**
 * `<tool_call>` of the largest families, distinguished by its first character: JSON with the name inside (Hermes,
 * Qwen), `<function=name>` (Qwen Coder), `<invoke>`, or the name itself (GLM).
 */
export function toolCall({
  name = 'tool_call',
  open = '<tool_call>',
  close = '</tool_call>',
  control = false,
}: ToolCallTags = {}): Format {
  const functions = functionBlock([close])
  const tagged: Body = {
    wrapper: {
      close: [close],
      blocks: [functions, invokeBlock({}, '', [close])],
    },
  }
  return {
    name,
    blocks: [
      {
        open: { literal: open },
        control,
        orphans: [close],
        body: {
          switch: [
            { first: /[[{]/, body: { calls: { close: [close] } } },
            { first: /</, body: tagged },
            { first: /[\p{L}_]/u, body: namedCall(close) },
          ],
        },
      },
      bareFunctions,
    ],
  }
}

/** `<function=name>` with JSON, or with `<parameter=key>` for each argument. */
function functionBlock(closers: readonly string[]): FormatBlock {
  return {
    open: { assign: '<function=' },
    orphans: [FUNCTION_END],
    body: {
      switch: [
        { first: /\{/, body: { arguments: { close: [FUNCTION_END], endsBefore: closers } } },
        {
          first: /[^{]|^$/,
          body: {
            fields: {
              field: { assign: '<parameter=' },
              close: '</parameter>',
              trim: 'newline',
              end: [FUNCTION_END],
              endsBefore: closers,
              after: ['<function='],
              isImplicit: true,
            },
          },
        },
      ],
    },
  }
}

/** Calls outside any wrapper: one block for all families, so that they can be combined. */
export const bareFunctions = functionBlock(['</tool_call>'])

/** The name alone, then pairs of `<arg_key>` and `<arg_value>`. */
function namedCall(close: string): Body {
  return {
    named: {
      until: ['\n', '</arg_value>'],
      keep: ['<arg_key>', close],
      isBare: true,
      pattern: /^(?<name>[\p{L}_][\p{L}\p{N}_.:-]*)$/u,
      body: {
        fields: {
          field: { pair: ['<arg_key>', '</arg_key>', '<arg_value>'] },
          close: '</arg_value>',
          end: [close],
          isImplicit: true,
        },
      },
    },
  }
}

/** The tags of Hermes, Qwen and GLM. */
export const toolCalls = toolCall()
