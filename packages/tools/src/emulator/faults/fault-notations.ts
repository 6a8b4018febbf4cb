import { isErrorType } from '../routes/api-error.ts'
import type { FaultKind } from './fault.ts'

/** Text notation of a fault. */
export interface FaultNotation {
  /** The places that the fault accepts: none, an event, or an event or a byte. */
  readonly place: 'none' | 'event' | 'byte'
  readonly value?: FaultValue
}

/** Values that the notation of a fault accepts. */
export interface FaultValue {
  readonly isNeeded: boolean
  readonly example: string
  /** Returns the fields that a value sets, or undefined for an invalid value. */
  readonly read: (value: string) => object | undefined
}

/** Every name in the text notation; `rate_limit` is a 429 with an optional `retry-after`. */
export const faultNotations = {
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
