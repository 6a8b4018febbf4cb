import type { Format } from '../../format.ts'

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
