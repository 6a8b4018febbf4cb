interface Element {
  readonly name: string
  readonly children: Element[]
  text: string
}

const TAG = /^<(?<slash>\/?)(?<name>[^\s<>/]+)>(?<text>[^]*)$/

/**
 * Converts elements whose tags have a sign before them to JSON text: a list if all are `item`, otherwise an
 * object, in which repeated names make a list. Returns undefined if tags do not match or text is between them.
 */
export function toElementsJson(text: string, sign: string, maxDepth: number): string | undefined {
  const [lead = '', ...parts] = text.split(sign)
  const root: Element = { name: '', children: [], text: lead }
  const open = [root]
  for (const part of parts) {
    const { slash, name = '', text: after = '' } = TAG.exec(part)?.groups ?? {}
    if (name === '' || open.length > maxDepth) return undefined
    if (slash === '') {
      const element: Element = { name, children: [], text: after }
      open.at(-1)?.children.push(element)
      open.push(element)
    } else {
      if (open.pop()?.name !== name) return undefined
      const parent = open.at(-1)
      if (parent !== undefined) parent.text += after
    }
  }
  return open.length === 1 ? toJson(root) : undefined
}

function toJson({ children, text }: Element): string | undefined {
  if (children.length === 0) return JSON.stringify(text)
  if (text.trim() !== '') return undefined
  const values = children.map((child) => ({ name: child.name, json: toJson(child) }))
  if (values.some(({ json }) => json === undefined)) return undefined
  const groups = new Map<string, string[]>()
  for (const { name, json = '' } of values) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [json])
    else group.push(json)
  }
  const items = groups.get('item')
  if (items?.length === children.length) return `[${items.join(',')}]`
  const pairs = [...groups].map(([name, all]) => `${JSON.stringify(name)}:${toList(all)}`)
  return `{${pairs.join(',')}}`
}

function toList(all: readonly string[]): string {
  return all.length === 1 ? (all[0] ?? '') : `[${all.join(',')}]`
}
