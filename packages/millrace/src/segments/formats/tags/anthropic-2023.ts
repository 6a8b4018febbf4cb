import type { FormatBlock, Format } from '../../format.ts'
import { inSection } from '../combine.ts'

const CALLS_END = '</function_calls>'
const CALL_END = '</invoke>'

const call: FormatBlock = {
  open: { literal: '<invoke>' },
  orphans: [CALL_END],
  body: {
    named: {
      until: ['</tool_name>'],
      pattern: /^<tool_name>\s*(?<name>[^\s<]+)$/,
      body: {
        fields: {
          field: { tag: '*' },
          close: 'tag',
          end: [CALL_END],
          endsBefore: [CALLS_END],
          skip: ['<parameters>', '</parameters>'],
        },
      },
    },
  },
}

/** Calls in the notation of Anthropic's prompts of 2023: the name in its own tag, and each parameter too. */
export const anthropic2023: Format = {
  name: 'anthropic-2023',
  blocks: inSection(call, { open: { tag: 'function_calls' } }, CALLS_END),
}
