import type { FormatBlock, Format } from '../../format.ts'
import { combine, inSection } from '../combine.ts'
import { think } from '../tags/think.ts'
import { toolCallList } from './json-list.ts'

/** Hunyuan A13B: a JSON list of calls, and reasoning that may be followed by an answer in tags. */
export const hunyuanA13b = combine(
  'hunyuan-a13b',
  think({
    close: ['</think>\n<answer>\n', '</think>\n<answer>', '</think><answer>', '</think>'],
    answer: ['\n</answer>', '</answer>'],
  }),
  toolCallList,
)

/** The suffix that the tokenizer of a model adds to each tag name. */
export interface HunyuanTags {
  readonly suffix?: string
}

/** Hunyuan 3: the name of the tool before a separator, then pairs of `<arg_key>` and `<arg_value>`. */
export function hunyuan3({ suffix = '' }: HunyuanTags = {}): Format {
  const tag = (name: string): string => `<${name}${suffix}>`
  const [callsEnd, callEnd] = [tag('/tool_calls'), tag('/tool_call')]
  const call: FormatBlock = {
    open: { literal: tag('tool_call') },
    orphans: [callEnd],
    body: {
      named: {
        until: [tag('tool_sep')],
        keep: [callEnd],
        pattern: /^(?<name>[\p{L}_][\p{L}\p{N}_.:-]*)$/u,
        body: {
          fields: {
            field: { pair: [tag('arg_key'), tag('/arg_key'), tag('arg_value')] },
            close: tag('/arg_value'),
            end: [callEnd],
            endsBefore: [callsEnd],
            isImplicit: true,
          },
        },
      },
    },
  }
  const blocks = inSection(call, { open: { literal: tag('tool_calls') } }, callsEnd)
  return { name: 'hunyuan3', blocks }
}
