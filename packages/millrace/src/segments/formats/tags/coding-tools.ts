import type { Format } from '../../format.ts'

/** Continue's code blocks: a fence of the language `tool`, with a line for the name and lines around each argument. */
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

const ARTIFACT_END = '</boltArtifact>'

/** Artifacts in the notation of bolt's prompt: files and shell commands in `<boltAction>` tags. */
export const bolt: Format = {
  name: 'bolt',
  blocks: [
    {
      open: { tag: 'boltArtifact' },
      body: {
        wrapper: {
          isLoose: true,
          close: [ARTIFACT_END],
          blocks: [
            {
              open: { tag: 'boltAction', require: ['type'] },
              body: {
                raw: {
                  segment: {
                    attribute: 'type',
                    values: { file: 'write_file', shell: 'run_bash', start: 'run_bash' },
                  },
                  metadata: { path: 'filePath' },
                  close: ['</boltAction>'],
                  endsBefore: [ARTIFACT_END],
                  trim: 'newline',
                },
              },
            },
          ],
        },
      },
    },
  ],
}

/** The tools whose names are tags, with the names of their parameters. */
export type TaggedTools = Readonly<Record<string, readonly string[]>>

/** Calls in the notation of Cline and Roo: the tool is a tag, and so is each parameter. */
export function toolTags(tools: TaggedTools): Format {
  return {
    name: 'tool-tags',
    blocks: Object.entries(tools).map(([tool, parameters]) => ({
      open: { tag: tool },
      body: {
        fields: {
          field: parameters.length === 0 ? [] : { tag: parameters },
          close: 'tag',
          trim: 'newline',
          end: [`</${tool}>`],
          isTag: true,
        },
      },
    })),
  }
}
