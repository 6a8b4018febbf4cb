import { type DeltaContent, type Envelope, traitsOf } from '../../envelope/index.ts'

/** The least that a block can hold and still be valid, once it is whole. [ENV-5] */
const leastContent: Readonly<Record<DeltaContent, string>> = {
  text: '',
  empty: '',
  input: '{}',
  json: '{}',
}

/** What `delta` holds in the last message of a block of which nothing is to be seen. */
export function leastDelta(type: string): string {
  const traits = traitsOf(type)
  return traits?.isList === true ? '[]' : leastContent[traits?.delta ?? 'text']
}

/** A message without some of its fields: those that it needs are emptied. [LOG-9] */
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
  // An item that goes on says so of its `delta`, whatever is in it. [CHUNK-5]
  const goesOn = Object.entries(more).filter(([name]) => name === 'delta' || !hidden.has(name))
  return { ...kept, more: Object.fromEntries(goesOn) }
}
