import { type Format, presets, seedXml, toolTags } from 'millrace/segments'

/** The presets, and formats for the tools of one agent. */
const named: Readonly<Record<string, Format>> = {
  ...presets,
  'xml-states': seedXml({
    states: {
      run_sql: { markers: [['__START_SQL__', '__END_SQL__']] },
      note: { raw: { segment: 'text', close: [{ endTag: 'tool', anyCase: true }] } },
    },
  }),
  cline: toolTags({ read_file: ['path'], write_to_file: ['path', 'content'] }),
}

/** Returns the formats that a case names, joined by `+`. */
export function toFormats(names: string): Format[] {
  return names.split('+').map((name) => {
    const format = Object.hasOwn(named, name) ? named[name] : undefined
    if (format === undefined) throw new Error(`there is no format ${name}`)
    return format
  })
}
