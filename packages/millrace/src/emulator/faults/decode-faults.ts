import { MillraceError } from '../../errors/index.ts'
import type { Fault, FaultPlace } from './fault.ts'
import { faultVocabulary, type FaultWord } from './fault-vocabulary.ts'

const vocabulary: ReadonlyMap<string, FaultWord> = new Map(Object.entries(faultVocabulary))

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
  if (written === undefined) throw refuse(text, 'it is written name=value@place*times%chance')
  const { name = '', value, place, times, chance } = written
  const word = vocabulary.get(name)
  if (word === undefined) throw refuse(text, `the faults are ${[...vocabulary.keys()].join(', ')}`)
  return {
    ...(name === 'rate_limit' ? { kind: 'status', status: 429 } : { kind: name }),
    ...readValue(text, value, word),
    ...(place === undefined ? {} : { at: readPlace(text, place, word) }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(chance === undefined ? {} : { chance: Number(chance) / 100 }),
  } as Fault
}

function readValue(text: string, value: string | undefined, { value: rule }: FaultWord): object {
  if (value === undefined) {
    if (rule?.isNeeded !== true) return {}
    throw refuse(text, `it needs a value, such as =${rule.example}`)
  }
  if (rule === undefined) throw refuse(text, 'it takes no value')
  const fields = rule.read(value)
  if (fields === undefined) throw refuse(text, `its value must be like =${rule.example}`)
  return fields
}

function readPlace(text: string, place: string, word: FaultWord): FaultPlace {
  if (word.place === 'none') throw refuse(text, 'it concerns the whole response')
  if (/^\d{1,9}$/.test(place)) return { event: Number(place) }
  const byte = /^byte:(\d{1,12})$/.exec(place)?.[1]
  if (byte !== undefined && word.place === 'byte') return { byte: Number(byte) }
  const [, type, nth] = /^([a-z_]+)(?:#(\d{1,9}))?$/.exec(place) ?? []
  if (type !== undefined) return { type, ...(nth === undefined ? {} : { nth: Number(nth) }) }
  const places = ['an event as in @12, @message_stop or @content_block_delta#3']
  if (word.place === 'byte') places.push('a byte as in @byte:400')
  throw refuse(text, `its place is ${places.join(', or ')}`)
}

function refuse(text: string, problem: string): MillraceError {
  const message = `The fault ${JSON.stringify(text)} cannot be used: ${problem}.`
  return new MillraceError('bad_request', message)
}
