import type { FormatBlock } from '../../format.ts'
import { combine, inSection } from '../combine.ts'
import { think } from './think.ts'

const tag = { prefix: '<|open|>', end: '<|sep|>' }
const TOOLS_END = '<|close|>tools<|sep|>'
const CALL_END = '<|close|>call<|sep|>'

const call: FormatBlock = {
  open: { tag: 'call', ...tag, require: ['tool'] },
  control: true,
  orphans: [CALL_END],
  body: {
    fields: {
      name: 'tool',
      field: { tag: 'argument', ...tag, require: ['key'] },
      key: 'key',
      close: '<|close|>argument<|sep|>',
      type: ({ attributes }) => (attributes.get('type') === 'string' ? 'string' : 'json'),
      end: [CALL_END],
      endsBefore: [TOOLS_END],
      after: ['<|open|>call '],
      isImplicit: true,
    },
  },
}

/** Kimi K3: channels between special tokens, for reasoning, the answer and calls with typed arguments. */
export const kimiK3 = combine(
  'kimi-k3',
  think({
    open: '<|open|>think<|sep|>',
    close: ['<|close|>think<|sep|>', '<|open|>response<|sep|>'],
    answer: ['<|close|>response<|sep|>', '<|close|>message<|sep|>'],
    control: true,
  }),
  ...inSection(call, { open: { literal: '<|open|>tools<|sep|>' }, control: true }, TOOLS_END),
)
