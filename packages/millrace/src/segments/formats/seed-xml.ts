import { compileFields } from '../engine/fields-body.ts'
import { compileRaw } from '../engine/raw-body.ts'
import { compileSwitch } from '../engine/switch-body.ts'
import { compileArguments } from '../engine/arguments-body.ts'
import type { Block, CustomBody, FieldsBody, Format } from '../format.ts'

const anyCase = true
const toolEnd = { endTag: 'tool', anyCase }

/** `<write_file path="…">` and its kin: the body is verbatim. */
function fileTag(tag: 'write_file' | 'patch_file'): Block {
  return {
    open: { tag, anyCase, require: ['path'] },
    body: { raw: { segment: tag, metadata: { path: 'path' }, close: [{ endTag: tag, anyCase }] } },
  }
}

const runBash: Block = {
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
}

/** A tool whose arguments are for the adapter: the raw XML is the content. */
const rawTool = compileRaw({
  segment: 'tool_call',
  metadata: { tool_name: 'name' },
  close: [toolEnd],
  opaque: ['<![CDATA[', ']]>'],
})

const argumentTags: FieldsBody = {
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
  xml: {
    markers: [
      ['__START_CONTENT__', '__END_CONTENT__'],
      ['__START_PATCH__', '__END_PATCH__'],
    ],
  },
}

const projectedTool = compileSwitch(
  [
    { first: /\{/, body: { arguments: { name: 'name', close: [toolEnd] } } },
    { first: /[^{]|^$/, body: { fields: argumentTags } },
  ],
  (body) => ('arguments' in body ? compileArguments(body.arguments) : compileFields(argumentTags)),
)

/** Only tools that are shown as files or commands are looked into while they stream. */
const toolBody: CustomBody = (reader, opening) => {
  const name = opening.attributes.get('name') ?? ''
  const isProjected = reader.projectionOf(name) !== undefined
  return isProjected ? projectedTool(reader, opening) : rawTool(reader, opening)
}

/** The tags of the streaming parser design: `<tool name="…">`, `<write_file path="…">`, `<patch_file path="…">`, `<run_bash>`. */
export const seedXml: Format = {
  name: 'seed-xml',
  blocks: [
    fileTag('write_file'),
    fileTag('patch_file'),
    runBash,
    { open: { tag: 'tool', anyCase, require: ['name'] }, body: { custom: toolBody } },
  ],
}
