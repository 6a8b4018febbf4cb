import type { FormatBlock, Format } from '../../format.ts'
import { inSection } from '../combine.ts'

const sections = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>']
const SECTION_END = '<|tool_calls_section_end|>'
const CALL_END = '<|tool_call_end|>'

const call: FormatBlock = {
  open: { literal: '<|tool_call_begin|>' },
  control: true,
  orphans: [CALL_END],
  body: {
    named: {
      until: ['<|tool_call_argument_begin|>'],
      pattern: /^(?<id>(?:functions\.)?(?<name>[^\s<]+?)(?::\d+)?)$/,
      body: { arguments: { close: [CALL_END], endsBefore: [SECTION_END] } },
    },
  },
}

/** Kimi K2: `functions.name:0` between special tokens, then JSON. */
export const kimiK2: Format = {
  name: 'kimi-k2',
  blocks: inSection(call, { open: { literal: sections }, control: true }, SECTION_END),
}
