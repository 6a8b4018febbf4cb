import { MillraceError } from 'millrace'
import type { Fault, FaultPlace } from './fault.ts'
import { faultNotations, type FaultNotation } from './fault-notations.ts'

const notations: ReadonlyMap<string, FaultNotation> = new Map(Object.entries(faultNotations))

/** Grammar `name=value@place*times%chance`; only the name is required. */
const grammar =
  /^(?<name>[a-z_]+)(?:=(?<value>[^@*%]+))?(?:@(?<place>[^*%]+))?(?:\*(?<times>\d{1,6}))?(?:%(?<chance>\d{1,3}))?$/

/**
 * Parses faults from text such as `cut@byte:400`, `rate_limit=2*1` or `stall=500@content_block_delta#3, crlf`: a
 * name, then optional `=value`, `@place`, `*times` and `%chance`.
 */
export function decodeFaults(text: string): Fault[] {
  return text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map(decodeFault)
}

function decodeFault(text: string): Fault {
  const written = grammar.exec(text)?.groups
  if (written === undefined) throw invalidFault(text, 'it is written name=value@place*times%chance')
  const { name = '', value, place, times, chance } = written
  const notation = notations.get(name)
  if (notation === undefined)
    throw invalidFault(text, `the faults are ${[...notations.keys()].join(', ')}`)
  return {
    ...(name === 'rate_limit' ? { kind: 'status', status: 429 } : { kind: name }),
    ...readValue(text, value, notation),
    ...(place === undefined ? {} : { at: readPlace(text, place, notation) }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(chance === undefined ? {} : { chance: Number(chance) / 100 }),
  } as Fault
}

function readValue(
  text: string,
  value: string | undefined,
  { value: rule }: FaultNotation,
): object {
  if (value === undefined) {
    if (rule?.isNeeded !== true) return {}
    throw invalidFault(text, `it needs a value, such as =${rule.example}`)
  }
  if (rule === undefined) throw invalidFault(text, 'it takes no value')
  const fields = rule.read(value)
  if (fields === undefined) throw invalidFault(text, `its value must be like =${rule.example}`)
  return fields
}

function readPlace(text: string, place: string, notation: FaultNotation): FaultPlace {
  if (notation.place === 'none')
    throw invalidFault(text, 'it applies to the whole response, so remove the @place')
  if (/^\d{1,9}$/.test(place)) return { event: Number(place) }
  const byte = /^byte:(\d{1,12})$/.exec(place)?.[1]
  if (byte !== undefined && notation.place === 'byte') return { byte: Number(byte) }
  const [, type, nth] = /^([a-z_]+)(?:#(\d{1,9}))?$/.exec(place) ?? []
  if (type !== undefined) return { type, ...(nth === undefined ? {} : { nth: Number(nth) }) }
  const places = ['an event as in @12, @message_stop or @content_block_delta#3']
  if (notation.place === 'byte') places.push('a byte as in @byte:400')
  throw invalidFault(text, `its place is ${places.join(', or ')}`)
}

function invalidFault(text: string, problem: string): MillraceError {
  const message = `The fault ${JSON.stringify(text)} cannot be used: ${problem}.`
  return new MillraceError('bad_request', message)
}
