import type { JsonObject } from '../../json/index.ts'
import type { ApiError } from '../api-error.ts'

/** Before which event of a stream something goes wrong, or after how many bytes. */
export type FaultPlace =
  | { readonly event: number }
  /** The `nth` event of a type, from 0. */
  | { readonly type: string; readonly nth?: number }
  | { readonly byte: number }

interface When {
  /** Strikes the first attempts at the same request only; default: all. */
  readonly times?: number
  /** Strikes this part of the requests, chosen by the seed: 0.1 is one in ten. */
  readonly chance?: number
}

interface Where extends When {
  /** Default: a place that the seed chooses. */
  readonly at?: FaultPlace
}

/** The response is an error; with 429 it says how long to wait. */
export interface StatusFault extends When {
  readonly kind: 'status'
  readonly status: number
  readonly retryAfterS?: number
  readonly error?: Partial<ApiError>
}

/** The response takes its time to begin. */
export interface SlowHeadersFault extends When {
  readonly kind: 'slow_headers'
  readonly waitMs: number
}

/** An `error` event, and the end of the stream. */
export interface ErrorFault extends Where {
  readonly kind: 'error'
  readonly error?: ApiError
}

/** `cut`: the connection breaks. `end`: the stream ends as if it were over. `stall`: silence, for ever unless told. */
export interface BreakFault extends Where {
  readonly kind: 'cut' | 'end' | 'stall'
  readonly waitMs?: number
}

/** `bad_json`: the frame's JSON is broken. `drop`, `repeat`: the event is missing or comes twice. */
export interface FrameFault extends Where {
  readonly kind: 'bad_json' | 'drop' | 'repeat'
}

/** `duplicate_start`: the first event once more. `spliced_start`: another message begins, and takes the place of this one. */
export interface StartFault extends Where {
  readonly kind: 'duplicate_start' | 'spliced_start'
}

/** The index of an event is wrong by so much; default: that of the first delta, by one. */
export interface IndexFault extends Where {
  readonly kind: 'wrong_index'
  readonly by?: number
}

/** Pings; without a place, before every event. */
export interface PingsFault extends Where {
  readonly kind: 'pings'
  readonly count?: number
}

/** An event that does not belong there, or that nobody knows. */
export interface InsertFault extends Where {
  readonly kind: 'insert'
  readonly event: JsonObject
}

/** A way of writing the stream that is legal or nearly so. */
export interface FramingFault extends When {
  readonly kind: 'crlf' | 'bom' | 'comments' | 'no_event_names' | 'no_final_blank_line'
}

/** The body comes in chunks of so many bytes. */
export interface ChunksFault extends When {
  readonly kind: 'chunks'
  readonly bytes: number
}

/** Something that goes wrong with a response. */
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

/** The name of a fault. */
export type FaultKind = Fault['kind']
