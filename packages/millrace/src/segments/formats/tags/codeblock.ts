import type { Format } from '../../format.ts'

/**
 * Continue's code blocks: a fence of the language `tool`, with a line for the name and lines around each argument.
 */
export const codeblock: Format = {
  name: 'codeblock',
  blocks: [
    {
      open: { literal: ['```tool\n', '```tool\r\n'], at: 'line' },
      body: {
        named: {
          until: ['\n'],
          pattern: /^TOOL_NAME:\s*(?<name>\S+)$/,
          body: {
            fields: {
              field: { assign: 'BEGIN_ARG:', end: '\n' },
              close: 'END_ARG',
              trim: 'newline',
              end: ['```'],
            },
          },
        },
      },
    },
  ],
}
