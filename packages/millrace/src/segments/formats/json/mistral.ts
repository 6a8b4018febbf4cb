import type { FormatBlock } from '../../format.ts'
import { combine } from '../combine.ts'
import { think } from '../tags/think.ts'

/** Calls after their marker. */
export const mistralCalls: FormatBlock = {
  open: { literal: '[TOOL_CALLS]' },
  control: true,
  body: {
    switch: [
      { first: /[[{]/, body: { calls: {} } },
      {
        first: /[\p{L}_]/u,
        body: {
          named: {
            until: ['[ARGS]'],
            keep: ['{'],
            pattern: /^(?<name>[\p{L}_][\p{L}\p{N}_.:-]*)(?:\[CALL_ID\](?<id>\w+))?$/u,
            body: { arguments: {} },
          },
        },
      },
    ],
  },
}

/** Mistral: `[TOOL_CALLS]` before a JSON list, or before `name[ARGS]` or `name` and a JSON object; `[THINK]` around reasoning. */
export const mistral = combine(
  'mistral',
  mistralCalls,
  think({ open: '[THINK]', close: '[/THINK]', control: true }),
)
