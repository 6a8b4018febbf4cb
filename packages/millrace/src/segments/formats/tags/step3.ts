import type { FormatBlock } from '../../format.ts'
import { combine, inSection } from '../combine.ts'
import { bareInvoke, invokeBlock } from './invoke.ts'

const CALLS_END = '<｜tool_calls_end｜>'
const CALL_END = '<｜tool_call_end｜>'
const CALL = '<｜tool_call_begin｜>'
const SEPARATOR = '<｜tool_sep｜>'
const PREFIX = 'steptml:'

const call: FormatBlock = {
  open: {
    literal: [CALL, SEPARATOR + CALL].flatMap((open) => [`${open}function${SEPARATOR}`, open]),
  },
  control: true,
  orphans: [CALL_END, SEPARATOR],
  body: {
    wrapper: { close: [CALL_END], blocks: [invokeBlock({}, PREFIX, [CALL_END, CALLS_END])] },
  },
}

/** Step 3: its own `invoke` tags between special tokens with full-width bars. */
export const step3 = combine(
  'step3',
  ...inSection(call, { open: { literal: '<｜tool_calls_begin｜>' }, control: true }, CALLS_END),
  bareInvoke({}, PREFIX),
)
