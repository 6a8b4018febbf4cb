import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import {
  createExchangeRecorder,
  type PlainRequest,
  type RecordingEnd,
} from '../recordings/index.ts'
import { toRecordedHeaders } from './forwarded-headers.ts'
import type { OpenRecordingFile, RecordingFile } from './recording-file.ts'

/** The report of one exchange. */
export interface ExchangeReport {
  readonly method: string
  /** The path without secrets. */
  readonly path: string
  /** Absent if the endpoint did not respond. */
  readonly status?: number
  readonly end: RecordingEnd
  readonly bytes: number
  readonly chunks: number
  readonly ms: number
  /** Absent if nothing was recorded. */
  readonly file?: string
  /** The reason why nothing was recorded, or the failure. */
  readonly problem?: string
}

const endWords: Readonly<Record<RecordingEnd, string>> = {
  complete: '',
  cut: ', cut',
  error: ', failed',
}

/** Describes an exchange in one line. */
export function describeExchange(report: ExchangeReport): string {
  const { method, path, status, end, bytes, chunks, ms, file, problem } = report
  const size = `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}, ${toSize(bytes)}`
  const what = status === undefined ? 'no response' : `${status}, ${size}`
  const facts = `${what}, ${(ms / 1000).toFixed(1)} s${endWords[end]}`
  const fate = file === undefined ? 'not recorded' : `→ ${file}`
  return `${method} ${path}  ${facts}  ${fate}${problem === undefined ? '' : ` (${problem})`}`
}

function toSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`
}

/** Options of the log of an exchange. */
export interface ExchangeLogOptions {
  readonly request: PlainRequest
  readonly openFile: OpenRecordingFile
  readonly keepsPrompts: boolean
}

/** Writes one exchange to a file, and counts its bytes. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

/** Creates the log of one exchange. Failures of the file are reported and do not affect the exchange. */
export function createExchangeLog({ request, openFile, keepsPrompts }: ExchangeLogOptions) {
  const at = new Date()
  const startMs = performance.now()
  const write = (line: string): void => {
    file ??= openFile(recorder.path, at)
    file.stream.write(line)
  }
  const recorder = createExchangeRecorder({ request, keepsPrompts, at, write })
  let file: RecordingFile | undefined
  let status: number | undefined
  let problem: string | undefined
  let bytes = 0
  let chunks = 0

  return {
    feedRequest: recorder.feedRequest,
    openResponse(answer: IncomingMessage) {
      status = answer.statusCode ?? 0
      const headers = toRecordedHeaders(answer.rawHeaders)
      try {
        const form = recorder.openResponse({ status, headers })
        if (form !== undefined) problem = `the body was encoded as ${form}`
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error)
      }
    },
    /** Takes a chunk; returns the streams to which it was written. */
    feedResponse(chunk: Uint8Array): readonly Writable[] {
      bytes += chunk.length
      chunks++
      recorder.feedResponse(chunk)
      return file === undefined ? [] : [file.stream]
    },
    /** Ends the recording; resolves when it is complete on disk. */
    async close(end: RecordingEnd, reason?: string): Promise<ExchangeReport> {
      problem ??= reason
      recorder.close(end)
      await file?.close().catch((error: Error) => {
        problem = `the file is incomplete: ${error.message}`
      })
      return {
        method: request.method,
        path: recorder.path,
        ...(status !== undefined && { status }),
        end,
        bytes,
        chunks,
        ms: performance.now() - startMs,
        ...(file && { file: file.path }),
        ...(problem !== undefined && { problem }),
      }
    },
  }
}
