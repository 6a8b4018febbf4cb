/** Markers that only the code of a format has. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  harmony: [
    '<|channel|>analysis<|message|>',
    '<|channel|>final<|message|>',
    '<|return|>',
    '<|end|>',
  ],
  'apply-patch': [
    '*** Begin Patch\n',
    '*** Begin Patch\n*** Update File: a.ts\n',
    '\n*** Add File: b\r\n',
    '\n*** End Patch',
  ],
  'seed-xml': [
    '<content>__START_CONTENT__\n',
    '\n__END_CONTENT__</content>',
    '__END_CONTENT__',
    '<![CDATA[',
    ']]>',
  ],
}

/** The strings for which a format of that name searches: every string in its data, tags as written, and those in its code. */
export function toMarks(name: string, format: unknown): string[] {
  return [...marksIn(format, '<'), ...(hidden[name] ?? [])].filter((mark) => mark !== '')
}

function marksIn(value: unknown, prefix: string): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const before = 'prefix' in value && typeof value.prefix === 'string' ? value.prefix : prefix
  const parts = Object.values(value).flatMap((part) => marksIn(part, before))
  return [...tagsIn(value).flatMap((tag) => tagsNamed(tag, before)), ...parts]
}

function tagsIn(value: object): string[] {
  const tags = 'tag' in value ? value.tag : 'endTag' in value ? value.endTag : []
  return [tags].flat().map(String)
}

function tagsNamed(tag: string, before: string): string[] {
  const attributes = ['', ' name="f"', ' type="file" filePath="/a"']
  const openers = attributes.map((written) => `${before}${tag}${written}>`)
  return [...openers, `</${before.slice(1)}${tag}>`]
}
