/** The headers of a request or a response, under lower-case names; several of one name are joined by a comma. */
export type RecordedHeaders = Readonly<Record<string, string>>

/** The body of a recorded request: its bytes, or how many there were where they were not kept. */
export type RecordedBody = { readonly bytes: Uint8Array } | { readonly omittedBytes: number }

/** What was asked, without its secrets. */
export interface RecordedRequest {
  readonly method: string
  /** The path with its query, as the client sent it. */
  readonly path: string
  readonly headers: RecordedHeaders
  readonly body?: RecordedBody
  /** Whether the body has its texts; where it has not, their lengths stand in their place. */
  readonly hasPrompts: boolean
}

/** How the answer began. */
export interface RecordedResponse {
  readonly status: number
  readonly headers: RecordedHeaders
  /** How long it took from the request to the answer's headers. */
  readonly waitMs: number
}

/** A piece of the answer's body, as it came from the network. */
export interface RecordedChunk {
  /** When it came, from the beginning of the response on. */
  readonly ms: number
  readonly bytes: Uint8Array
}

/** Every way in which a recording can end, with what it means. */
export const recordingEnds = {
  complete: 'The body came to its own end.',
  cut: 'The client left, or the recording was stopped.',
  error: 'The connection to the endpoint broke.',
} as const

/** How a recording ended. */
export type RecordingEnd = keyof typeof recordingEnds

/** One exchange with a model's API: what was asked, and the bytes of the answer with their times. */
export interface Recording {
  /** Absent where only the body of an answer was kept. */
  readonly request?: RecordedRequest
  readonly response: RecordedResponse
  /** When the request was made, as an ISO date. */
  readonly at?: string
  readonly chunks: readonly RecordedChunk[]
  readonly end: RecordingEnd
  /** When it ended, from the beginning of the response on. */
  readonly endMs: number
}
