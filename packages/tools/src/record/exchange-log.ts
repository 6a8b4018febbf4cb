import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import {
  createExchangeRecorder,
  type PlainRequest,
  type RecordingEnd,
} from '../recordings/index.ts'
import type { ExchangeReport } from './exchange-report.ts'
import { toRecordedHeaders } from './forwarded-headers.ts'
import type { OpenRecordingFile, RecordingFile } from './recording-file.ts'

/** Options of an exchange log. */
export interface ExchangeLogOptions {
  readonly request: PlainRequest
  readonly openFile: OpenRecordingFile
  readonly keepsPrompts: boolean
}

/** Writes one exchange to a file, and counts its bytes. */
export interface ExchangeLog {
  feedRequest(bytes: Uint8Array): void
  openResponse(answer: IncomingMessage): void
  /** Takes a chunk; returns the streams to which it was written. */
  feedResponse(bytes: Uint8Array): readonly Writable[]
  /** Ends the recording; resolves when it is complete on disk. */
  close(end: RecordingEnd, problem?: string): Promise<ExchangeReport>
}

/** Creates the log of one exchange. Failures of the file are reported and do not affect the exchange. */
export function createExchangeLog({
  request,
  openFile,
  keepsPrompts,
}: ExchangeLogOptions): ExchangeLog {
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
    openResponse(answer) {
      status = answer.statusCode ?? 0
      const headers = toRecordedHeaders(answer.rawHeaders)
      try {
        const form = recorder.openResponse({ status, headers })
        if (form !== undefined) problem = `the body was encoded as ${form}`
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error)
      }
    },
    feedResponse(chunk) {
      bytes += chunk.length
      chunks++
      recorder.feedResponse(chunk)
      return file === undefined ? [] : [file.stream]
    },
    async close(end, reason) {
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
