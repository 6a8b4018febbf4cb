import type { Format } from '../../format.ts'

/** A marker, JSON with the names of the tools inside, and optionally a closing marker. */
export interface JsonListMarks {
  readonly name: string
  readonly open: string | readonly string[]
  readonly close?: string
  readonly separators?: readonly string[]
  /** The name is the key: `{"tool": {"argument": 1}}`. */
  readonly nameIsKey?: boolean
  readonly control?: boolean
}

/** Calls in JSON after a marker. */
export function jsonList(marks: JsonListMarks): Format {
  const { name, open, close, separators = [], nameIsKey = false, control = false } = marks
  const closers = close === undefined ? [] : [close]
  return {
    name,
    blocks: [
      {
        open: { literal: open },
        control,
        orphans: closers,
        body: {
          switch: [
            // A word after the marker may be prose, and is not probed.
            { first: /[[{]/, body: { calls: { close: closers, separators, nameIsKey } } },
          ],
        },
      },
    ],
  }
}

/** A JSON list between `<tool_calls>`: Jamba, Hunyuan A13B, Apriel. */
export const toolCallList = jsonList({
  name: 'tool_calls',
  open: '<tool_calls>',
  close: '</tool_calls>',
})
