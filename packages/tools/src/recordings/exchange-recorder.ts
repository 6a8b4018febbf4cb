import { collectKnownSecrets, redactHeaders, redactPath } from 'millrace/redaction'
import { encodeChunk, encodeEnd, encodeHead } from './format/encode-recording.ts'
import type { RecordedChunk, RecordedHeaders, RecordingEnd } from './recording.ts'
import { type BodyRedactor, createBodyRedactor } from './redaction/body-redactor.ts'
import {
  createRequestRedactor,
  findUnreadable,
  type PlainRequest,
  type RedactRequestOptions,
} from './redaction/redact-request.ts'

/** Options of a recorder. */
export interface ExchangeRecorderOptions extends RedactRequestOptions {
  readonly request: PlainRequest
  /** Receives each line once it is certain to contain no secret. */
  readonly write: (line: string) => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  /** Time of the request. */
  readonly at?: Date
}

/** Records one exchange as it happens, without its secrets. */
export interface ExchangeRecorder {
  /** Path of the request without its secrets, for display. */
  readonly path: string
  feedRequest(bytes: Uint8Array): void
  /** Begins the recording; a body that cannot be scanned for secrets is not recorded, and its encoding is returned. */
  openResponse(response: {
    readonly status: number
    readonly headers: RecordedHeaders
  }): string | undefined
  feedResponse(bytes: Uint8Array): void
  /** Writes the end; later chunks are ignored. */
  close(end: RecordingEnd): void
}

/** Creates a recorder of one exchange. */
export function createExchangeRecorder({
  request,
  write,
  now = () => performance.now(),
  at = new Date(),
  ...options
}: ExchangeRecorderOptions): ExchangeRecorder {
  const redactor = createRequestRedactor(request, options)
  const asked = collectKnownSecrets(request.headers, request.path)
  const askedAt = now()
  let openedAt = askedAt
  let body: BodyRedactor | undefined
  let isClosed = false

  return {
    path: redactPath(request.path, asked),
    feedRequest(bytes) {
      if (body === undefined) redactor.feed(bytes)
    },
    openResponse({ status, headers }) {
      const form = findUnreadable(headers)
      if (form !== undefined || body !== undefined || isClosed) return form
      openedAt = now()
      const known = [...asked, ...collectKnownSecrets(headers)]
      const response = {
        status,
        headers: redactHeaders(headers, known),
        waitMs: openedAt - askedAt,
      }
      write(encodeHead({ request: redactor.finish(), response, at: at.toISOString() }))
      const emit = (chunk: RecordedChunk): void => write(encodeChunk(chunk))
      body = createBodyRedactor({ known, hasDeltas: true, emit })
      return undefined
    },
    feedResponse(bytes) {
      if (!isClosed && bytes.length > 0) body?.feed({ ms: now() - openedAt, bytes })
    },
    close(end) {
      if (isClosed) return
      isClosed = true
      if (body === undefined) return
      body.finish()
      write(encodeEnd({ end, endMs: now() - openedAt }))
    },
  }
}
