import type { FormatBlock, Format } from '../../format.ts'
import { inSection } from '../combine.ts'

const CALLS = '<｜tool▁calls▁begin｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const CALL_END = '<｜tool▁call▁end｜>'

/** V3.1 has the name before the separator; V3 and R1 have `function` there, and the JSON in a fence. */
const call: FormatBlock = {
  open: { literal: '<｜tool▁call▁begin｜>' },
  control: true,
  orphans: [CALL_END],
  body: {
    named: {
      until: ['<｜tool▁sep｜>'],
      pattern: /^(?<name>\S+)$/,
      body: {
        switch: [
          { first: /\{/, body: { arguments: { close: [CALL_END], endsBefore: [CALLS_END] } } },
          {
            first: /[^{]/,
            body: {
              named: {
                until: ['\n```json', '\r\n```json', '\n```'],
                pattern: /^(?<name>\S+)$/,
                body: {
                  arguments: {
                    close: [`\`\`\`${CALL_END}`, `\`\`\`\n${CALL_END}`, CALL_END],
                    endsBefore: [CALLS_END],
                  },
                },
              },
            },
          },
        ],
      },
    },
  },
}

/** DeepSeek V3 and later: special tokens with full-width bars. */
export const deepseekV3: Format = {
  name: 'deepseek-v3',
  blocks: inSection(call, { open: { literal: CALLS }, control: true }, CALLS_END),
}
