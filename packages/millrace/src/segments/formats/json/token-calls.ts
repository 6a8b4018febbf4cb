import type { FormatBlock, Format } from '../../format.ts'
import { inSection, combine } from '../combine.ts'
import { think } from '../tags/think.ts'

const sections = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>']
const SECTION_END = '<|tool_calls_section_end|>'
const KIMI_END = '<|tool_call_end|>'

const kimiCall: FormatBlock = {
  open: { literal: '<|tool_call_begin|>' },
  control: true,
  orphans: [KIMI_END],
  body: {
    named: {
      until: ['<|tool_call_argument_begin|>'],
      pattern: /^(?<id>(?:functions\.)?(?<name>[^\s<]+?)(?::\d+)?)$/,
      body: { arguments: { close: [KIMI_END], endsBefore: [SECTION_END] } },
    },
  },
}

/** Kimi K2: `functions.name:0` between special tokens, then JSON. */
export const kimiK2: Format = {
  name: 'kimi-k2',
  blocks: inSection(kimiCall, { open: { literal: sections }, control: true }, SECTION_END),
}

const CALLS = '<｜tool▁calls▁begin｜>'
const CALLS_END = '<｜tool▁calls▁end｜>'
const CALL_END = '<｜tool▁call▁end｜>'

/** V3.1 has the name before the separator; V3 and R1 have `function` there, and the JSON in a fence. */
const deepseekCall: FormatBlock = {
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
  blocks: inSection(deepseekCall, { open: { literal: CALLS }, control: true }, CALLS_END),
}

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
