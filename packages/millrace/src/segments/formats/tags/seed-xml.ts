import type { FormatBlock, Body, Format } from '../../format.ts'

/** Pairs of markers around verbatim content, such as `__START_CONTENT__` and `__END_CONTENT__`. */
export type ContentMarkers = readonly (readonly [open: string, close: string])[]

/** The reading of the body of `<tool name="…">` for one tool: arguments with its own markers, or a body of a format. */
export type XmlToolState = { readonly markers: ContentMarkers } | Body

/** Options of {@link seedXml}. */
export interface SeedXmlOptions {
  /** Parsing states by tool name, in any ASCII case. */
  readonly states?: Readonly<Record<string, XmlToolState>>
}

const anyCase = true
const toolEnd = { endTag: 'tool', anyCase }

/** `<write_file path="…">` and similar tags: the body is verbatim. */
function fileTag(tag: 'write_file' | 'patch_file'): FormatBlock {
  return {
    open: { tag, anyCase, require: ['path'] },
    body: { raw: { segment: tag, metadata: { path: 'path' }, close: [{ endTag: tag, anyCase }] } },
  }
}

const customTags: readonly FormatBlock[] = [
  fileTag('write_file'),
  fileTag('patch_file'),
  {
    open: { tag: 'run_bash', anyCase },
    body: {
      raw: {
        segment: 'run_bash',
        metadata: {
          background: ['background'],
          timeout_seconds: ['timeout_seconds', 'timeoutseconds'],
        },
        types: { background: 'boolean', timeout_seconds: 'integer' },
        close: [{ endTag: 'run_bash', anyCase }],
      },
    },
  },
]

/** A tool whose arguments are parsed when it is complete: the raw XML is the content. */
const rawTool: Body = {
  raw: {
    segment: 'tool_call',
    metadata: { tool_name: 'name' },
    close: [toolEnd],
    opaque: ['<![CDATA[', ']]>'],
  },
}

const seedMarkers: ContentMarkers = [
  ['__START_CONTENT__', '__END_CONTENT__'],
  ['__START_PATCH__', '__END_PATCH__'],
]

/** A tool whose arguments are parsed while they stream: a JSON object, or a tag for each. */
function streamedTool(markers: ContentMarkers): Body {
  return {
    switch: [
      { first: /\{/, body: { arguments: { name: 'name', close: [toolEnd] } } },
      {
        first: /[^{]|^$/,
        body: {
          fields: {
            name: 'name',
            field: [
              { tag: 'arg', anyCase, require: ['name'] },
              { tag: '*', anyCase },
            ],
            key: 'name',
            close: 'tag',
            anyCase,
            end: [toolEnd],
            endsBefore: [{ startTag: 'tool', anyCase }],
            skip: [{ startTag: 'arguments', anyCase }, { endTag: 'arguments', anyCase }, '<!--'],
            isCertain: true,
            xml: { markers },
          },
        },
      },
    ],
  }
}

function toBody(state: XmlToolState): Body {
  return 'markers' in state ? streamedTool(state.markers) : state
}

/** The tags of the streaming parser design: `<tool name="…">`, `<write_file path="…">`, `<patch_file path="…">`, `<run_bash>`. */
export function seedXml({ states = {} }: SeedXmlOptions = {}): Format {
  const bodies = Object.entries(states).map(([tool, state]) => [tool, toBody(state)] as const)
  const tools = {
    name: 'name',
    states: Object.fromEntries(bodies),
    projected: streamedTool(seedMarkers),
    otherwise: rawTool,
  }
  return {
    name: 'seed-xml',
    blocks: [...customTags, { open: { tag: 'tool', anyCase, require: ['name'] }, body: { tools } }],
  }
}
