import type { JsonObject } from 'millrace'
import type { ApiError } from '../routes/api-error.ts'
import type { Random } from '../random.ts'

/** The place of a fault: before an event of the stream, or after a number of bytes. */
export type FaultPlace =
  | { readonly event: number }
  /** The `nth` event of a type, from 0. */
  | { readonly type: string; readonly nth?: number }
  | { readonly byte: number }

interface When {
  /** Applies to the first attempts of a request only; default: all attempts. */
  readonly times?: number
  /** Applies to this share of the requests, selected by the seed: 0.1 is one in ten. */
  readonly chance?: number
}

interface Where extends When {
  /** Default: a place selected by the seed. */
  readonly at?: FaultPlace
}

/** The response is an error; a 429 may carry a `retry-after`. */
export interface StatusFault extends When {
  readonly kind: 'status'
  readonly status: number
  readonly retryAfterS?: number
  readonly error?: Partial<ApiError>
}

/** The response begins after a delay. */
interface SlowHeadersFault extends When {
  readonly kind: 'slow_headers'
  readonly waitMs: number
}

/** An `error` event, then the end of the stream. */
interface ErrorFault extends Where {
  readonly kind: 'error'
  readonly error?: ApiError
}

/**
 * `cut`: the connection fails. `end`: the stream ends early, without an error. `stall`: no more data, for ever by
 * default.
 */
export interface BreakFault extends Where {
  readonly kind: 'cut' | 'end' | 'stall'
  readonly waitMs?: number
}

/** `bad_json`: the frame's JSON is malformed. `drop`, `repeat`: the event is missing or sent twice. */
interface FrameFault extends Where {
  readonly kind: 'bad_json' | 'drop' | 'repeat'
}

/** `duplicate_start`: the first event is repeated. `spliced_start`: another message starts and replaces this one. */
interface StartFault extends Where {
  readonly kind: 'duplicate_start' | 'spliced_start'
}

/** The index of an event is off by a number; default: the first delta, off by one. */
export interface IndexFault extends Where {
  readonly kind: 'wrong_index'
  readonly by?: number
}

/** Pings; without a place, before every event. */
interface PingsFault extends Where {
  readonly kind: 'pings'
  readonly count?: number
}

/** An event that does not belong there, or of an unknown type. */
interface InsertFault extends Where {
  readonly kind: 'insert'
  readonly event: JsonObject
}

/** An unusual SSE framing that is legal or nearly legal. */
interface FramingFault extends When {
  readonly kind: 'crlf' | 'bom' | 'comments' | 'no_event_names' | 'no_final_blank_line'
}

/** The body is sent in chunks of this many bytes. */
interface ChunksFault extends When {
  readonly kind: 'chunks'
  readonly bytes: number
}

/** A fault of a response. */
export type Fault =
  | StatusFault
  | SlowHeadersFault
  | ErrorFault
  | BreakFault
  | FrameFault
  | StartFault
  | IndexFault
  | PingsFault
  | InsertFault
  | FramingFault
  | ChunksFault

/** Name of a fault. */
export type FaultKind = Fault['kind']

/** Selects the faults of a request, by chance and by attempt. */
export function selectFaults(
  faults: readonly Fault[],
  { attempt, random }: { readonly attempt: number; readonly random: Random },
): readonly Fault[] {
  return faults.filter(({ times = Infinity, chance = 1 }) => {
    const isChosen = random.next() < chance
    return isChosen && attempt < times
  })
}

/** Returns the faults of some kinds. */
export function faultsOf<Kind extends Fault['kind']>(
  faults: readonly Fault[],
  ...kinds: readonly Kind[]
): readonly Extract<Fault, { kind: Kind }>[] {
  const chosen: ReadonlySet<string> = new Set(kinds)
  return faults.filter((fault): fault is Extract<Fault, { kind: Kind }> => chosen.has(fault.kind))
}

/** The error of a fault that names no error. */
export const defaultError: ApiError = {
  type: 'overloaded_error',
  message: 'The model is overloaded (requested by a fault of the emulator).',
}

/** Returns the error that a fault sends instead of an answer that is not streamed, if there is one. */
export function findErrorFault(faults: readonly Fault[]): ApiError | undefined {
  const [fault] = faultsOf(faults, 'error')
  return fault === undefined ? undefined : (fault.error ?? defaultError)
}
