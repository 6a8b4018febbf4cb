/** The headers of a request or a response, with lower-case names; values of the same name are joined by a comma. */
export type RecordedHeaders = Readonly<Record<string, string>>

/** The body of a recorded request: its bytes, or their number if they were not kept. */
export type RecordedBody = { readonly bytes: Uint8Array } | { readonly omittedBytes: number }

/** The request without its secrets. */
export interface RecordedRequest {
  readonly method: string
  /** The path with its query, as the client sent it. */
  readonly path: string
  readonly headers: RecordedHeaders
  readonly body?: RecordedBody
  /** Whether the body contains its texts; otherwise each text is replaced by its length. */
  readonly hasPrompts: boolean
}

/** The status and headers of the response. */
export interface RecordedResponse {
  readonly status: number
  readonly headers: RecordedHeaders
  /** Time from the request to the response headers. */
  readonly waitMs: number
}

/** A chunk of the response body, as received from the network. */
export interface RecordedChunk {
  /** Time since the start of the response. */
  readonly ms: number
  readonly bytes: Uint8Array
}

/** Every way in which a recording can end, with a description. */
export const recordingEnds = {
  complete: 'The body ended by itself.',
  cut: 'The client disconnected, or the recording was stopped.',
  error: 'The connection to the endpoint failed.',
} as const

/** The way in which a recording ended. */
export type RecordingEnd = keyof typeof recordingEnds

/** One exchange with a model's API: the request, and the bytes of the response with their times. */
export interface Recording {
  /** Absent if only the body of a response was kept. */
  readonly request?: RecordedRequest
  readonly response: RecordedResponse
  /** Time of the request, as an ISO date. */
  readonly at?: string
  readonly chunks: readonly RecordedChunk[]
  readonly end: RecordingEnd
  /** Time of the end since the start of the response. */
  readonly endMs: number
}
