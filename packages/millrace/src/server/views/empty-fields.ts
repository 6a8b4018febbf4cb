import { type DeltaContent, type Envelope, traitsOf } from '../../events/index.ts'

/** The shortest valid content of a complete block. [ENV-5] */
const leastContent: Readonly<Record<DeltaContent, string>> = {
  text: '',
  empty: '',
  input: '{}',
  json: '{}',
}

/** Returns the `delta` of the last frame of a block whose content is hidden. */
export function leastDelta(type: string): string {
  const traits = traitsOf(type)
  return traits?.isList === true ? '[]' : leastContent[traits?.delta ?? 'text']
}

/** Hides fields of a frame: required ones are emptied, others removed. [LOG-9] */
export function emptyFields(envelope: Envelope, hidden: ReadonlySet<string>): Envelope {
  const { type, final, more } = envelope
  const required = traitsOf(type)?.required ?? {}
  const fields = Object.entries(envelope).flatMap(([name, value]): [string, unknown][] => {
    if (!hidden.has(name)) return [[name, value]]
    if (name === 'delta') return [[name, final ? leastDelta(type) : '']]
    return Object.hasOwn(required, name) ? [[name, '']] : []
  })
  const kept = Object.fromEntries(fields) as unknown as Envelope
  if (more === undefined) return kept
  // An incomplete item keeps `more` for its `delta`, even if that is empty. [CHUNK-5]
  const continued = Object.entries(more).filter(([name]) => name === 'delta' || !hidden.has(name))
  return { ...kept, more: Object.fromEntries(continued) }
}
