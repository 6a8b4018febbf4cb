import { MillraceError } from 'millrace'
import { isErrorType } from '../routes/api-error.ts'
import type { Fault, FaultKind, FaultPlace } from './fault.ts'

/** Every name in the text notation; `rate_limit` is a 429 with an optional `retry-after`. */
const faultNotations = {
  bad_json: { place: 'event' },
  bom: { place: 'none' },
  chunks: { place: 'none', value: needed('1', count('bytes')) },
  comments: { place: 'none' },
  crlf: { place: 'none' },
  cut: { place: 'byte' },
  drop: { place: 'event' },
  duplicate_start: { place: 'event' },
  end: { place: 'byte' },
  error: { place: 'event', value: optional('api_error', readErrorType) },
  insert: { place: 'event', value: needed('news', (type) => ({ event: { type } })) },
  no_event_names: { place: 'none' },
  no_final_blank_line: { place: 'none' },
  pings: { place: 'event', value: optional('3', count('count')) },
  rate_limit: { place: 'none', value: optional('2', duration('retryAfterS')) },
  repeat: { place: 'event' },
  slow_headers: { place: 'none', value: needed('2000', duration('waitMs')) },
  spliced_start: { place: 'event' },
  stall: { place: 'byte', value: optional('2000', duration('waitMs')) },
  status: { place: 'none', value: needed('529', readStatus) },
  wrong_index: { place: 'event', value: optional('-1', readDifference) },
} as const satisfies Record<FaultKind | 'rate_limit', FaultNotation>

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

interface FaultNotation {
  /** The places that the fault accepts: none, an event, or an event or a byte. */
  readonly place: 'none' | 'event' | 'byte'
  readonly value?: FaultValue
}

/** Values that the notation of a fault accepts. */
interface FaultValue {
  readonly isNeeded: boolean
  readonly example: string
  /** Returns the fields that a value sets, or undefined for an invalid value. */
  readonly read: (value: string) => object | undefined
}

function needed(example: string, read: FaultValue['read']): FaultValue {
  return { isNeeded: true, example, read }
}

function optional(example: string, read: FaultValue['read']): FaultValue {
  return { isNeeded: false, example, read }
}

function count(field: string): FaultValue['read'] {
  return (value) => (/^[1-9]\d{0,8}$/.test(value) ? { [field]: Number(value) } : undefined)
}

function duration(field: string): FaultValue['read'] {
  return (value) => (/^\d{1,9}(\.\d{1,6})?$/.test(value) ? { [field]: Number(value) } : undefined)
}

function readErrorType(type: string): object | undefined {
  if (!isErrorType(type)) return undefined
  return { error: { type, message: 'Error requested by a fault of the emulator.' } }
}

function readStatus(value: string): object | undefined {
  return /^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined
}

function readDifference(value: string): object | undefined {
  return /^-?\d{1,6}$/.test(value) ? { by: Number(value) } : undefined
}
