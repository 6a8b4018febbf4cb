import { type Format, presets, toolTags } from '../../segments/index.ts'

/** Formats that are made for the tools of an agent, with the tools that cases name. */
const recipes: Readonly<Record<string, Format>> = {
  cline: toolTags({ read_file: ['path'], write_to_file: ['path', 'content'] }),
}

const named: Readonly<Record<string, Format>> = { ...presets, ...recipes }

/** The formats that a case names, joined by `+`. */
export function toFormats(names: string): Format[] {
  return names.split('+').map((name) => {
    const format = Object.hasOwn(named, name) ? named[name] : undefined
    if (format === undefined) throw new Error(`there is no format ${name}`)
    return format
  })
}
